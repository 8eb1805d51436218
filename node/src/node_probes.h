#ifndef PROBESTREAM_NODE_PROBES_H
#define PROBESTREAM_NODE_PROBES_H
#include "node_api_subset.h"

/*
 * The eight probes of provider node and request__context of provider probestream, in the order of their semaphores;
 * lib/node-probes.js, gc-observer.js and request-contexts.js know the same order.
 */
enum node_probe {
    NET_SERVER_CONNECTION,
    NET_STREAM_END,
    HTTP_SERVER_REQUEST,
    HTTP_SERVER_RESPONSE,
    HTTP_CLIENT_REQUEST,
    HTTP_CLIENT_RESPONSE,
    GC_START,
    GC_DONE,
    REQUEST_CONTEXT,
    NODE_PROBES
};

/* How many watch each probe; the kernel or a tracer writes it, at any time. Not static: the notes name it. */
extern volatile uint16_t probestream_semaphores[NODE_PROBES] __attribute__((visibility("hidden")));

/* fireConnection(probe, remote, port, fd): a net probe or the response of an http side. */
napi_value fire_connection(napi_env env, napi_callback_info info);

/* fireRequest(probe, remote, port, fd, method, url) */
napi_value fire_request(napi_env env, napi_callback_info info);

/* fireContext(number, fd, stream): a request has its number; stream: its id on a connection of HTTP/2, else 0. */
napi_value fire_context(napi_env env, napi_callback_info info);

#define REQUEST_NUMBERS 4096

/* takeNumbers() -> the first of REQUEST_NUMBERS numbers for requests, which no other thread of the process gets. */
napi_value take_numbers(napi_env env, napi_callback_info info);

/* fireGc(probe, type, flags): where the collector itself cannot be hooked. */
napi_value fire_gc(napi_env env, napi_callback_info info);

/* hookGc() -> whether gc__start and gc__done fire from now on at every collection of the calling thread's heap. */
napi_value hook_gc(napi_env env, napi_callback_info info);

/* An ArrayBuffer over memory that stays until the process ends; false, with an exception thrown, where there is none. */
bool share_memory(napi_env env, void *memory, size_t size, napi_value *buffer);

/* openUserProbe(name, types, library) -> {semaphore, fire}; see user_probes.c. */
napi_value open_user_probe(napi_env env, napi_callback_info info);

#endif
