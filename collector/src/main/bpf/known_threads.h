/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the threads that run Node.js: where the isolate of a thread is, where the async ids of its Environment are,
 * and which event loop of libuv it runs.
 *
 * From the isolate, its current context leads to the Environment: context -> map -> native context -> embedder data ->
 * Environment. A tag beside it shows that there is one. Where a thread's isolate, async ids and loop are does not change while it
 * runs JavaScript, so they are looked for once (struct known_thread). There is no current context where libuv runs without
 * JavaScript, as when it goes on with a write for which there was no room; the loop of the main thread is known without.
 *
 * Offsets that are constants here are the same in Node.js 18 to 26; AsyncContextReader checks them in Node's code.
 */
#pragma once

#include "v8.h"

/* From a tagged pointer, which is 1 more than the address. */
#define OBJECT_MAP (-1)       /* of any object: its Map */
#define NATIVE_CONTEXT 0x1f   /* of a context's Map */
#define EMBEDDER_DATA 0x2f    /* of a native context: its EmbedderDataArray */
#define ENVIRONMENT 0x10f     /* of that: element 32 (ContextEmbedderIndex::kEnvironment) */
#define NODE_TAG 0x147        /* of that: element 39 (kContextTag) */

/* AsyncContextLayout: the value of the map async_contexts. */
struct context_fields {
    u32 slot;          /* in the isolate: the continuation preserved embedder data; 0 = there is none */
    u16 oddball_type;  /* the instance type of undefined */
    u16 bytecode_type; /* of a BytecodeArray */
    u32 instance_type; /* in a Map: its u16 instance type */
    u32 microtask;     /* in the isolate: the one that runs; 0 = unknown */
};

/* BaselineCodeLayout: the code that V8 has made of a function without optimizing it. */
struct baseline_layout {
    u16 function_data;     /* in SharedFunctionInfo: its Code, or other data; 0 = it is not known how code lies in memory */
    u16 instruction_start; /* in Code: the address of its first instruction; 0 = the instructions are in the Code */
    u16 instructions;      /* in Code: they; 0 = they are apart */
    u16 instruction_size;  /* in Code: a u32 */
};

/* EventLoopLayout: how the event loop of a thread is found. */
struct event_loop_layout {
    u64 default_loop; /* the address of libuv's default_loop_struct, which the main thread runs; 0 = unknown */
    u32 isolate_data; /* in an Environment: the pointer to its IsolateData; 0 = unknown */
    u32 loop;         /* in IsolateData: the pointer to its uv_loop_t */
};

/* StreamListenerLayout: how it is found who reads a stream (uv_readers.bpf.c). */
struct stream_listener_layout {
    u64 parser;        /* the address of the virtual functions that node::Parser has as a StreamListener */
    u64 tls;           /* that of TLSWrap */
    u32 stream_base;   /* in a LibuvStreamWrap: its StreamBase; 0 = nothing here is known */
    u32 message_start; /* the state in which llhttp expects that a message begins */
};

struct context_process {
    s64 isolate;     /* as in struct async_layout */
    u64 isolate_key; /* likewise */
    u64 node_tag;    /* the word by which a context is known to have an Environment */
    u32 context;     /* in the isolate: the current context; 0 = async ids are not read */
    u32 async_ids;   /* in an Environment: the pointer to its async ids */
    struct context_fields fields;
    struct async_layout promises; /* of a V8 whose promises are not known, 0 */
    u32 exit_frame; /* as in struct v8_process */
    u16 function_script; /* in SharedFunctionInfo: its Script, or undefined */
    u16 script_name;     /* in Script: a string */
    struct baseline_layout baseline;
    struct event_loop_layout event_loop;
    struct stream_listener_layout listeners;
};

/*
 * KnownThreadLayout: an entry of the array context_threads, by the lowest bits of the tid. Two threads may write one at
 * the same moment. The check fails then, as it does for a later thread with the same tid and for the first one of another
 * program, and what was read meanwhile is given up.
 */
