/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way from an object to the stream of a connection, along properties whose places the collector answers (heap_shapes).
 * What is to be looked at are the candidates: they are added by who calls, and are looked at in their order.
 */
#pragma once

#include "v8_served_search.h"

/* Objects on the way from one to a stream. */
#define MAX_HOPS 8
#define MAX_LOOKS 64

/* What the collector has answered to the key; 0 = nothing yet. */
inline_always struct heap_shape *answer_to(struct served_search *search)
{
    struct heap_shape *shape = bpf_map_lookup_elem(&heap_shapes, &search->key);
    return shape && shape->kind != SHAPE_UNKNOWN ? shape : 0;
}

/* What the collector has answered to the key, which is asked if it is new; 0 = nothing yet. */
inline_always struct heap_shape *ask(struct served_search *search, u64 example)
{
    struct heap_shape *shape = answer_to(search);
    if (shape)
        return shape;
    search->is_open++;
    search->unknown.example = example;
    if (bpf_map_update_elem(&heap_shapes, &search->key, &search->unknown, BPF_NOEXIST) == 0
        && bpf_ringbuf_output(&shape_questions, &search->key, QUESTION_BYTES, BPF_RB_FORCE_WAKEUP) != 0)
        bpf_map_delete_elem(&heap_shapes, &search->key); /* there is no room for it: it is asked again */
    return 0;
}

/*
 * The shape of the object whose Map is in the key; 0 = not known yet. Before V8 13, Object.setPrototypeOf() gives each
 * object a Map of its own, as Express does it with messages. What all those of the prototype are is known by one.
 */
inline_always struct heap_shape *shape_of_map(struct served_search *search, u64 object)
{
    struct heap_shape *shape = answer_to(search);
    if (shape)
        return shape;
    u64 map = search->key.word;
    search->key.word = is_object(map) ? read_pointer(map + MAP_PROTOTYPE) : 0;
    search->key.kind = KEY_PROTOTYPE;
    shape = answer_to(search);
    search->key.word = map;
    search->key.kind = KEY_OBJECT;
    return shape ? shape : ask(search, object);
}

/* Reads the begin of an object. Returns whether it has a Map, which is in the key then. */
inline_always int read_head(struct served_search *search, u64 object)
{
    if (!is_object(object))
        return 0;
    search->is_head_read = bpf_probe_read_user(search->head, sizeof(search->head), object - HEAP_OBJECT_TAG) == 0;
    if (!search->is_head_read
        && bpf_probe_read_user(search->head, 2 * sizeof(u64), object - HEAP_OBJECT_TAG) != 0)
        return 0;
    search->key.word = search->head[0];
    return 1;
}

/* A property of the object whose head has been read; 0 where it cannot be read. */
inline_always u64 property(struct served_search *search, u64 object, u32 place)
{
    u32 offset = place & ~IN_PROPERTIES;
    if (place & IN_PROPERTIES)
        return is_object(search->head[PROPERTIES]) ? read_pointer(search->head[PROPERTIES] - HEAP_OBJECT_TAG + offset) : 0;
    if (search->is_head_read && offset < sizeof(search->head))
        return search->head[(offset / sizeof(u64)) & (HEAD_WORDS - 1)];
    return read_pointer(object - HEAP_OBJECT_TAG + offset);
}

/* Whether the answer that a socket is sending is that to the message on the way. */
inline_always int is_being_answered(struct served_search *search, u64 response)
{
    if (search->message == 0 || !read_head(search, response))
        return 0;
    struct heap_shape *shape = shape_of_map(search, response);
    return shape && shape->kind == SHAPE_RESPONSE && property(search, response, shape->next) == search->message;
}

/* The uv_stream_t of Node's HandleWrap; 0 = it has none, as when it is closed. Its first word points back (uv_handle_t.data). */
inline_always u64 read_stream(u64 wrap, u32 place)
{
    u64 stream = read_pointer(wrap + place);
    return stream && read_pointer(stream) == wrap ? stream : 0;
}

/* What may be a function that calls who waits is looked at later, once. If there is no room for it, nothing is sure. */
inline_always void note_callee(struct served_search *search, u64 callee)
{
    u64 count = search->callee_count;
    if (count >= CALLEES) {
        search->is_contradicted = 1;
        return;
    }
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < CALLEES && i < count; i++)
        if (search->callees[i] == callee)
            return;
    search->callees[count & (CALLEES - 1)] = callee;
    search->callee_count = count + 1;
}

/* A turn of bpf_loop: one object. Returns 1 when there is nothing more to look at. */
CALLBACK long look_at_object(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    u64 object = search->object;
    search->object = 0;
    if (object == 0) {
        u64 candidate = search->candidate;
        if (candidate >= search->candidate_count)
            return 1;
        search->candidate = candidate + 1;
        object = search->candidates[candidate & (CANDIDATES - 1)];
        search->message = 0;
        search->hops = 0;
    }
    if (search->hops >= MAX_HOPS || !read_head(search, object))
        return 0;
    search->hops++;
    struct heap_shape *shape = shape_of_map(search, object);
    if (!shape || shape->kind == SHAPE_NOTHING)
        return 0;
    int is_sent = shape->kind >= SHAPE_CALLER && shape->kind != SHAPE_LIST && shape->next;
    is_sent |= shape->kind == SHAPE_SOCKET && search->outermost == 0;
    if (is_sent && search->hops == 1 && search->candidate <= search->argument_end && search->caller == 0) {
        search->caller = object;
        search->caller_strangers = search->stranger_count;
    }
    if (shape->kind >= SHAPE_CALLER) {
        search->is_of_package |= shape->kind == SHAPE_PACKAGE;
        if (shape->kind == SHAPE_CALLER && shape->other && search->phase != OF_MICROTASK)
            note_callee(search, object);
        return 0;
    }
    u32 kind = shape->kind;
    u32 other = shape->other;
    u64 next = property(search, object, shape->next);
    if (kind == SHAPE_HANDLE) {
        search->stream = search->message ? read_stream(next, other) : 0;
        return search->stream != 0;
    }
    if (kind == SHAPE_MESSAGE)
        search->message = object;
    if (kind == SHAPE_SOCKET && !is_being_answered(search, property(search, object, other)))
        return 0;
    search->object = next;
    return 0;
}

