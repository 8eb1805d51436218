/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection whose request the running thread serves, of code that continues a promise: such code has no async id, and
 * the callback that it follows from may be another request's.
 *
 * The functions that wait for the running one (v8_async_callers.bpf.c) lead to the handler of the request, and one of
 * their parameters, or what they see of a function around them, leads to the stream of libuv:
 *
 *     Reply of fastify, Context of koa ... -> ServerResponse -> IncomingMessage -> net.Socket -> TCP -> TCPWrap -> uv_tcp_t
 *
 * Which property of an object to follow depends on its hidden class, its Map. The collector reads that out of the
 * process's memory when the map has been seen once, and writes it into heap_shapes; until then such objects lead nowhere.
 * A message counts only while the socket's answer is that to it (socket._httpMessage.req), so not when it is answered,
 * and not while it waits for the answer to one before it. If there is a way to another stream, too, none counts.
 *
 * The running function may have called one that another request has left somewhere: the callback of who waits for what
 * the running one gives back. So nothing counts if a function between the running one and the hit is a closure that was
 * made elsewhere, unless it leads to the same stream. Elsewhere is: neither by a function that is on the stack, nor outside
 * of all functions, nor as the only one of its code, nor in a context that stays, nor by Node itself.
 */
#include "v8_async_callers.bpf.c"

struct heap_shape_key {
    u32 tgid;
    u32 unused;
    u64 map; /* tagged; or what is asked about itself, see enum shape_kind */
};

/*
 * HeapShape.Kind: what an object is on the way to a stream. A FeedbackCell, a Context and a SharedFunctionInfo are keys
 * themselves, and lead nowhere.
 */
enum shape_kind {
    SHAPE_UNKNOWN = 0,  /* not looked at yet */
    SHAPE_NOTHING = 1,
    SHAPE_HOLDER = 2,   /* next leads to one of the others */
    SHAPE_RESPONSE = 3, /* next: its message */
    SHAPE_MESSAGE = 4,  /* next: its socket */
    SHAPE_SOCKET = 5,   /* next: its handle; other: the response that is being sent */
    SHAPE_HANDLE = 6,   /* next: the pointer to Node's HandleWrap; other: in that, the pointer to the handle of libuv */
    SHAPE_OF_NODE = 7,  /* the code of a function of Node's own */
};

/* HeapShape: a value of heap_shapes. */
struct heap_shape {
    u64 example; /* an object that had this map when the shape was unknown */
    u32 kind;
    u32 unused;
    u32 next;  /* where a property is: in bytes from the object's begin, or with IN_PROPERTIES from that of its PropertyArray */
    u32 other;
};

#define FEEDBACK_CELL 8 /* in JSFunction, behind its Context (js-function.tq) */
#define CONTEXT_PREVIOUS 0x17 /* of a Context, from a tagged pointer: the one around it */

/* A page of V8's heap, and in its flags FROM_PAGE and TO_PAGE. */
#define PAGE_BYTES (1 << 18)
#define YOUNG_PAGE 0x18

#define IN_PROPERTIES 0x80000000
#define PROPERTIES 8 /* of a JSReceiver: its PropertyArray */

#define MAX_SHAPES 8192

struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(MAX_SHAPES);
    MAP_KEY(struct heap_shape_key);
    MAP_VALUE(struct heap_shape);
} heap_shapes SEC(".maps");

#define MAX_ARGUMENTS 3

/*
 * A frame of JavaScript, from its frame pointer - 24 on (v8_frames.bpf.c, StandardFrameConstants::kArgCOffset). Its arguments
 * stand behind the address at which the caller goes on, the receiver first, which is counted too.
 */
struct called_frame {
    u64 argument_count;
    u64 function;
    u64 context;
    u64 caller;
    u64 return_address;
    u64 receiver;
    u64 arguments[MAX_ARGUMENTS];
};

#define CALLED_FRAME (-24)

/* Frames of any kind between the hit and the running function. */
#define MAX_CALLED_FRAMES 64
/* Closures that are not found to be made on the stack yet. */
#define MAX_STRANGERS 4
/* Contexts around a function that are compared with theirs. */
#define MAX_SCOPES 4

