/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers that came last on an HTTP/2 stream, where Node has them until JavaScript gets them (src/node_http2.h):
 *
 *     Http2Session::streams_, std::unordered_map of libstdc++, by the id of the stream
 *         -> Http2Stream::current_headers_, std::vector of NgHeader
 *             -> name and value, each an nghttp2_rcbuf
 *
 * Where streams_ and current_headers_ lie is what differs between versions of Node. At other places there is no node with the
 * id of the stream and no header of the name, so nothing is read there.
 */
#pragma once

#include "stream.h"

/* The begin of nghttp2_frame_hd (nghttp2.h). */
struct http2_frame {
    u64 length;
    u32 stream_id;
};

/* The begin of std::unordered_map. */
struct http2_streams {
    u64 buckets; /* an array of pointers, each to the node before the first of a bucket; 0 = the bucket is empty */
    u64 bucket_count;
};

/* A node of std::unordered_map. */
struct http2_node {
    u64 next;
    u32 stream_id;
    u32 unused;
    u64 stream; /* Http2Stream */
};

/* The begin of std::vector. */
struct http2_vector {
    u64 begin;
    u64 end;
};

/* NgHeader (src/node_http_common.h): its nghttp2_rcbufs. */
struct http2_header {
    u64 unused[3];
    u64 name;
    u64 unused_2[2];
    u64 value;
    u64 unused_3[2];
};

/* Of nghttp2_rcbuf (nghttp2_rcbuf.h), behind its first RCBUF_BASE bytes. */
struct http2_buffer {
    u64 address;
    u64 length;
};

#define RCBUF_BASE 16

/* libstdc++ has at most as many nodes as buckets, so most buckets have one or two. */
#define MAX_NODES 8

/* What has more headers has none to us. */
#define MAX_HEADERS 64

#define MAX_NAME_WORDS 2

/* Http2Search: a header that is looked for. */
struct http2_search {
    u64 session;        /* the address of the Http2Session */
    u64 frame;          /* that of the nghttp2_frame_hd */
    u64 streams_place;  /* of streams_ in an Http2Session */
    u64 headers_place;  /* of current_headers_ in an Http2Stream */
    u64 is_first;       /* 1: the header stands before all others, and there only once */
    u64 name[MAX_NAME_WORDS]; /* behind its end zeros */
    struct http2_buffer value; /* that is found; its length is 0 if there is none */
};

#define FOUND 0
#define NOT_READABLE 1

/* The Http2Stream of the frame; 0 = it cannot be found. */
inline_always u64 find_http2_stream(struct http2_search *search, u64 may_sleep)
{
    struct http2_frame frame;
    struct http2_streams streams;
    struct http2_node node;
    if (read_user(&frame, sizeof(frame), search->frame, may_sleep) != 0
        || read_user(&streams, sizeof(streams), search->session + search->streams_place, may_sleep) != 0
        || streams.bucket_count == 0)
        return 0;
    u64 bucket = streams.buckets + frame.stream_id % streams.bucket_count * sizeof(u64);
    if (read_user(&node.next, sizeof(node.next), bucket, may_sleep) != 0 || node.next == 0
        || read_user(&node.next, sizeof(node.next), node.next, may_sleep) != 0)
        return 0;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < MAX_NODES && node.next; i++) {
        if (read_user(&node, sizeof(node), node.next, may_sleep) != 0)
            return 0;
        if (node.stream_id == frame.stream_id)
            return node.stream;
    }
    return 0;
}

/* The context of a loop. */
struct http2_loop {
    struct http2_search *search;
    u64 name_length;
    u64 may_sleep; /* as in read_user() */
    struct http2_vector headers; /* what is left of them */
    u64 is_found;
    u64 is_failed;
};

/* Compares the name of the next header. A turn of bpf_loop: returns 1 when it is over. */
inline_always long compare_header(struct http2_loop *loop, u64 name_length)
{
    struct http2_search *search = loop->search;
    struct http2_header header;
    struct http2_buffer name;
    u64 words[MAX_NAME_WORDS] = {};
    if (loop->headers.begin >= loop->headers.end)
        return 1;
    loop->is_failed = 1;
    if (read_user(&header, sizeof(header), loop->headers.begin, loop->may_sleep) != 0
        || read_user(&name, sizeof(name), header.name + RCBUF_BASE, loop->may_sleep) != 0)
        return 1;
    loop->headers.begin += sizeof(header);
    if (name.length == name_length) {
        if (read_user(words, name_length, name.address, loop->may_sleep) != 0)
            return 1;
        if (words[0] == search->name[0] && words[1] == search->name[1]) {
            if (loop->is_found
                || read_user(&search->value, sizeof(search->value), header.value + RCBUF_BASE, loop->may_sleep) != 0)
                return 1;
            loop->is_found = 1;
        }
    }
    loop->is_failed = 0;
    return loop->is_found && search->is_first;
}

CALLBACK long compare_next_header(u32 index, struct http2_loop *loop)
{
    return compare_header(loop, loop->name_length);
}

/* Returns whether the headers of the stream are found. */
inline_always int begin_headers(struct http2_loop *loop)
{
    struct http2_search *search = loop->search;
    search->value.length = 0;
    u64 stream = find_http2_stream(search, loop->may_sleep);
    return stream
        && read_user(&loop->headers, sizeof(loop->headers), stream + search->headers_place, loop->may_sleep) == 0;
}

/* What has more than MAX_HEADERS is not known, unless the one that is looked for stands before all others. */
inline_always int end_headers(struct http2_loop *loop)
{
    int is_over = loop->headers.begin >= loop->headers.end || (loop->is_found && loop->search->is_first);
    return is_over && !loop->is_failed ? FOUND : NOT_READABLE;
}

/*
 * Finds a header by its name.
 *
 * name_length: in bytes; a constant in each program, as is may_sleep
 *
 * Returns FOUND, with the value in the search; NOT_READABLE if the stream cannot be found, and if it has a header twice that
 * may be there only once.
 */
LINKED int find_http2_header(struct http2_search *search, u64 name_length, u64 may_sleep)
{
    struct http2_loop loop = {search, name_length, may_sleep, {}, 0, 0};
    if (!begin_headers(&loop))
        return NOT_READABLE;
    bpf_loop(MAX_HEADERS, compare_next_header, &loop, 0);
    return end_headers(&loop);
}

/* The same before Linux 5.17. A function of its own: an older kernel refuses the address of a function, wherever it is. */
LINKED int find_http2_header_without_loops(struct http2_search *search, u64 name_length, u64 may_sleep)
{
    struct http2_loop loop = {search, name_length, may_sleep, {}, 0, 0};
    if (!begin_headers(&loop))
        return NOT_READABLE;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < MAX_HEADERS; i++)
        if (compare_header(&loop, name_length))
            break;
    return end_headers(&loop);
}
