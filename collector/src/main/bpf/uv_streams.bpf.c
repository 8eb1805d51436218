/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libuv's stream of a file descriptor: at a system call there is only the descriptor, and other hits know the connection by
 * its uv_stream_t.
 *
 *     uv_loop_t   watchers: an array with a pointer for each descriptor, to the uv__io_t that libuv has epoll watch, or null
 *     uv__io_t    fd: of a stream it is io_watcher, a part of the uv_stream_t
 *     uv_stream_t loop, type
 *
 * A thread runs one loop (known_threads.h), and a stream belongs to one loop, whose thread alone uses it: the stream of a
 * descriptor is that of the running thread. What is read is compared, so that another kind of watcher, or memory that is
 * changed meanwhile, is no stream.
 *
 * libuv watches a descriptor while the stream is read or waits until it can be written. Of a stream that is paused, or whose
 * peer has ended it and that has nothing left to write, the pointer in the array is null. The stream that a descriptor had
 * before is therefore looked at first (struct known_stream): two readings of memory instead of four. It is still the
 * descriptor's if the same comparisons hold, for libuv sets the descriptor of a stream to -1 when it closes it.
 *
 * The structures are in uv.h and uv/unix.h; their layout is part of the ABI of libuv 1, and the same in Node.js 18 to 26
 * (EventLoopReaderTest, and the headers of each).
 */
#include "known_threads.h"

/* In uv_loop_t: watchers. */
#define LOOP_WATCHERS 0x68

struct loop_watchers {
    u64 watchers;
    u32 count;       /* nwatchers */
    u32 descriptors; /* nfds: how many of them are not null */
};

/* In uv__io_t: fd. */
#define WATCHER_FD 0x30

/* In uv_stream_t: io_watcher, and loop with what is behind it. */
#define STREAM_WATCHER 0x88
#define STREAM_LOOP 0x8

struct stream_kind {
    u64 loop;
    u32 type; /* enum uv_handle_type */
};

#define UV_NAMED_PIPE 7
#define UV_TCP 12
#define UV_TTY 14

/*
 * KnownStreamLayout: an entry of the array uv_streams, by the thread and the descriptor. Another thread may write it at any
 * moment: the stream that it names is compared before it is used.
 */
struct known_stream {
    u64 who; /* as in struct known_thread */
    u64 stream;
    u64 fd;
};

#define KNOWN_STREAMS 4096

struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(KNOWN_STREAMS);
    MAP_KEY(u32);
    MAP_VALUE(struct known_stream);
} uv_streams SEC(".maps");

/* The address of the event loop that the running thread runs; 0 = it runs none, or it is not known. */
inline_always u64 running_loop(u64 ids, u64 who, u64 thread_pointer)
{
    u32 index = ids & (KNOWN_THREADS - 1);
    struct known_thread *thread = bpf_map_lookup_elem(&context_threads, &index);
    if (!thread)
        return 0;
    if ((thread->loop == 0 || thread->check != check_of(thread, who)) && !find_thread(thread, ids, who, thread_pointer))
        return 0;
    u64 loop = thread->loop;
    /* Else another thread has written the entry meanwhile. */
    return thread->check == check_of(thread, who) ? loop : 0;
}

/* A negative descriptor is a large one here, and none has a number that large. */
inline_always u64 watched_stream(u64 loop, u32 fd)
{
    struct loop_watchers of;
    if (bpf_probe_read_user(&of, sizeof(of), loop + LOOP_WATCHERS) != 0 || fd >= of.count)
        return 0;
    u64 watcher = read_pointer(of.watchers + fd * sizeof(u64));
    return watcher ? watcher - STREAM_WATCHER : 0;
}

inline_always int is_stream_of(u64 stream, u64 loop, u32 fd)
{
    struct stream_kind kind;
    u32 its_fd;
    if (bpf_probe_read_user(&its_fd, sizeof(its_fd), stream + STREAM_WATCHER + WATCHER_FD) != 0 || its_fd != fd)
        return 0;
    if (bpf_probe_read_user(&kind, sizeof(kind), stream + STREAM_LOOP) != 0 || kind.loop != loop)
        return 0;
    return kind.type == UV_TCP || kind.type == UV_NAMED_PIPE || kind.type == UV_TTY;
}

/*
 * Finds the stream of a file descriptor of the running thread's event loop.
 *
 * ids, who, thread_pointer: as of read_async_context()
 *
 * Returns the address of the uv_stream_t; 0 = the descriptor is of no stream that the loop watches or that is known.
 */
LINKED u64 find_uv_stream(u32 fd, u64 ids, u64 who, u64 thread_pointer)
{
    u32 index = ((u32)who ^ fd) & (KNOWN_STREAMS - 1);
    struct known_stream *known = bpf_map_lookup_elem(&uv_streams, &index);
    u64 loop = running_loop(ids, who, thread_pointer);
    if (!loop || !known)
        return 0;
    u64 stream = known->who == who && known->fd == fd ? known->stream : 0;
    if (stream && is_stream_of(stream, loop, fd))
        return stream;
    stream = watched_stream(loop, fd);
    if (!stream || !is_stream_of(stream, loop, fd))
        return 0;
    known->who = who;
    known->fd = fd;
    known->stream = stream;
    return stream;
}
