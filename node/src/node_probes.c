/*
 * The probes of connections and requests. Their first arguments point to the structs that node_dtrace.h of Node 18 has
 * for DTrace's translators; like there they are good for as long as the probe fires, and their address says nothing.
 */
#include "node_probes.h"

#include "stapsdt.h"

#define REMOTE_BYTES 128 /* an IPv6 address with its zone */
#define METHOD_BYTES 64
#define URL_BYTES 16384 /* all headers together, unless --max-http-header-size allows more */

__attribute__((section(".probes"))) volatile uint16_t probestream_semaphores[NODE_PROBES];

/* node_dtrace_connection_t */
struct connection {
    int32_t fd;
    int32_t port;
    const char *remote;
    int32_t buffered;
};

/* node_dtrace_http_server_request_t; a version below 4096 distinguishes it from the client's. */
struct server_request {
    uintptr_t version;
    const char *url;
    const char *method;
    const char *forwarded_for;
    const char *padding[8];
};

/* node_dtrace_http_client_request_t */
struct client_request {
    const char *url;
    const char *method;
};

#define CONNECTION_SITE(name, index, c)                                                                                \
    PROBE_SITE("node", name, index, "8@%[connection] 8@%[remote] -4@%[port] -4@%[fd]", [connection] "r"(c),            \
               [remote] "r"((c)->remote), [port] "r"((c)->port), [fd] "r"((c)->fd))

#define REQUEST_SITE(name, index, h, c)                                                                                \
    PROBE_SITE("node", name, index,                                                                                    \
               "8@%[request] 8@%[connection] 8@%[remote] -4@%[port] 8@%[method] 8@%[url] -4@%[fd]", [request] "r"(h),  \
               [connection] "r"(c), [remote] "r"((c)->remote), [port] "r"((c)->port), [method] "r"((h)->method),       \
               [url] "r"((h)->url), [fd] "r"((c)->fd))

static int32_t int32_of(napi_env env, napi_value value) {
    int32_t result = 0;
    napi_get_value_int32(env, value, &result);
    return result;
}

/* Cut to what fits, at a whole character; empty for what is no string. */
static const char *text_of(napi_env env, napi_value value, char *text, size_t size) {
    size_t length;
    text[0] = '\0';
    napi_get_value_string_utf8(env, value, text, size, &length);
    return text;
}

static struct connection connection_of(napi_env env, const napi_value *arguments, char *remote) {
    return (struct connection){
        .remote = text_of(env, arguments[1], remote, REMOTE_BYTES),
        .port = int32_of(env, arguments[2]),
        .fd = int32_of(env, arguments[3]),
    };
}

napi_value fire_connection(napi_env env, napi_callback_info info) {
    napi_value arguments[4];
    size_t count = 4;
    napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
    char remote[REMOTE_BYTES];
    struct connection connection = connection_of(env, arguments, remote);
    switch (int32_of(env, arguments[0])) {
    case NET_SERVER_CONNECTION:
        CONNECTION_SITE("net__server__connection", NET_SERVER_CONNECTION, &connection);
        break;
    case NET_STREAM_END:
        CONNECTION_SITE("net__stream__end", NET_STREAM_END, &connection);
        break;
    case HTTP_SERVER_RESPONSE:
        CONNECTION_SITE("http__server__response", HTTP_SERVER_RESPONSE, &connection);
        break;
    case HTTP_CLIENT_RESPONSE:
        CONNECTION_SITE("http__client__response", HTTP_CLIENT_RESPONSE, &connection);
        break;
    }
    return NULL;
}

napi_value fire_request(napi_env env, napi_callback_info info) {
    napi_value arguments[6];
    size_t count = 6;
    napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
    char remote[REMOTE_BYTES];
    char method[METHOD_BYTES];
    char url[URL_BYTES];
    struct connection connection = connection_of(env, arguments, remote);
    text_of(env, arguments[4], method, sizeof method);
    text_of(env, arguments[5], url, sizeof url);
    if (int32_of(env, arguments[0]) == HTTP_SERVER_REQUEST) {
        struct server_request request = {.version = 1, .url = url, .method = method, .forwarded_for = ""};
        REQUEST_SITE("http__server__request", HTTP_SERVER_REQUEST, &request, &connection);
    } else {
        struct client_request request = {.url = url, .method = method};
        REQUEST_SITE("http__client__request", HTTP_CLIENT_REQUEST, &request, &connection);
    }
    return NULL;
}
