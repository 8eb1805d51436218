/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closures on the stack: which of them are strangers, that is, may have been left by another request
 * (v8_served_stream.bpf.c).
 */
#pragma once

#include "v8_objects.bpf.c"

/* Whether a Map is that of functions. */
inline_always int is_function_map(struct served_search *search, u64 map)
{
    u16 *type = &search->type;
    if (!is_object(map) || bpf_probe_read_user(type, sizeof(*type), map - HEAP_OBJECT_TAG + search->instance_type) != 0)
        return 0;
    return *type >= search->promises.first_function && *type <= search->promises.last_function;
}

/* Reads the function of a frame, with its map, into search->closure. Returns whether it is one. */
inline_always int is_closure(struct served_search *search)
{
    u64 function = search->frame.function;
    u64 size = (search->promises.function_context & FUNCTION_MASK) + FUNCTION_END; /* nothing may be mapped behind it */
    if (!is_object(function) || bpf_probe_read_user(search->closure, size, function - HEAP_OBJECT_TAG) != 0)
        return 0;
    u64 map = search->closure[0];
    if (map == search->function_map)
        return 1;
    if (!is_function_map(search, map))
        return 0;
    search->function_map = map;
    return 1;
}

/* The closures that were made by a function whose context this is, or a part of, are no strangers. */
GLOBAL int meet(u64 context)
{
    struct served_search *search = search_in_use();
    u64 left = 0;
    if (!search)
        return 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        left |= search->strangers[i];
    if (left == 0)
        return 0;
#pragma clang loop unroll(full)
    for (u32 scope = 0; scope < MAX_SCOPES; scope++) {
#pragma clang loop unroll(full)
        for (u32 i = 0; i < MAX_STRANGERS; i++)
            search->strangers[i] &= -is_not_zero(search->strangers[i] ^ context);
        context = is_object(context) ? read_pointer(context + CONTEXT_PREVIOUS) : 0;
        if (context == 0)
            return 0;
    }
    return 0;
}

/*
 * Whether the key was on the stack in another turn of the thread, since V8 has collected the old generation: so it is called
 * again and again. After a collection another object may be at its address.
 */
GLOBAL int was_called(u64 object)
{
    struct served_search *search = search_in_use();
    if (!search || search->call.relocations == 0)
        return 0;
    search->key.word = object;
    struct function_call *call = bpf_map_lookup_elem(&function_calls, &search->key);
    if (call && call->relocations == search->call.relocations)
        return call->turn != search->call.turn;
    bpf_map_update_elem(&function_calls, &search->key, &search->call, BPF_ANY);
    return 0;
}

/* The FeedbackCell of a JSFunction; 0 if it cannot be read. */
inline_always u64 read_cell(struct served_search *search, u64 function)
{
    return read_pointer(function - HEAP_OBJECT_TAG + search->promises.function_context + FEEDBACK_CELL);
}

/*
 * The Map of the FeedbackCell of all functions of V8's own, which stands for many closures; 0 = not known. Function.prototype
 * is one, to which the prototypes of all functions lead: that of an async one in two steps, through AsyncFunction.prototype.
 */
inline_always u64 find_many_closures(struct served_search *search)
{
    u64 map = search->closure[0];
#pragma clang loop unroll(full)
    for (u32 step = 0; step < 2; step++) {
        u64 prototype = read_pointer(map + MAP_PROTOTYPE);
        map = is_object(prototype) ? read_pointer(prototype + OBJECT_MAP) : 0;
        if (is_function_map(search, map)) {
            u64 cell = read_cell(search, prototype);
            return is_object(cell) ? read_pointer(cell + OBJECT_MAP) : 0;
        }
    }
    return 0;
}

/*
 * The FeedbackCell of a function of which there is only one closure; 0 = there are several. V8 counts them by the Map of
 * their FeedbackCell: that of one closure, or that of many (Factory::JSFunctionBuilder, FastNewClosure).
 */
inline_always u64 cell_of_only_one(struct served_search *search)
{
    u64 offset = (search->promises.function_context & FUNCTION_MASK) + FEEDBACK_CELL;
    u64 cell = *(u64 *)((void *)search->closure + offset);
    u64 map = is_object(cell) ? read_pointer(cell + OBJECT_MAP) : 0;
    if (search->many_closures == 0)
        search->many_closures = find_many_closures(search);
    return map && search->many_closures && map != search->many_closures ? cell : 0;
}

enum generation {
    NOT_KNOWN,
    YOUNG,
    OLD,
};