/* What is looked at of each function: its receiver, parameters and first variables, and those of the function around it. */
#define MAX_ELEMENTS 8
#define CANDIDATES (1 + 2 * MAX_ELEMENTS)
/* Objects on the way from one to a stream. */
#define MAX_HOPS 8
#define MAX_LOOKS 64

/* FixedArray and Context: map and length, then the elements. Of a context, the first two are its scope and the one around it. */
#define ARRAY_HEAD 2
#define CONTEXT_HEAD 2

/*
 * What a search keeps. A program may be preempted by that of another thread, so an entry that is in use is not taken; the
 * other thread's hit has no stream then.
 */
struct served_search {
    u64 is_used;
    u64 stream; /* that was found; 0 = none */
    u32 is_contradicted;
    u32 candidate; /* the next to look at */
    u64 candidates[CANDIDATES];
    u64 object; /* the next on the way; 0 = the way is over */
    u64 message;
    u64 hops;
    struct heap_shape_key key;
    struct heap_shape unknown;
    u64 words[ARRAY_HEAD + CONTEXT_HEAD + MAX_ELEMENTS];
    /* Of the frames. */
    u64 running; /* the JSFunction that the microtask has called; 0 = not known */
    u64 native_context;
    u64 frame_pointer;
    u64 function_map; /* of the latest function */
    u64 strangers[MAX_STRANGERS]; /* contexts of closures; 0 = none */
    u64 is_checked; /* all frames have been looked at */
    struct called_frame frame;
    u64 closure[2 + FUNCTION_MASK / sizeof(u64)]; /* its function */
    u64 is_open;       /* something was asked and is not answered yet */
    u64 builtin;       /* a closure of V8's own on the way; 0 = there was none */
    u64 many_closures; /* the Map of the FeedbackCell of a function with several closures, as V8's own have it; 0 = not known */
    /* For follow(): a struct javascript_room without entries, and behind it what is read. */
    u64 room[(sizeof(struct javascript_room) + READ_AHEAD_BYTES) / sizeof(u64)];
};

struct {
    MAP_TYPE(BPF_MAP_TYPE_PERCPU_ARRAY);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(struct served_search);
} served_searches SEC(".maps");

/* In place of a stream: it was searched, and none is sure. */
#define NO_STREAM 1

struct search_walk {
    struct v8_walk walk;
    struct served_search *search;
};

/* What the collector has answered to the key; 0 = nothing yet, it is asked. */
inline_always struct heap_shape *ask(struct served_search *search, u64 example)
{
    struct heap_shape *shape = bpf_map_lookup_elem(&heap_shapes, &search->key);
    if (shape && shape->kind != SHAPE_UNKNOWN)
        return shape;
    search->is_open = 1;
    if (!shape) {
        search->unknown.example = example;
        bpf_map_update_elem(&heap_shapes, &search->key, &search->unknown, BPF_NOEXIST);
    }
    return 0;
}

/* The shape of an object; 0 = not known yet. */
inline_always struct heap_shape *shape_of(struct served_search *search, u64 object)
{
    if (!is_object(object) || bpf_probe_read_user(&search->key.map, sizeof(u64), object - HEAP_OBJECT_TAG) != 0)
        return 0;
    return ask(search, object);
}

/* A property of an object; 0 where it cannot be read. */
inline_always u64 read_property(u64 object, u32 place)
{
    u64 value = object;
    if (place & IN_PROPERTIES && bpf_probe_read_user(&value, sizeof(value), object - HEAP_OBJECT_TAG + PROPERTIES) != 0)
        return 0;
    if (bpf_probe_read_user(&value, sizeof(value), value - HEAP_OBJECT_TAG + (place & ~IN_PROPERTIES)) != 0)
        return 0;
    return value;
}

/* Whether the answer that the socket is sending is that to the message on the way. */
inline_always int is_being_answered(struct served_search *search, u64 socket, u32 response_place)
{
    u64 response = read_property(socket, response_place);
    struct heap_shape *shape = shape_of(search, response);
    return shape && shape->kind == SHAPE_RESPONSE && search->message != 0
        && read_property(response, shape->next) == search->message;
}

