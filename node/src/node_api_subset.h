#ifndef PROBESTREAM_NODE_API_SUBSET_H
#define PROBESTREAM_NODE_API_SUBSET_H
/*
 * What we use of Node-API, declared as js_native_api.h and node_api.h of Node 18 do; the ABI is the same in all later
 * versions. So the addon builds where no header of Node.js is, and one binary serves every version.
 * With -DPROBESTREAM_NODE_HEADERS the real ones are used: a test builds so, to see that we call what there is.
 */
#ifdef PROBESTREAM_NODE_HEADERS
#include <node_api.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef enum { napi_ok } napi_status;
typedef enum { napi_undefined, napi_null, napi_boolean, napi_number } napi_valuetype;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);

napi_status napi_get_cb_info(
    napi_env env, napi_callback_info info, size_t *count, napi_value *arguments, napi_value *receiver, void **data);
napi_status napi_typeof(napi_env env, napi_value value, napi_valuetype *result);
napi_status napi_get_value_int32(napi_env env, napi_value value, int32_t *result);
napi_status napi_get_value_int64(napi_env env, napi_value value, int64_t *result);
napi_status napi_get_value_bigint_int64(napi_env env, napi_value value, int64_t *result, bool *is_lossless);
napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *text, size_t size, size_t *length);
napi_status napi_get_buffer_info(napi_env env, napi_value value, void **data, size_t *length);
napi_status napi_create_int32(napi_env env, int32_t value, napi_value *result);
napi_status napi_get_boolean(napi_env env, bool value, napi_value *result);
napi_status napi_create_object(napi_env env, napi_value *result);
napi_status napi_create_function(
    napi_env env, const char *name, size_t length, napi_callback callback, void *data, napi_value *result);
napi_status napi_create_external_arraybuffer(
    napi_env env, void *memory, size_t length, napi_finalize finalize, void *hint, napi_value *result);
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value);
napi_status napi_throw_error(napi_env env, const char *code, const char *message);
napi_status napi_add_env_cleanup_hook(napi_env env, void (*hook)(void *data), void *data);
#endif

#endif
