/*
 * gc__start and gc__done. Node-API has no word on garbage collection, but every Node.js executable exports the functions
 * of V8 that addons in C++ call. We look up the five that we need by their mangled names. A mangled name spells the types
 * of the parameters, so a V8 that changes them no longer has the name, and hook_gc() says that it cannot.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "node_probes.h"
#include "stapsdt.h"

#define EVERY_GC_TYPE 31 /* v8::kGCTypeAll, v8-callbacks.h */

/* v8::Isolate::GCCallbackWithData; GCType and GCCallbackFlags are enums, passed as ints. */
typedef void (*gc_callback)(void *isolate, int type, int flags, void *data);

/* Member functions get the object as their first argument (Itanium C++ ABI, which Linux has everywhere). */
typedef void (*add_callback)(void *isolate, gc_callback callback, void *data, int types);
typedef void (*remove_callback)(void *isolate, gc_callback callback, void *data);

#define ADD_PARAMETERS "EPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_S2_"
#define REMOVE_PARAMETERS "EPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_"

#define GC_SITE(name, index)                                                                                           \
    PROBE_SITE("node", name, index, "-4@%[type] -4@%[flags] 8@%[isolate]", [type] "r"(type), [flags] "r"(flags),       \
               [isolate] "r"(isolate))

static void on_start(void *isolate, int type, int flags, void *data) {
    (void)data;
    if (probestream_semaphores[GC_START] != 0) {
        GC_SITE("gc__start", GC_START);
    }
}

static void on_done(void *isolate, int type, int flags, void *data) {
    (void)data;
    if (probestream_semaphores[GC_DONE] != 0) {
        GC_SITE("gc__done", GC_DONE);
    }
}

static void *function(const char *mangled_name) {
    return dlsym(RTLD_DEFAULT, mangled_name);
}

/* A thread ends before the process: its isolate must not keep us. */
static void unhook(void *isolate) {
    remove_callback remove_start = (remove_callback)function("_ZN2v87Isolate24RemoveGCPrologueCallback" REMOVE_PARAMETERS);
    remove_callback remove_done = (remove_callback)function("_ZN2v87Isolate24RemoveGCEpilogueCallback" REMOVE_PARAMETERS);
    remove_start(isolate, on_start, NULL);
    remove_done(isolate, on_done, NULL);
}

napi_value hook_gc(napi_env env, napi_callback_info info) {
    (void)info;
    void *(*current_isolate)(void) = (void *(*)(void))function("_ZN2v87Isolate10GetCurrentEv");
    add_callback add_start = (add_callback)function("_ZN2v87Isolate21AddGCPrologueCallback" ADD_PARAMETERS);
    add_callback add_done = (add_callback)function("_ZN2v87Isolate21AddGCEpilogueCallback" ADD_PARAMETERS);
    bool is_hooked = current_isolate != NULL && add_start != NULL && add_done != NULL &&
        function("_ZN2v87Isolate24RemoveGCPrologueCallback" REMOVE_PARAMETERS) != NULL &&
        function("_ZN2v87Isolate24RemoveGCEpilogueCallback" REMOVE_PARAMETERS) != NULL;
    if (is_hooked) {
        void *isolate = current_isolate();
        add_start(isolate, on_start, NULL, EVERY_GC_TYPE);
        add_done(isolate, on_done, NULL, EVERY_GC_TYPE);
        napi_add_env_cleanup_hook(env, unhook, isolate);
    }
    napi_value result = NULL;
    napi_get_boolean(env, is_hooked, &result);
    return result;
}

napi_value fire_gc(napi_env env, napi_callback_info info) {
    napi_value arguments[3];
    size_t count = 3;
    int32_t probe = 0;
    int32_t type = 0;
    int32_t flags = 0;
    napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
    napi_get_value_int32(env, arguments[0], &probe);
    napi_get_value_int32(env, arguments[1], &type);
    napi_get_value_int32(env, arguments[2], &flags);
    (probe == GC_START ? on_start : on_done)(NULL, type, flags, NULL);
    return NULL;
}