/* The uv_stream_t of a handle; 0 = it has none, as when it is closed. Its first word points back (uv_handle_t.data). */
inline_always u64 read_stream(u64 handle, u32 wrap_place, u32 stream_place)
{
    u64 wrap = read_property(handle, wrap_place);
    u64 stream;
    u64 data;
    if (bpf_probe_read_user(&stream, sizeof(stream), wrap + stream_place) != 0
        || bpf_probe_read_user(&data, sizeof(data), stream) != 0)
        return 0;
    return data == wrap ? stream : 0;
}

/* A turn of bpf_loop: one object. Returns 1 when there is nothing more to look at. */
CALLBACK long look_at_object(u32 turn, struct search_walk *of)
{
    struct served_search *search = of->search;
    u64 object = search->object;
    search->object = 0;
    if (object == 0) {
        u32 candidate = search->candidate;
        if (candidate >= CANDIDATES)
            return 1;
        search->candidate = candidate + 1;
        object = search->candidates[candidate];
        search->message = 0;
        search->hops = 0;
    }
    if (search->hops >= MAX_HOPS)
        return 0;
    search->hops++;
    struct heap_shape *shape = shape_of(search, object);
    if (!shape)
        return 0;
    u32 kind = shape->kind;
    u32 next = shape->next;
    u32 other = shape->other;
    if (kind == SHAPE_NOTHING)
        return 0;
    if (kind == SHAPE_HANDLE) {
        u64 stream = search->message ? read_stream(object, next, other) : 0;
        if (stream && search->stream && stream != search->stream)
            search->is_contradicted = 1;
        if (stream)
            search->stream = stream;
        return search->is_contradicted != 0;
    }
    if (kind == SHAPE_MESSAGE)
        search->message = object;
    if (kind == SHAPE_SOCKET && !is_being_answered(search, object, other))
        return 0;
    search->object = read_property(object, next);
    return 0;
}

/* Adds the first elements of a FixedArray, or variables of a Context, to the candidates from one on. */
inline_always void gather(struct served_search *search, u64 array, u32 head, u64 *candidates)
{
    u64 length = 0;
    if (is_object(array)
        && bpf_probe_read_user(search->words, sizeof(search->words), array - HEAP_OBJECT_TAG) == 0)
        length = search->words[1] >> SMI_SHIFT;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ELEMENTS; i++)
        candidates[i] = head + i < length ? search->words[ARRAY_HEAD + head + i] : 0;
}

/* Looks at what a function has: its receiver, parameters and variables, each 0 if there are none. */
inline_always void look_at(struct search_walk *of, u64 function, u64 receiver, u64 registers, u64 context)
{
    struct served_search *search = of->search;
    if (search->running == 0)
        search->running = function;
    search->candidates[0] = receiver;
    gather(search, registers, 0, &search->candidates[1]);
    gather(search, context, CONTEXT_HEAD, &search->candidates[1 + MAX_ELEMENTS]);
    search->candidate = 0;
    search->object = 0;
    bpf_loop(MAX_LOOKS, look_at_object, of, 0);
}

/* A closure of V8's own is on the way. */
inline_always void meet_builtin(struct search_walk *of, u64 closure)
{
    of->search->builtin = closure;
}

/* A turn of bpf_loop: one promise, as follow_promise(). */
CALLBACK long search_promise(u32 turn, struct search_walk *of)
{
    return follow(&of->walk, turn, of) != STEP_DONE || of->search->is_contradicted;
}

/* The function of a frame, with its map, has been read into search->closure. Returns whether it is one. */
inline_always int is_closure(struct search_walk *of)
{
    struct served_search *search = of->search;
    u64 function = search->frame.function;
    if (!is_object(search->frame.context) || !is_object(function)
        || bpf_probe_read_user(search->closure, sizeof(search->closure), function - HEAP_OBJECT_TAG) != 0)
        return 0;
    u64 map = search->closure[0];
    if (map == search->function_map)
        return 1;
    u16 type;
    if (!is_object(map)
        || bpf_probe_read_user(&type, sizeof(type), map - HEAP_OBJECT_TAG + of->walk.instance_type) != 0)
        return 0;
    if (type < of->walk.promises->first_function || type > of->walk.promises->last_function)
        return 0;
    search->function_map = map;
    return 1;
}

