/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames of JavaScript in the running thread.
 *
 * V8 keeps frame pointers in all of its code, interpreted, baseline or optimised:
 *
 *     frame pointer + 8   address at which the caller goes on
 *                     0   the caller's frame pointer
 *                   - 8   context of a JavaScript frame (tagged), else the type of the frame
 *                   -16   JSFunction
 *                   -32   bytecode array, of interpreted and baseline frames
 *                   -40   bytecode offset (Smi), of interpreted frames
 *
 * (v8/src/execution/frame-constants.h). A frame is one of JavaScript if both its context and its function are tagged
 * pointers and the map of the function has an instance type of JSFunction. Code of C++ in between need not have frame
 * pointers: V8 remembers the frame by which it was left (the exit frame), in the isolate for the innermost and in each
 * entry frame for the one before.
 *
 * What is read and what is kept from frame to frame lies in the sample, not on the stack.
 */
#include "v8_async_callers.bpf.c"

/* Frames of any kind that are looked at: there are those of C++ and of V8's own code between those of JavaScript. */
#define MAX_WALKED_FRAMES 256

/* As large as stacks of threads usually are, at most. */
#define MAX_STACK_BYTES (64 << 20)

/* Keeps what is added to a pointer below 64, as the verifier demands; offsets are at most MAX_SHARED. */
#define SHARED_MASK 0x38

/* In an entry frame: the frame pointer of the exit frame before it (JSEntry in builtins-x64.cc). */
#define ENTRY_EXIT_FRAME (-64)

/* In place of the context in entry frames: StackFrame::TypeToMarker of ENTRY and CONSTRUCT_ENTRY. */
#define ENTRY_MARKER (1 << 1)
#define CONSTRUCT_ENTRY_MARKER (2 << 1)

/* The frame at its lowest word. */
struct v8_frame {
    u64 word;
    u64 bytecode_array;
    u64 other;
    u64 function;
    u64 context;
    u64 caller; /* its frame pointer */
    u64 return_address;
};

#define FRAME_WORD (-40)

/* What is read of a frame, at the place of the next entry, which is written over its first words. */
struct frame_reading {
    union {
        struct v8_frame frame;
        struct javascript_entry entry;
    };
    u64 object[1 + MAX_SHARED / 8]; /* the function */
    u16 type;                       /* the instance type of its map */
};

_Static_assert(sizeof(struct frame_reading) <= READ_AHEAD_BYTES, "a frame does not fit behind the last entry");

/* Whether the object that has been read is a function: its map's type, unless it is the map of the function before. */
inline_always int is_function(struct v8_walk *walk, struct frame_reading *reading)
{
    u64 map = reading->object[0];
    if (map == walk->room->function_map)
        return 1;
    if (!is_object(map))
        return 0;
    u64 address = map - HEAP_OBJECT_TAG + walk->process->instance_type;
    if (bpf_probe_read_user(&reading->type, sizeof(reading->type), address) != 0)
        return 0;
    if (reading->type < walk->process->first_function_type || reading->type > walk->process->last_function_type)
        return 0;
    walk->room->function_map = map;
    return 1;
}

/* Makes an entry of a frame that is one of JavaScript. Returns whether there was room. */
inline_always int add_frame(struct v8_walk *walk, struct frame_reading *reading)
{
    struct javascript_room *room = walk->room;
    if (!is_object(reading->frame.context) || !is_object(reading->frame.function))
        return 1;
    u64 function = reading->frame.function - HEAP_OBJECT_TAG;
    if (bpf_probe_read_user(reading->object, sizeof(reading->object), function) != 0)
        return 1;
    if (!is_function(walk, reading))
        return 1;
    u64 offset = walk->process->shared & SHARED_MASK;
    u64 shared = *(u64 *)((void *)reading->object + offset);
    if (!is_object(shared))
        return 1;
    u64 count = room->count;
    if (count >= walk->capacity)
        return 0;
    room->count = count + 1;
    /* Compiled frames have any word there, another one at each hit: equal stacks would not be equal. */
    u64 word = reading->frame.word;
    reading->entry.word = is_smi(word) ? word : 0;
    reading->entry.shared = shared;
    reading->entry.pc = room->pc;
    return 1;
}

/*
 * Where C++ has called JavaScript, the entry frame has the address of the exit frame by which that C++ was called from
 * JavaScript; the outermost has 0. Only above a frame of JavaScript, which has V8's frames around it: C++ may have any
 * word in the place of the marker.
 */
