/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for what a function calls: from what it sees, over the functions and objects there, to the promises that these
 * resolve, and from each promise to the functions that await it.
 */
#pragma once

#include "v8_called_frames.bpf.c"

/* Steps from a function to one that it sees, and from an object on the stack. */
#define MAX_CALLEE_STEPS 4
#define MAX_CALLER_STEPS 8

/*
 * The listeners of an EventEmitter are in an object with a property for each event, mostly a NameDictionary: map, length, three
 * counts and more words, then for each event its name, the listener and details (v8/src/objects/dictionary.h).
 */
#define DICTIONARY_CAPACITY 4
#define DICTIONARY_HEAD 5
#define MAX_DICTIONARY_HEAD 10
#define DICTIONARY_ENTRY 3
#define MAX_EVENTS 16

/*
 * Adds the variables of a context, unless it may be of several requests, as it has survived collections. Returns the one
 * around it; 0 if there is none.
 */
inline_always u64 add_scope(struct served_search *search, u64 context)
{
    if (!is_object(context) || is_of_module(search, context) || generation_of(context) != YOUNG)
        return 0;
    add_elements(context, ARRAY_HEAD + CONTEXT_HEAD);
    return read_pointer(context + CONTEXT_PREVIOUS);
}

/* Adds what an object has for an event: a listener, or several. */
inline_always void add_listener(struct served_search *search, u64 listener)
{
    if (!is_object(listener) || !(search->key.word = read_pointer(listener + OBJECT_MAP)))
        return;
    struct heap_shape *shape = shape_of_map(search, listener);
    if (shape && shape->kind == SHAPE_LIST)
        add_elements(read_pointer(listener - HEAP_OBJECT_TAG + shape->next), ARRAY_HEAD);
    else
        add_candidate(search, listener, 1);
}

/* Adds the listeners of an object that has them by event. */
inline_always void add_events(struct served_search *search, u64 events)
{
    struct heap_shape *shape = read_head(search, events) ? shape_of_map(search, events) : 0;
    if (!shape)
        return;
    if (shape->kind == SHAPE_CALLER) {
        add_listener(search, property(search, events, shape->next));
        return;
    }
    u64 dictionary = search->head[PROPERTIES];
    u64 *words = search->words; /* of add_elements(), too */
    if (!is_object(dictionary)
        || bpf_probe_read_user(words, DICTIONARY_HEAD * sizeof(u64), dictionary - HEAP_OBJECT_TAG) != 0)
        return;
    u64 capacity = words[DICTIONARY_CAPACITY] >> SMI_SHIFT;
    u64 head = ARRAY_HEAD + (words[1] >> SMI_SHIFT) - DICTIONARY_ENTRY * capacity;
    if (capacity > MAX_EVENTS || head > MAX_DICTIONARY_HEAD)
        return;
    u64 entry = dictionary - HEAP_OBJECT_TAG + head * sizeof(u64);
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < MAX_EVENTS; i++) {
        if (i >= capacity || bpf_probe_read_user(words, 2 * sizeof(u64), entry) != 0)
            return;
        if (words[0] != words[1]) /* an entry of no event has one word twice */
            add_listener(search, words[1]);
        entry += DICTIONARY_ENTRY * sizeof(u64);
    }
}

/* The listeners of the request that was looked at may be functions that call who waits. */
GLOBAL int add_listeners(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    add_events(search, search->events);
    return add_callees();
}

/* Adds what an object calls when it is done; of a socket, the request that is being sent. The listeners of one are left. */
inline_always void add_called(struct served_search *search, u64 object)
{
    struct heap_shape *shape = read_head(search, object) ? shape_of_map(search, object) : 0;
    if (shape && shape->kind == SHAPE_SOCKET) {
        object = property(search, object, shape->other);
        shape = read_head(search, object) ? shape_of_map(search, object) : 0;
    }
    if (!shape || shape->kind < SHAPE_CALLER || shape->kind == SHAPE_LIST || !shape->next)
        return;
    u64 called = property(search, object, shape->next);
    if (shape->kind != SHAPE_CLIENT) {
        add_candidate(search, called, 1);
        return;
    }
    if (shape->other)
        add_candidate(search, property(search, object, shape->other), 1);
    search->events = called;
}

/*
 * Looks at what may be a function: the resolving one of a promise leads to who waits for that, a closure to what it sees, an
 * object to the function that it calls.
 */
GLOBAL int look_at_callee(u64 callee)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    struct v8_walk walk = walk_of(search);
    struct promise_reading *reading = reading_of(&walk);
    read_builtin(&walk, callee);
    u64 context = reading->builtin_context;
    if (reading->builtin == search->promises.capability_resolve) {
        search->is_on_promise =
            read_word(reading, context, CONTEXT_SLOT_2, &walk.room->frame_pointer) == STEP_DONE;
    } else if (reading->builtin == NOT_A_BUILTIN
               && search->steps < (search->phase == OF_STRANGER ? MAX_CALLEE_STEPS : MAX_CALLER_STEPS)) {
        if (context)
            add_scope(search, add_scope(search, context));
        else
            add_called(search, callee);
        add_callees();
    }
    return 0;
}