/* The closures that were made by a function whose context this is, or a part of, are no strangers. */
inline_always void meet(struct served_search *search, u64 context)
{
    u64 left = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        left |= search->strangers[i];
    if (left == 0)
        return;
#pragma clang loop unroll(full)
    for (u32 scope = 0; scope < MAX_SCOPES; scope++) {
#pragma clang loop unroll(full)
        for (u32 i = 0; i < MAX_STRANGERS; i++)
            if (search->strangers[i] == context)
                search->strangers[i] = 0;
        context = is_object(context) ? read_pointer(context + CONTEXT_PREVIOUS) : 0;
        if (context == 0)
            return;
    }
}

/*
 * Whether there is only one closure of the function, and was when the collector looked last, so that it is no request's: a
 * handler that was made for the whole program, a method of a class. V8 counts them by the Map of their FeedbackCell: that
 * of one closure, or that of many (Factory::JSFunctionBuilder, FastNewClosure).
 */
inline_always int is_only_one(struct search_walk *of)
{
    struct served_search *search = of->search;
    u64 offset = (of->walk.promises->function_context & FUNCTION_MASK) + FEEDBACK_CELL;
    u64 cell = *(u64 *)((void *)search->closure + offset);
    u64 map = is_object(cell) ? read_pointer(cell + OBJECT_MAP) : 0;
    if (!is_object(map) || search->many_closures == 0 || map == search->many_closures)
        return 0;
    search->key.map = cell;
    return ask(search, cell) != 0;
}

/* Whether an object is in the young generation, by the flags of its page (v8/src/heap: MemoryChunk::Flag). */
inline_always int is_young(u64 object)
{
    u64 head[2];
    if (bpf_probe_read_user(head, sizeof(head), object & ~(u64)(PAGE_BYTES - 1)) != 0)
        return 1;
    u64 flags = head[0] == PAGE_BYTES ? head[1] : head[0]; /* before V8 12, the size of the page comes first */
    return (flags & YOUNG_PAGE) != 0;
}

/*
 * Whether a context has survived collections, and was there already when the collector looked last: that of a client, of a
 * connection. What waits for one call has one for this only, which is not called again.
 */
inline_always int is_long_lived(struct served_search *search, u64 context)
{
    if (!is_object(context) || is_young(context))
        return 0;
    search->key.map = context;
    return ask(search, context) != 0;
}

/* Whether the function is one of Node's own, such as FileHandle.close: what of a program that calls shows by itself. */
inline_always int is_of_node(struct search_walk *of)
{
    struct served_search *search = of->search;
    u64 shared = *(u64 *)((void *)search->closure + (of->walk.promises->function_shared & FUNCTION_MASK));
    if (!is_object(shared))
        return 0;
    search->key.map = shared;
    struct heap_shape *shape = ask(search, shared);
    return shape && shape->kind == SHAPE_OF_NODE;
}

/* Whether a function was made outside of all others, as those of a module. */
inline_always int is_of_module(struct served_search *search, u64 context)
{
    return context == search->native_context || read_pointer(context + CONTEXT_PREVIOUS) == search->native_context;
}

/* Looks at a function that the running one has called. Returns 0 if there is no room for it. */
inline_always int check_closure(struct search_walk *of)
{
    struct served_search *search = of->search;
    u64 context = *(u64 *)((void *)search->closure + (of->walk.promises->function_context & FUNCTION_MASK));
    u64 before = search->stream;
    meet(search, search->frame.context);
    search->candidates[0] = search->frame.receiver;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ELEMENTS; i++)
        search->candidates[1 + i] = i < MAX_ARGUMENTS && i + 1 < search->frame.argument_count
            ? search->frame.arguments[i < MAX_ARGUMENTS ? i : 0]
            : 0;
    int is_module = is_of_module(search, context);
    gather(search, is_module ? 0 : context, CONTEXT_HEAD, &search->candidates[1 + MAX_ELEMENTS]);
    search->candidate = 0;
    search->object = 0;
    search->stream = 0;
    bpf_loop(MAX_LOOKS, look_at_object, of, 0);
    u64 found = search->stream;
    search->stream = before;
    if (found && found != before)
        search->is_contradicted = 1;
    if (found || is_module || is_only_one(of) || is_long_lived(search, context) || is_of_node(of))
        return 1;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        if (search->strangers[i] == 0 || search->strangers[i] == context) {
            search->strangers[i] = context;
            return 1;
        }
    return 0;
}

