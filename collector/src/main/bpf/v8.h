/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V8's objects, and what programs and the collector share of them. SharedLayoutsTest compares each struct here with its
 * class in dev.probestream.collector.internal.program.layout.
 *
 * A pointer to an object of V8 is tagged: its lowest two bits are 01. A small integer (Smi) has its value in the upper 32
 * bits, and the lower ones are 0 (no pointer compression: Node.js does not use it). An object begins with a pointer to
 * its map, and a map has the instance type of its objects.
 */
#pragma once

#include "kernel.h"

#define TAG_MASK 3
#define HEAP_OBJECT_TAG 1
#define SMI_SHIFT 32

/* glibc's struct pthread_key_data, and how many of them a struct pthread has. */
#define KEY_BYTES 16
#define FIRST_KEYS 32

/* AsyncCallerLayout: where what is needed of promises lies in the V8 of a process. */
struct async_layout {
    s64 isolate;           /* added to a thread's pointer: the address at which that of its isolate is */
    u64 isolate_key;       /* address of a key of pthread_getspecific, which is to be counted in, too; 0 = none */
    u32 current_microtask; /* in the isolate */
    u32 reaction;          /* in PromiseReaction: next; behind it reject handler, fulfill handler, promise or capability */
    u32 function_shared;   /* in JSFunction: its SharedFunctionInfo */
    u32 function_context;  /* in JSFunction: its Context */
    u32 builtin;           /* in SharedFunctionInfo: the number of the builtin, a Smi */
    u32 thread_pointer;    /* in task_struct; 0 = the isolate cannot be found */
    /* Instance types. */
    u16 fulfill_task;
    u16 reject_task;
    u16 promise;
    u16 promise_reaction;
    u16 async_function;
    u16 async_generator;
    u16 generator_request;
    u16 capability;
    u16 first_function;
    u16 last_function;
    u16 shared_function_info;
    /* Numbers of builtins. */
    u16 function_await_resolve;
    u16 generator_await_resolve;
    u16 generator_yield_resolve;
    u16 function_await_reject;
    u16 generator_await_reject;
    u16 all_resolve;
    u16 all_settled_resolve;
    u16 any_reject;
    u16 capability_resolve;
    /* Further instance types. */
    u16 callable_task;
    u16 thenable_task;
    u16 promise_constructor; /* a builtin */
};

/* V8ProcessLayout: the value of the map v8_processes. */
struct v8_process {
    u64 relocations;         /* changes with each collection that moves objects */
    u32 first_function_type; /* instance types of JSFunction */
    u32 last_function_type;
    u32 instance_type;       /* in Map */
    u32 shared;              /* in JSFunction: its SharedFunctionInfo; at most MAX_SHARED */
    u32 exit_frame;          /* in the isolate: the frame pointer of the last exit frame; 0 = not known */
    u32 unused;
    struct async_layout async;
};

#define MAX_SHARED 32

struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(4096);
    MAP_KEY(u32);
    MAP_VALUE(struct v8_process);
} v8_processes SEC(".maps");

/* JavaScriptRoom: the frames of a sample. */
struct javascript_entry {
    u64 pc;     /* where the frame goes on; 0 = not known; an enum async_kind for an async caller */
    u64 shared; /* its SharedFunctionInfo, tagged */
    u64 word;   /* the Smi at the frame pointer - 40: of an interpreted frame, the bytecode offset; else 0 */
};

struct javascript_room {
    u32 count;
    u32 flags;
    u64 relocations;
    /* Of the programs while they walk. */
    u64 frame_pointer;
    u64 pc;
    u64 function_map;
    u64 isolate;
    struct javascript_entry entries[];
};

/* Behind the last entry, or at the place of the next one: what is read of V8's memory. */
#define READ_AHEAD_BYTES 128

/* Flags of a room. */
#define CUT 1        /* there are more frames than entries */
#define UNREADABLE 2 /* the walk ended where memory could not be read */
#define ASYNC_CUT 4  /* there are more async callers than were read */

#define MAX_ASYNC_CALLERS 16

/* AsyncKind: stands in the place of a pc. */
enum async_kind {
    ASYNC_AWAIT = 1,
    ASYNC_ALL = 2,
    ASYNC_ALL_SETTLED = 3,
    ASYNC_ANY = 4,
};

/* What a walk needs of a hit. */
struct v8_walk {
    struct javascript_room *room;
    struct v8_process *process;     /* of a walk along frames */
    u64 capacity;                   /* of the room, in entries */
    struct async_layout *promises;  /* of a walk along promises */
    u64 instance_type;              /* in Map */
};

inline_always int is_object(u64 tagged)
{
    return (tagged & TAG_MASK) == HEAP_OBJECT_TAG;
}

inline_always int is_smi(u64 word)
{
    return (u32)word == 0;
}
