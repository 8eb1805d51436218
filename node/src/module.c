/* What lib/binding.js sees. One environment per thread that loads it; all share the probes and their semaphores. */
#include "node_probes.h"

static void keep(napi_env env, void *memory, void *hint) {
    (void)env;
    (void)memory;
    (void)hint;
}

bool share_memory(napi_env env, void *memory, size_t size, napi_value *buffer) {
    if (napi_create_external_arraybuffer(env, memory, size, keep, NULL, buffer) == napi_ok) {
        return true;
    }
    napi_throw_error(env, NULL, "probestream: this runtime shares no memory with addons (external array buffers)");
    return false;
}

static void export(napi_env env, napi_value exports, const char *name, napi_callback callback) {
    napi_value function;
    if (napi_create_function(env, name, SIZE_MAX, callback, NULL, &function) == napi_ok) {
        napi_set_named_property(env, exports, name, function);
    }
}

/* The name by which Node.js finds it (node_api.h, NAPI_MODULE_INITIALIZER). */
__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    napi_value semaphores;
    if (!share_memory(env, (void *)probestream_semaphores, sizeof probestream_semaphores, &semaphores)) {
        return NULL;
    }
    napi_set_named_property(env, exports, "semaphores", semaphores);
    export(env, exports, "fireConnection", fire_connection);
    export(env, exports, "fireRequest", fire_request);
    export(env, exports, "fireContext", fire_context);
    export(env, exports, "takeNumbers", take_numbers);
    export(env, exports, "fireGc", fire_gc);
    export(env, exports, "hookGc", hook_gc);
    export(env, exports, "openUserProbe", open_user_probe);
    return exports;
}