/* That of an object, by the flags of its page (v8/src/heap: MemoryChunk::Flag). */
inline_always enum generation generation_of(u64 object)
{
    u64 head[2];
    if (bpf_probe_read_user(head, sizeof(head), object & ~(u64)(PAGE_BYTES - 1)) != 0)
        return NOT_KNOWN;
    u64 flags = head[0] == PAGE_BYTES ? head[1] : head[0]; /* before V8 12, the size of the page comes first */
    return flags & YOUNG_PAGE ? YOUNG : OLD;
}

/*
 * Whether a closure is no request's: a handler that was made for the whole program, a method of a client, a listener of a
 * connection. It is called again and again; what waits for one call is not. Young objects move.
 */
inline_always int is_of_many_calls(struct served_search *search, u64 function)
{
    u64 cell = cell_of_only_one(search);
    if (cell)
        return was_called(cell);
    int is_again = generation_of(function) == OLD && was_called(function);
    search->is_called_again |= is_again;
    return is_again;
}

/* How the names of Node's own scripts begin, "node:"; V8 has the characters of such a string behind its map, hash and length. */
#define NODE_SCRIPT 0x3a65646f6eULL
#define NODE_SCRIPT_MASK 0xffffffffffULL
#define STRING_CHARACTERS 16

/*
 * Whether a SharedFunctionInfo is that of a function of Node's own, by the name of its script, or of V8's, which has none.
 * SHAPE_UNKNOWN if it cannot be read.
 */
inline_always enum shape_kind kind_of_code(struct served_search *search, u64 shared)
{
    u64 script = read_pointer(shared - HEAP_OBJECT_TAG + search->function_script);
    u64 map = is_object(script) ? read_pointer(script + OBJECT_MAP) : 0;
    u16 *type = &search->type;
    if (!is_object(map) || bpf_probe_read_user(type, sizeof(*type), map - HEAP_OBJECT_TAG + search->instance_type) != 0)
        return SHAPE_UNKNOWN;
    if (*type == search->oddball_type) {
        u64 builtin = read_pointer(shared - HEAP_OBJECT_TAG + (search->promises.builtin & BUILTIN_MASK));
        int is_promise = builtin == (u64)search->promises.promise_constructor << SMI_SHIFT;
        return is_promise ? SHAPE_PROMISE_CONSTRUCTOR : SHAPE_OF_NODE;
    }
    u64 name = read_pointer(script - HEAP_OBJECT_TAG + search->script_name);
    u64 characters = is_object(name) ? read_pointer(name - HEAP_OBJECT_TAG + STRING_CHARACTERS) : 0;
    return (characters & NODE_SCRIPT_MASK) == NODE_SCRIPT ? SHAPE_OF_NODE : SHAPE_NOTHING;
}

/*
 * Of the function in search->closure, whether it is one of Node's own, such as FileHandle.close, or V8's: what of a program
 * that calls shows by itself.
 */
inline_always enum shape_kind kind_of_function(struct served_search *search)
{
    u64 shared = *(u64 *)((void *)search->closure + (search->promises.function_shared & FUNCTION_MASK));
    if (!is_object(shared))
        return SHAPE_NOTHING;
    search->key.word = shared;
    struct heap_shape *shape = answer_to(search);
    if (shape)
        return shape->kind;
    enum shape_kind kind = kind_of_code(search, shared);
    if (kind == SHAPE_UNKNOWN)
        return SHAPE_NOTHING;
    search->unknown.example = shared;
    search->unknown.kind = kind;
    bpf_map_update_elem(&heap_shapes, &search->key, &search->unknown, BPF_ANY);
    search->unknown.kind = SHAPE_UNKNOWN;
    return kind;
}

/* Whether a function was made outside of all others, as those of a module. */
inline_always int is_of_module(struct served_search *search, u64 context)
{
    return context == search->native_context || read_pointer(context + CONTEXT_PREVIOUS) == search->native_context;
}

/* Whether there are closures that are not found to be made on the stack. */
inline_always int are_strangers_left(struct served_search *search)
{
    u64 left = search->stranger_count > MAX_STRANGERS; /* there was no room for the outer ones */
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        left |= search->strangers[i];
    return left != 0;
}

/*
 * Whether an object is an AsyncResource. What a function of Node's calls for one, as runInAsyncScope() does, has the async id
 * of that, whatever has called it.
 */
inline_always int is_resource(struct served_search *search, u64 object)
{
    if (!is_object(object))
        return 0;
    search->key.word = read_pointer(object + OBJECT_MAP);
    struct heap_shape *shape = search->key.word ? shape_of_map(search, object) : 0;
    search->is_scope_open |= !shape;
    return shape && shape->kind == SHAPE_RESOURCE;
}
