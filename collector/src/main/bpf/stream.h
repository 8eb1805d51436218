/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written to libuv's streams and read from them, and what programs and the collector share of it.
 * SharedLayoutsTest compares each struct here with its class in dev.probestream.collector.internal.program.layout.
 */
#pragma once

#include "event.h"

/* uv_buf_t (include/uv/unix.h): a write is an array of them. */
struct uv_buf {
    u64 address;
    u64 length;
};

#define SMALL_BYTES 512
#define HEAD_BYTES 4096
#define TAIL_BYTES 256
#define MAX_BUFFER_BYTES 1024
#define MANY_BUFFERS_BYTES (24 * 1024)

/* One of the buffers of a write, as a sample has them: one after the other, each as long as what was copied. */
struct stream_buffer {
    u32 length; /* of the buffer */
    u32 copied; /* how many of its first bytes follow */
    u8 bytes[MAX_BUFFER_BYTES];
};

/* In a sample with little room there is only one. */
struct small_stream_buffer {
    u32 length;
    u32 copied;
    u8 bytes[SMALL_BYTES];
};

/* StreamBytesLayout: what lies in a sample behind its arguments. */
struct stream_bytes {
    u64 sequence;
    s64 total;
    u32 head_bytes; /* how many bytes behind this header are used */
    u32 tail_bytes;
    s64 received;   /* of a read: all that was read from the stream until now; -1 = not known */
    union {
        struct small_stream_buffer small; /* SMALL_ROOM, of a write; of a read, bytes in its place */
        struct {                          /* LARGE_ROOM */
            u8 head[HEAD_BYTES];          /* of a write its buffers, of a read its first bytes */
            u8 tail[TAIL_BYTES];          /* of a read its last bytes */
        };
        struct stream_buffer first;       /* of a write: others follow */
        u8 buffers[MANY_BUFFERS_BYTES];   /* MANY_BUFFERS_ROOM, of a write */
    };
};

/* StreamBytesLayout.Room: how much of the union a sample has. */
enum stream_room {
    SMALL_ROOM,
    LARGE_ROOM,
    MANY_BUFFERS_ROOM,
};

/* A stream of a process, whose addresses other processes have, too. */
struct stream_key {
    u64 address;
    u32 tgid;
    u32 unused;
};

/* StreamHitLayout: a write or a read. */
struct stream_hit {
    struct stream_key stream;
    u64 address;  /* of a write, of an array of struct uv_buf; of a read, of the bytes */
    s64 length;   /* of a write, how many buffers; of a read, how many bytes, negative = an error, or the end */
    s64 taken;    /* of a write, how many of its bytes the kernel has taken; -1 = all are meant */
    u64 only;     /* of a write(2), how many bytes there are at the address; 0 = an array is there */
    s64 received; /* of a read, all that was read from the stream until now; -1 = not known */
    u64 sequence; /* of the hits of a database's stream, which this is, from 1; written here, not by programs */
};

#define MAX_HEADER_BYTES 14 /* of a frame: two bytes, a length of 8, a mask of 4 */

/* The frames that one end of a WebSocket connection sends. */
struct web_socket_direction {
    u64 bytes;        /* of frames, with their headers */
    u64 messages;     /* whose last frame began */
    u64 ahead;        /* how many bytes come until the next header begins */
    u64 header_bytes; /* how many bytes of a header are known that has begun */
    u64 is_within;    /* 1 between the frames of a message */
    u64 is_lost;      /* 1 once it is not known where the next frame begins: nothing is counted from there on */
    u64 is_masked;    /* 1 if the frames are masked, 0 if not */
    u8 header[32];    /* the bytes that are known of it */
    u64 unused;
};

/* WebSocketLayout: the value of the map web_sockets. */
struct web_socket {
    struct event_header header; /* of the hit that wrote or read the answer */
    u8 arguments[256 - sizeof(struct event_header)]; /* of its probe, as EventLayout draws them */
    u64 is_server;
    u64 is_upgraded; /* 1 once the answer has shown that it is WebSocket */
    struct web_socket_direction sent;
    struct web_socket_direction received;
    /* While frames are followed, or the end of an answer is searched; of an answer, find_web_socket() writes address and length. */
    u64 position;     /* in the buffer */
    u64 length;       /* of the buffer */
    u64 address;      /* of the buffer */
    u64 next_buffer;  /* the address of the next struct uv_buf */
    u64 buffers_left;
    u64 taken;        /* how many bytes of a header are in this buffer */
    u64 known;        /* how many there are with those before; of an answer, its last 8 bytes */
    u64 is_tls; /* 1 if the frames are those above TLS */
    u64 stream; /* its address */
};

/*
 * Reads memory of the process. What is not resident can be fetched by a program that may sleep alone: in others the
 * verifier refuses the second helper. may_sleep is a constant in each program, so it never gets there.
 *
 * Returns 0 = done.
 */
inline_always long read_user(void *to, u64 size, u64 address, u64 may_sleep)
{
    long failed = bpf_probe_read_user(to, size, address);
    return failed && may_sleep ? bpf_copy_from_user(to, size, address) : failed;
}