/* Whether the function that the microtask has called is on the stack. */
inline_always int is_running_entered(struct served_search *search)
{
    u64 differs = is_not_zero(search->running);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ENTERED; i++)
        differs &= is_not_zero(search->entered[i] ^ search->running);
    return search->running != 0 && !differs;
}

/* Goes on with who waits for what a function, or an object, calls. */
inline_always void begin_callee(struct served_search *search, enum search_phase phase, u64 callee)
{
    search->phase = phase;
    search->callee = 0;
    search->callees[0] = callee;
    search->callee_count = 1;
    search->steps = 0;
    search->steps_end = 1;
}

/* Goes on with who waits for the first closure that is a stranger. */
inline_always void begin_strangers(struct served_search *search)
{
    u64 closure = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        closure |= search->stranger_closures[i] & -is_not_zero(search->strangers[i]) & (is_not_zero(closure) - 1);
    begin_callee(search, OF_STRANGER, closure);
}

/* Whether a promise has several reactions, and not all that wait for it are known. */
inline_always int is_branch_open(struct served_search *search)
{
    return search->is_branch_lost || (search->is_branched && search->is_open);
}

/* Nothing more waits for the microtask. Returns 1 if nothing more is to be looked at. */
inline_always int end_microtask(struct served_search *search)
{
    if (!is_running_entered(search)) {
        search->waiting_stream = 0;
        search->phase = SEARCHED;
        return 1;
    }
    if (is_branch_open(search))
        search->waiting_stream = 0;
    search->is_branched = 0;
    search->is_branch_lost = 0;
    /* Nothing but the microtask has called its function. */
    if (search->outermost == search->running)
        meet(search->outermost_context);
    if (are_strangers_left(search)) {
        search->waiting_stream = 0;
        begin_strangers(search);
        return 0;
    }
    search->phase = search->waiting_stream ? SEARCHED : OF_RUNNING;
    add_handler();
    search->steps = 1;
    search->steps_end = search->callee_count;
    return search->phase == SEARCHED;
}

/*
 * All functions were looked at. Where they lead to nobody, the object may. One that was found behind a stranger is another
 * request's. Returns 1 if nothing more is to be looked at.
 */
inline_always int end_callees(struct served_search *search)
{
    if (search->phase == OF_CALLER || search->waiting_stream || search->caller == 0
        || (search->phase == OF_STRANGER && search->caller_strangers))
        return 1;
    begin_callee(search, OF_CALLER, search->caller);
    return 0;
}

/* A step along the promises of the search: an enum step. */
GLOBAL int follow_waiting(u32 turn)
{
    struct served_search *search = search_in_use();
    if (!search)
        return STEP_CUT;
    struct v8_walk walk = walk_of(search);
    return follow(&walk, turn, search);
}

/* A turn of bpf_loop: one promise, or one function. Returns 1 when there is nothing more to look at. */
CALLBACK long search_waiting(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    struct javascript_room *room = (void *)search->room;
    enum step step = STEP_DONE;
    search->stream = 0;
    begin_candidates(search);
    if (search->is_on_promise) {
        search->is_first = 0;
        step = follow_waiting(search->promise_turn);
        if (search->is_first)
            add_callees();
        search->is_on_promise = step == STEP_DONE;
        search->promise_turn = ON_PROMISE;
    } else if (search->reaction_count) {
        search->reaction_count--;
        room->frame_pointer = search->reactions[search->reaction_count & (MAX_REACTIONS - 1)];
        search->is_on_promise = 1;
        search->promise_turn = ON_REACTION;
        return 0;
    } else if (search->phase == OF_MICROTASK) {
        return end_microtask(search) != 0;
    } else {
        u64 callee = search->callee;
        if (callee == search->steps_end) {
            search->steps++;
            search->steps_end = search->callee_count;
        }
        if (callee >= search->callee_count)
            return end_callees(search);
        search->callee = callee + 1;
        search->events = 0;
        look_at_callee(search->callees[callee & (CALLEES - 1)]);
        if (search->events)
            add_listeners();
    }
    look_at_candidates();
    if (search->stream == 0) {
        search->is_branch_lost |= search->is_branched && step != STEP_DONE && step != STEP_NOBODY;
        return 0;
    }
    search->is_on_promise = 0;
    if (search->waiting_stream && search->stream != search->waiting_stream)
        search->is_contradicted = 1;
    search->waiting_stream = search->stream;
    return search->is_contradicted != 0;
}