inline_always void begin_candidates(struct served_search *search)
{
    search->candidate_count = 0;
    search->argument_end = 0;
    search->is_of_package = 0;
}

/* Whether a word is not 0, without a branch: the verifier goes along each, which takes the time of a start. */
inline_always u64 is_not_zero(u64 word)
{
    return (word | -word) >> 63;
}

/* Whether one is less than the other, of which none has bit 63, or the other is negative. */
inline_always u64 is_less(u64 one, u64 other)
{
    return (s64)other < 0 ? 0 : (one - other) >> 63;
}

/* Adds a word to the candidates, if it is an object and wanted. */
inline_always void add_candidate(struct served_search *search, u64 word, int is_wanted)
{
    if (is_wanted && is_object(word))
        search->candidates[search->candidate_count++ & (CANDIDATES - 1)] = word;
}

/* Reads a FixedArray or a Context, from its address on, into search->words. Nothing may be mapped behind a short one. */
inline_always int read_elements(struct served_search *search, u64 address)
{
    u64 *words = search->words;
    if (bpf_probe_read_user(words, sizeof(search->words), address) == 0)
        return 1;
    if (bpf_probe_read_user(words, ARRAY_HEAD * sizeof(u64), address) != 0)
        return 0;
    u64 size = (ARRAY_HEAD + (words[1] >> SMI_SHIFT)) * sizeof(u64);
    return size < sizeof(search->words) && bpf_probe_read_user(words, size, address) == 0;
}

/*
 * Adds the first elements of a FixedArray, or variables of a Context.
 *
 * head: ARRAY_HEAD, or with what a Context has before its variables
 */
GLOBAL int add_elements(u64 array, u64 head)
{
    struct served_search *search = search_in_use();
    if (!search || !is_object(array) || !read_elements(search, array - HEAP_OBJECT_TAG))
        return 0;
    u64 *elements = search->words + (head == ARRAY_HEAD ? ARRAY_HEAD : ARRAY_HEAD + CONTEXT_HEAD);
    u64 length = (search->words[1] >> SMI_SHIFT) - (head - ARRAY_HEAD);
    u64 count = search->candidate_count;
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < MAX_ELEMENTS; i++) {
        search->candidates[count & (CANDIDATES - 1)] = elements[i];
        count += is_less(i, length) & ~is_not_zero((elements[i] & TAG_MASK) ^ HEAP_OBJECT_TAG);
    }
    search->candidate_count = count;
    return 0;
}

/* Looks at the candidates, in their order, until one leads to a stream. */
GLOBAL int look_at_candidates(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    search->candidate = 0;
    search->object = 0;
    bpf_loop(MAX_LOOKS, look_at_object, &search, 0);
    return 0;
}

/* A turn of bpf_loop: one candidate. Returns 1 when there is nothing more to add. */
CALLBACK long add_callee(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    if (turn >= search->candidate_count)
        return 1;
    note_callee(search, search->candidates[turn & (CANDIDATES - 1)]);
    return 0;
}

/* The candidates may be functions that call who waits. */
GLOBAL int add_callees(void)
{
    struct served_search *search = search_in_use();
    if (search)
        bpf_loop(CANDIDATES, add_callee, &search, 0);
    return 0;
}

/* What takes the result of a promise on the way may be a function that calls who waits. */
GLOBAL int add_handler(void)
{
    struct served_search *search = search_in_use();
    if (search && search->handler)
        note_callee(search, search->handler);
    return 0;
}

/* What a function has is to be looked at: its receiver, parameters and variables, each 0 if there are none. */
GLOBAL int look_at(u64 function, u64 receiver, u64 registers, u64 context)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    add_candidate(search, receiver, 1);
    add_elements(registers, ARRAY_HEAD);
    add_elements(context, ARRAY_HEAD + CONTEXT_HEAD);
    if (search->running == 0) {
        search->running = function;
        search->is_first = 1;
    }
    return 0;
}

/* The microtask has called a function whose variables are not needed. */
inline_always void runs(struct served_search *search, u64 function)
{
    search->running = function;
}

/* The function takes the result of a promise on the way: it may call who waits, if nobody waits for what it returns. */
inline_always void handles(struct served_search *search, u64 function)
{
    search->handler = function;
}

/* A promise on the way has a further reaction: all that wait for it are to be of one request. */
inline_always void add_reaction(struct served_search *search, u64 reaction)
{
    u32 count = search->reaction_count;
    search->is_branched = 1;
    if (count >= MAX_REACTIONS) {
        search->is_branch_lost = 1;
        return;
    }
    search->reactions[count & (MAX_REACTIONS - 1)] = reaction;
    search->reaction_count = count + 1;
}