/* A turn of bpf_loop: one frame, from the hit to the running function. Returns 1 when there are no more. */
CALLBACK long check_frame(u32 turn, struct search_walk *of)
{
    struct served_search *search = of->search;
    u64 frame_pointer = search->frame_pointer;
    if (bpf_probe_read_user(&search->frame, sizeof(search->frame), frame_pointer + CALLED_FRAME) != 0)
        return 1;
    u64 caller = search->frame.caller;
    u64 marker = search->frame.context;
    if (marker == ENTRY_MARKER || marker == CONSTRUCT_ENTRY_MARKER) {
        caller = read_pointer(frame_pointer + ENTRY_EXIT_FRAME);
    } else if (is_closure(of)) {
        if (search->frame.function == search->running) {
            meet(search, search->frame.context);
            search->is_checked = 1;
            return 1;
        }
        if (!check_closure(of) || search->is_contradicted)
            return 1;
    }
    if (caller <= frame_pointer || caller % sizeof(u64) != 0)
        return 1;
    search->frame_pointer = caller;
    return 0;
}

/* Whether nothing on the stack shows that the hit may be another request's than the running function. */
inline_always int is_its_own(struct search_walk *of, struct context_process *process, u64 isolate)
{
    struct served_search *search = of->search;
    u64 context = read_pointer(isolate + process->context);
    u64 map = context ? read_pointer(context + OBJECT_MAP) : 0;
    search->native_context = map ? read_pointer(map + NATIVE_CONTEXT) : 0;
    search->frame_pointer = read_pointer(isolate + process->exit_frame);
    if (search->running == 0 || search->native_context == 0 || search->frame_pointer == 0)
        return 0;
    u64 cell = search->builtin - HEAP_OBJECT_TAG + of->walk.promises->function_context + FEEDBACK_CELL;
    cell = search->builtin ? read_pointer(cell) : 0;
    search->many_closures = is_object(cell) ? read_pointer(cell + OBJECT_MAP) : 0;
    search->function_map = 0;
    search->is_checked = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        search->strangers[i] = 0;
    bpf_loop(MAX_CALLED_FRAMES, check_frame, of, 0);
    u64 left = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        left |= search->strangers[i];
    return search->is_checked && left == 0 && !search->is_contradicted;
}

inline_always u64 search_stream(struct served_search *search, u32 tgid, struct context_process *process, u64 isolate, u64 microtask)
{
    struct javascript_room *room = (void *)search->room;
    struct search_walk of = {{room, 0, 0, &process->promises, process->fields.instance_type}, search};
    struct promise_reading *reading = reading_of(&of.walk);
    reading->shared_map = 0;
    reading->closure_map = 0;
    search->stream = 0;
    search->is_contradicted = 0;
    search->running = 0;
    search->builtin = 0;
    search->is_open = 0;
    search->key.tgid = tgid;
    room->frame_pointer = microtask;
    room->function_map = 0;
    bpf_loop(MAX_PROMISES, search_promise, &of, 0);
    if (search->stream == 0 && search->is_open)
        return 0;
    if (search->stream == 0 || search->is_contradicted || !is_its_own(&of, process, isolate))
        return NO_STREAM;
    return search->stream;
}

/*
 * Finds the stream of the request that a microtask serves: context->served_stream, which is 0 before, and stays so where
 * it cannot be searched, or not yet.
 *
 * context: with the microtask that runs
 * ids: the tid, and the tgid in the upper half
 */
LINKED int find_served_stream(struct async_context *context, u64 ids)
{
    u32 tgid = ids >> 32;
    u32 thread_index = ids & (KNOWN_THREADS - 1);
    u32 index = 0;
    u64 microtask = context->microtask;
    if (!microtask)
        return 0;
    struct context_process *process = bpf_map_lookup_elem(&async_contexts, &tgid);
    struct served_search *search = bpf_map_lookup_elem(&served_searches, &index);
    struct known_thread *thread = bpf_map_lookup_elem(&context_threads, &thread_index);
    if (!process || !search || !thread || process->promises.current_microtask == 0 || process->exit_frame == 0)
        return 0;
    context->served_stream = NO_STREAM;
    if (__sync_val_compare_and_swap(&search->is_used, 0, 1) != 0)
        return 0;
    context->served_stream = search_stream(search, tgid, process, thread->isolate, microtask);
    search->is_used = 0;
    return 0;
}
