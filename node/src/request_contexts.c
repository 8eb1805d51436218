/*
 * probestream:request__context(number, fd, stream). It fires on the thread that has just read a request's headers, before
 * any code of the application runs for it.
 */
#include <stdatomic.h>

#include "node_probes.h"
#include "stapsdt.h"

#define MOST_NUMBERS (1 << 22) /* HOLDER of lib/request-contexts.js, which is below CONNECTION and the mark in the store */

napi_value fire_context(napi_env env, napi_callback_info info) {
    napi_value arguments[3];
    size_t count = 3;
    napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
    int32_t number = 0;
    int32_t fd = -1;
    int32_t stream = 0;
    napi_get_value_int32(env, arguments[0], &number);
    napi_get_value_int32(env, arguments[1], &fd);
    napi_get_value_int32(env, arguments[2], &stream);
    PROBE_SITE("probestream", "request__context", REQUEST_CONTEXT, "-4@%[number] -4@%[fd] -4@%[stream]",
               [number] "r"(number), [fd] "r"(fd), [stream] "r"(stream));
    return NULL;
}

/* From 1; they begin again when they are used up, after some 4 million requests. */
napi_value take_numbers(napi_env env, napi_callback_info info) {
    static atomic_uint taken;
    (void)info;
    uint32_t block = atomic_fetch_add(&taken, 1) % (MOST_NUMBERS / REQUEST_NUMBERS - 1);
    napi_value first;
    return napi_create_int32(env, (int32_t)(block * REQUEST_NUMBERS + 1), &first) == napi_ok ? first : NULL;
}