struct known_thread {
    u64 check;   /* who the thread is ^ all other words */
    u64 ids;     /* the address of its async ids; 0 = not found, looked for at each hit */
    u64 isolate; /* its address */
    u64 loop;    /* the address of its uv_loop_t; 0 = not found, looked for at each hit that needs it */
    u64 nothing; /* what the slot holds when no store is set, undefined; 0 = not seen yet */
    u64 string;  /* the Map of a string of one-byte characters in one piece; 0 = not seen yet */
    struct context_fields fields;
};

#define KNOWN_THREADS 4096

struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(4096);
    MAP_KEY(u32);
    MAP_VALUE(struct context_process);
} async_contexts SEC(".maps");

struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(KNOWN_THREADS);
    MAP_KEY(u32);
    MAP_VALUE(struct known_thread);
} context_threads SEC(".maps");

/* 0 where nothing can be read. */
inline_always u64 read_pointer(u64 address)
{
    u64 pointer;
    return bpf_probe_read_user(&pointer, sizeof(pointer), address) == 0 ? pointer : 0;
}

/* What the check is if the thread is who. */
inline_always u64 check_of(struct known_thread *thread, u64 who)
{
    u64 *words = (u64 *)thread;
    u64 check = who;
#pragma clang loop unroll(full)
    for (u32 i = 1; i < sizeof(*thread) / sizeof(u64); i++)
        check ^= words[i];
    return check;
}

/* Notes in an entry what it has not seen yet. Should the entry be another thread's by now, the check fails. */
inline_always void note(struct known_thread *thread, u64 *field, u64 value)
{
    thread->check ^= *field ^ value;
    *field = value;
}

/* The isolate of the running thread; 0 = it has none. */
inline_always u64 find_isolate(struct context_process *process, u64 thread_pointer)
{
    if (process->isolate_key != 0) {
        /* Before V8 11 the isolate is kept under a key of pthread_getspecific, behind the keys before it. */
        u32 key;
        if (bpf_probe_read_user(&key, sizeof(key), process->isolate_key) != 0 || key >= FIRST_KEYS)
            return 0;
        thread_pointer += (u64)key * KEY_BYTES;
    }
    return read_pointer(thread_pointer + process->isolate);
}

/* The address of the Environment; 0 = there is none, or it is not known where. */
inline_always u64 find_environment(struct context_process *process, u64 isolate)
{
    u64 pointer;
    if (process->context == 0 || !(pointer = read_pointer(isolate + process->context)))
        return 0;
    if (!(pointer = read_pointer(pointer + OBJECT_MAP)) || !(pointer = read_pointer(pointer + NATIVE_CONTEXT)))
        return 0;
    u64 data = read_pointer(pointer + EMBEDDER_DATA);
    return read_pointer(data + NODE_TAG) == process->node_tag ? read_pointer(data + ENVIRONMENT) : 0;
}

/* The address of the event loop of an Environment; 0 = it is not known where. */
inline_always u64 find_loop(struct event_loop_layout *layout, u64 environment)
{
    u64 isolate_data = layout->isolate_data != 0 ? read_pointer(environment + layout->isolate_data) : 0;
    return isolate_data ? read_pointer(isolate_data + layout->loop) : 0;
}

/* ids: the tid, and the tgid in the upper half. */
inline_always int is_main_thread(u64 ids)
{
    return (u32)ids == ids >> 32;
}

/* Makes the entry that of the running thread. Returns whether its isolate is known. */
inline_always int find_thread(struct known_thread *thread, u64 ids, u64 who, u64 thread_pointer)
{
    u32 tgid = ids >> 32;
    struct context_process *process = bpf_map_lookup_elem(&async_contexts, &tgid);
    if (!process)
        return 0;
    u64 isolate = find_isolate(process, thread_pointer);
    if (!isolate)
        return 0;
    u64 environment = find_environment(process, isolate);
    u64 loop = environment ? find_loop(&process->event_loop, environment) : 0;
    thread->ids = environment ? read_pointer(environment + process->async_ids) : 0;
    thread->isolate = isolate;
    thread->loop = loop == 0 && is_main_thread(ids) ? process->event_loop.default_loop : loop;
    thread->nothing = 0;
    thread->string = 0;
    thread->fields = process->fields;
    thread->check = check_of(thread, who);
    return 1;
}
