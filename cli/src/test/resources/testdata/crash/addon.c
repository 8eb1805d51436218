#include <stddef.h>

typedef void *napi_env;
typedef void *napi_value;
typedef void *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
int napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
int napi_set_named_property(napi_env, napi_value, const char *, napi_value);

__attribute__((noinline)) void decode_pixels(volatile int *pixels) { pixels[3] = 7; }

static napi_value decode(napi_env env, napi_callback_info info) {
    decode_pixels(NULL);
    return NULL;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    napi_value function;
    napi_create_function(env, "decode", 6, decode, NULL, &function);
    napi_set_named_property(env, exports, "decode", function);
    return exports;
}