inline_always int is_entry_frame(struct v8_walk *walk, struct frame_reading *reading)
{
    u64 marker = reading->frame.context;
    return (marker == ENTRY_MARKER || marker == CONSTRUCT_ENTRY_MARKER) && walk->room->count != 0
        && walk->process->exit_frame != 0;
}

/* A turn of bpf_loop: one frame. Returns 1 when there are no more. */
CALLBACK long walk_frame(u32 index, struct v8_walk *walk)
{
    struct javascript_room *room = walk->room;
    u64 count = room->count;
    if (count > walk->capacity)
        return 1;
    struct frame_reading *reading = (void *)&room->entries[count];
    u64 frame_pointer = room->frame_pointer;
    if (bpf_probe_read_user(&reading->frame, sizeof(reading->frame), frame_pointer + FRAME_WORD) != 0) {
        room->flags = UNREADABLE;
        return 1;
    }
    if (!add_frame(walk, reading)) {
        room->flags = CUT;
        return 1;
    }
    u64 caller = reading->frame.caller;
    if (is_entry_frame(walk, reading)) {
        if (bpf_probe_read_user(reading->object, sizeof(u64), frame_pointer + ENTRY_EXIT_FRAME) != 0)
            return 1;
        caller = reading->object[0];
    } else {
        room->pc = reading->frame.return_address;
    }
    /* The stack grows downwards: the caller's frame lies above. */
    if (caller <= frame_pointer || caller % sizeof(u64) != 0)
        return 1;
    room->frame_pointer = caller;
    return 0;
}

/*
 * The isolate of the running thread: from the thread's pointer, as the kernel keeps it, through V8's thread-local
 * variable or, before V8 11, its key of pthread_getspecific. 0 = the thread has none, or it cannot be found.
 */
inline_always u64 read_isolate(struct javascript_room *room, struct async_layout *layout)
{
    if (layout->thread_pointer == 0)
        return 0;
    u64 *word = &room->isolate;
    if (bpf_probe_read_kernel(word, sizeof(*word), bpf_get_current_task() + layout->thread_pointer) != 0)
        return 0;
    u64 thread = *word;
    u64 key_address = layout->isolate_key;
    if (key_address != 0) {
        if (bpf_probe_read_user(word, sizeof(u32), key_address) != 0)
            return 0;
        u32 key = *(u32 *)word;
        if (key >= FIRST_KEYS)
            return 0;
        thread += (u64)key * KEY_BYTES;
    }
    if (bpf_probe_read_user(word, sizeof(*word), thread + layout->isolate) != 0)
        return 0;
    return *word;
}

/*
 * In C++ that JavaScript has called, V8 knows the frame that it was left with, and the walk begins there. Returns 0 where
 * there is none above the stack pointer.
 */
inline_always u64 read_exit_frame(struct javascript_room *room, struct v8_process *process, u64 stack_pointer)
{
    if (room->isolate == 0 || process->exit_frame == 0)
        return 0;
    if (bpf_probe_read_user(&room->function_map, sizeof(u64), room->isolate + process->exit_frame) != 0)
        return 0;
    u64 frame = room->function_map;
    return frame - stack_pointer <= MAX_STACK_BYTES && frame % sizeof(u64) == 0 ? frame : 0;
}

/*
 * Writes the frames of the running thread and its async callers to a room.
 *
 * capacity: in entries; the room has READ_AHEAD_BYTES behind them
 * frame_pointer, stack_pointer: of the thread in user mode
 */
LINKED int v8_frames(struct javascript_room *room, u32 tgid, u64 capacity, u64 frame_pointer, u64 stack_pointer)
{
    room->count = 0;
    room->flags = 0;
    struct v8_process *process = bpf_map_lookup_elem(&v8_processes, &tgid);
    if (!process)
        return 0;
    room->relocations = process->relocations;
    room->isolate = read_isolate(room, &process->async);
    u64 exit_frame = read_exit_frame(room, process, stack_pointer);
    room->frame_pointer = exit_frame != 0 ? exit_frame : frame_pointer;
    room->pc = 0;
    room->function_map = 0;
    struct v8_walk walk = {room, process, capacity, &process->async, process->instance_type};
    if (bpf_loop(MAX_WALKED_FRAMES, walk_frame, &walk, 0) >= MAX_WALKED_FRAMES)
        room->flags = CUT;
    if (room->count != 0 && room->flags == 0 && room->isolate != 0)
        read_async_callers(&walk);
    return 0;
}
