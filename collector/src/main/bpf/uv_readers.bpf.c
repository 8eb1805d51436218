/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who reads the bytes of a stream: at a read there are only bytes, and what they are depends on who takes them.
 *
 * Node.js wraps a uv_stream_t in a LibuvStreamWrap. What is read goes to the StreamListener that its StreamBase has last been
 * given:
 *
 *     uv_stream_t      data: the LibuvStreamWrap
 *     LibuvStreamWrap  at an offset that differs by version: its StreamBase, and behind that the uv_stream_t
 *     StreamBase       vtable, listener_, ..., and as a part the EmitToJSStreamListener that hands bytes to JavaScript
 *     StreamListener   vtable, stream_ (the StreamBase), previous_listener_
 *     node::Parser     a StreamListener, with the llhttp_t behind it: an HTTP server gives it the streams of its connections
 *     TLSWrap          a StreamListener: it decrypts what is read
 *
 * llhttp is in one state, message_start, before a message: at first, behind each message after which the connection is kept, and
 * behind line ends between the two. No other state is left by what begins a message (llhttp's http.ts, "start"); `finish`, which
 * is 0 before a message, is so also when the connection is to be closed, and what comes then begins none. A parser with an
 * error is paused, or waits for what follows an upgrade, or will read no more.
 *
 * The layout of the classes is that of Node.js 18 to 26 on x86-64 (src/stream_base.h, src/stream_wrap.h, src/node_http_parser.cc),
 * and that of llhttp_t is the same up to its type in llhttp 6 and 9 (StreamListenerReaderTest, and UvReaderTest with each Node).
 */
#include "known_threads.h"

enum uv_reader {
    READER_UNKNOWN = -1, /* no stream of this thread's loop, or a Node.js whose classes are not known */
    READER_OTHER,        /* none of those below, as a native addon */
    READER_JAVASCRIPT,
    READER_BETWEEN_MESSAGES, /* an HTTP server's parser: what is read next begins a message */
    READER_IN_MESSAGE,       /* such a parser that goes on with a message, or reads none */
    READER_TLS,
};

#define LLHTTP_REQUEST 1 /* enum llhttp_type: of a server */

struct stream_base {
    u64 vtable;
    u64 listener;
    u64 rest[6]; /* ends with the EmitToJSStreamListener */
};

/* The beginning of a StreamBase, a StreamResource. */
struct stream_resource {
    u64 vtable;
    u64 listener;
    u64 bytes_read;
};

struct wrapped_stream {
    struct stream_base base;
    u64 stream;
};

struct stream_listener {
    u64 vtable;
    u64 stream;
    u64 previous;
};

/* llhttp_t: up to its type. */
struct llhttp {
    u64 index;
    u64 span[2];
    s32 error;
    u64 reason[2];
    u64 data;
    u64 current;
    u64 content_length;
    u8 type;
};

struct parser_listener {
    struct stream_listener listener;
    struct llhttp llhttp;
};

/* What has less memory behind its address than a Parser as a listener is none, and no TLSWrap. */
inline_always s64 kind_of_listener(const struct stream_listener_layout *layout, u64 base, u64 address)
{
    struct parser_listener of;
    if (bpf_probe_read_user(&of, sizeof(of), address) != 0 || of.listener.stream != base)
        return READER_OTHER;
    if (of.listener.vtable == layout->tls)
        return READER_TLS;
    if (of.listener.vtable != layout->parser || of.llhttp.type != LLHTTP_REQUEST)
        return READER_OTHER;
    return of.llhttp.error == 0 && of.llhttp.current == layout->message_start ? READER_BETWEEN_MESSAGES
                                                                              : READER_IN_MESSAGE;
}

/*
 * Finds who reads the stream of a file descriptor of the running thread's event loop.
 *
 * found: gets the stream, or 0
 *
 * The other arguments are those of find_uv_stream().
 *
 * Returns an enum uv_reader.
 */
LINKED s64 find_uv_reader(u64 *found, u32 fd, u64 ids, u64 who, u64 thread_pointer)
{
    u32 tgid = ids >> 32;
    u64 stream = find_uv_stream(fd, ids, who, thread_pointer);
    *found = stream;
    if (!stream)
        return READER_UNKNOWN;
    struct context_process *process = bpf_map_lookup_elem(&async_contexts, &tgid);
    if (!process || process->listeners.stream_base == 0)
        return READER_UNKNOWN;
    u64 base = read_pointer(stream) + process->listeners.stream_base;
    u64 listener;
    {
        struct wrapped_stream of;
        if (bpf_probe_read_user(&of, sizeof(of), base) != 0 || of.stream != stream)
            return READER_OTHER;
        listener = of.base.listener;
    }
    if (listener - base < sizeof(struct stream_base))
        return READER_JAVASCRIPT;
    return kind_of_listener(&process->listeners, base, listener);
}

/* Returns how many bytes Node.js has got from a stream of a process until now, not those of a reading that goes on; -1 = not known. */
LINKED s64 bytes_read_from(u64 stream, u32 tgid)
{
    struct context_process *process = bpf_map_lookup_elem(&async_contexts, &tgid);
    if (!process || process->listeners.stream_base == 0)
        return -1;
    struct stream_resource of;
    u64 base = read_pointer(stream) + process->listeners.stream_base;
    return bpf_probe_read_user(&of, sizeof(of), base) == 0 ? (s64)of.bytes_read : -1;
}
