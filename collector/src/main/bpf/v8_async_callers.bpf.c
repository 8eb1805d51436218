/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The async callers of the running thread: the functions that wait for what it does. From the microtask that runs, a
 * chain of promises leads to them, the way that V8 goes when it makes the stack of an Error (CaptureAsyncStackTrace in
 * v8/src/execution/isolate.cc):
 *
 *     the first turn: PromiseReactionJobTask
 *         its handler continues an async function or generator that is running -> that one's promise
 *         else -> its promise
 *     each other turn: JSPromise, pending, with one reaction, whose handlers are
 *         the continuation of an async function or generator: an async caller -> that one's promise
 *         one element of Promise.all, allSettled, any: an async caller -> the promise of the combination
 *         the resolving function of a promise (Promise.race) -> that promise
 *         anything else -> the promise that then() returned
 *
 * Every object's instance type is checked before anything of it is used. What does not check out ends the chain.
 */
#pragma once

#include "v8.h"

/* Promises that are looked at: there are some between functions that await, as of then() and finally(). */
#define MAX_PROMISES 64

/* The bits that offsets of the layout may have: the verifier requires bounds. */
#define REACTION_MASK 0x18
#define FUNCTION_MASK 0x38
#define BUILTIN_MASK 0x18

/*
 * Objects of V8, as far as they are read; they are the same in all versions (js-promise.tq, promise.tq, js-generator.tq,
 * contexts.tq). Of the others, struct async_layout has the offsets.
 */
struct js_promise {
    u64 map;
    u64 properties;
    u64 elements;
    u64 reactions_or_result;
    u64 flags;
};

#define PROMISE_STATUS_MASK 3 /* 0 = pending */

struct promise_capability {
    u64 map;
    u64 promise;
};

struct async_generator_request {
    u64 map;
    u64 next;
    u64 resume_mode;
    u64 value;
    u64 promise;
};

/* From its field `function` on. */
struct generator_state {
    u64 function;
    u64 context;
    u64 receiver;
    u64 bytecode_offset; /* input_or_debug_pos, see js-generator.tq */
    u64 resume_mode;
    u64 continuation; /* a Smi: where it is suspended, or GENERATOR_EXECUTING */
    u64 registers;
    u64 promise_or_queue; /* of an async function its promise, of an async generator its requests */
};

#define GENERATOR_STATE 24
#define GENERATOR_EXECUTING (-2)

/*
 * In PromiseReaction, from the offset of the layout on; in the task of one, which has no next, likewise. In a CallableTask and
 * a PromiseResolveThenableJobTask, the others (microtask.tq, promise.tq).
 */
struct reaction_fields {
    union {
        u64 next;
        u64 callable;
    };
    union {
        u64 reject_handler;
        u64 promise_to_resolve;
    };
    u64 fulfill_handler;
    union {
        u64 promise_or_capability;
        u64 then;
    };
};

#define REACTION_BYTES 48
#define FUNCTION_BYTES 48
#define SHARED_BYTES 24

/* Context::EXTENSION_INDEX, PromiseBuiltins::kPromiseSlot. */
#define CONTEXT_SLOT_2 32
/* PromiseBuiltins::kPromiseAllResolveElementCapabilitySlot, kPromiseAnyRejectElementCapabilitySlot. */
#define CONTEXT_SLOT_3 40

/* What is read, and what is kept: it is behind the last entry of the room, and not on the stack, which is small. */
struct promise_reading {
    union {
        u64 map;
        u64 words[8];
        struct js_promise promise;
        struct promise_capability capability;
        struct async_generator_request request;
        struct generator_state generator;
    };
    u16 type; /* the instance type of its map */
    u16 is_first_turn;
    /* A handler that is a builtin. */
    u32 builtin; /* its number, or NOT_A_BUILTIN */
    u64 builtin_shared;
    u64 builtin_context;
    /* Of the reaction. */
    u64 reject_handler;
    u64 promise_or_capability;
    /* Maps that were last seen to have these types, also in turns before. */
    u64 shared_map;
    u64 closure_map;
};

_Static_assert(sizeof(struct promise_reading) <= READ_AHEAD_BYTES, "an object does not fit behind the last entry");

/* How a step ends. */
enum step {
    STEP_DONE = 0,
    STEP_OVER = 1, /* there are no more async callers */
    STEP_CUT = 2,  /* there are more, which cannot be read or do not fit */
    STEP_NOBODY = 3, /* nobody waits for a promise */
};

#define NOT_A_BUILTIN (-1U)
#define NO_TYPE (-1)

inline_always struct promise_reading *reading_of(struct v8_walk *walk)
{
    return (void *)&walk->room->entries[walk->capacity];
}

inline_always enum step read_at(struct promise_reading *reading, u64 object, u32 offset, u32 size)
{
    if (!is_object(object))
        return STEP_OVER;
    return bpf_probe_read_user(reading, size, object - HEAP_OBJECT_TAG + offset) == 0 ? STEP_DONE : STEP_CUT;
}

inline_always enum step read_word(struct promise_reading *reading, u64 object, u32 offset, u64 *word)
{
    enum step step = read_at(reading, object, offset, sizeof(u64));
    *word = reading->words[0];
    return step;
}

/* The instance type of the object whose map has been read. */
inline_always s32 type_of_read(struct v8_walk *walk)
{
    struct promise_reading *reading = reading_of(walk);
    if (!is_object(reading->map))
        return NO_TYPE;
    u64 address = reading->map - HEAP_OBJECT_TAG + walk->instance_type;
    if (bpf_probe_read_user(&reading->type, sizeof(u16), address) != 0)
        return NO_TYPE;
    return reading->type;
}

/* Looks at the type of the object's map, unless it is the map that was last seen to have this type. */
inline_always int is_of_type(struct v8_walk *walk, u16 type, u64 *last_map)
{
    u64 map = reading_of(walk)->map;
    if (map == *last_map)
        return 1;
    if (type_of_read(walk) != type)
        return 0;
    *last_map = map;
    return 1;
}

/* A field of the object that has been read, at an offset of the layout that is masked. */
inline_always void *field(struct v8_walk *walk, u64 offset)
{
    return (void *)reading_of(walk)->words + offset;
}

/* Notes of any object which builtin it is; of one, its SharedFunctionInfo and the context of this closure. */
inline_always void read_builtin(struct v8_walk *walk, u64 object)
{
    struct promise_reading *reading = reading_of(walk);
    reading->builtin = NOT_A_BUILTIN;
    reading->builtin_context = 0;
    if (read_at(reading, object, 0, FUNCTION_BYTES) != STEP_DONE)
        return;
    if (!is_of_type(walk, walk->promises->first_function, &reading->closure_map))
        return;
    reading->builtin_context = *(u64 *)field(walk, walk->promises->function_context & FUNCTION_MASK);
    reading->builtin_shared = *(u64 *)field(walk, walk->promises->function_shared & FUNCTION_MASK);
    if (read_at(reading, reading->builtin_shared, 0, SHARED_BYTES) != STEP_DONE)
        return;
    if (!is_of_type(walk, walk->promises->shared_function_info, &reading->shared_map))
        return;
    u64 number = *(u64 *)field(walk, walk->promises->builtin & BUILTIN_MASK);
    if (is_smi(number))
        reading->builtin = number >> SMI_SHIFT;
}

/* What a step begins with. */
enum turn {
    ON_MICROTASK = 0,
    ON_PROMISE = 1, /* or any later one */
    ON_REACTION = 1 << 16, /* of a promise; only of a search */
};

/* A search along the promises, in place of a list of callers (v8_served_stream.bpf.c). */
struct served_search;
#define NO_SEARCH ((struct served_search *)0)

/* Looks at the variables of a function on the way; each is 0 if there are none. The first one is the running one. */
int look_at(u64 function, u64 receiver, u64 registers, u64 context);
inline_always void add_reaction(struct served_search *search, u64 reaction);
inline_always void runs(struct served_search *search, u64 function);
inline_always void handles(struct served_search *search, u64 function);

inline_always enum step append(struct v8_walk *walk, enum async_kind kind, u64 shared, u64 word)
{
    struct javascript_room *room = walk->room;
    u64 count = room->count;
    if (count >= walk->capacity || room->pc >= MAX_ASYNC_CALLERS)
        return STEP_CUT;
    room->pc++;
    room->count = count + 1;
    struct javascript_entry *entry = &room->entries[count];
    entry->pc = kind;
    entry->shared = shared;
    entry->word = word;
    return STEP_DONE;
}

/* Appends the function of a suspended generator. */
inline_always enum step append_generator(struct v8_walk *walk, u64 function, u64 bytecode_offset)
{
    struct promise_reading *reading = reading_of(walk);
    if (!is_smi(bytecode_offset))
        return STEP_OVER;
    enum step step = read_at(reading, function, 0, FUNCTION_BYTES);
    if (step != STEP_DONE)
        return step;
    s32 type = type_of_read(walk);
    if (type < walk->promises->first_function || type > walk->promises->last_function)
        return STEP_OVER;
    u64 shared = *(u64 *)field(walk, walk->promises->function_shared & FUNCTION_MASK);
    step = read_at(reading, shared, 0, sizeof(u64));
    if (step != STEP_DONE)
        return step;
    if (!is_of_type(walk, walk->promises->shared_function_info, &reading->shared_map))
        return STEP_OVER;
    return append(walk, ASYNC_AWAIT, shared, bytecode_offset);
}

/*
 * From the context of the builtin that continues it to a generator: appends its function, except the one that runs, and
 * goes on with its promise.
 */
inline_always enum step awaiting(struct v8_walk *walk, struct served_search *search)
{
    struct promise_reading *reading = reading_of(walk);
    u64 generator;
    enum step step = read_word(reading, reading->builtin_context, CONTEXT_SLOT_2, &generator);
    if (step != STEP_DONE)
        return step;
    step = read_at(reading, generator, 0, sizeof(u64));
    if (step != STEP_DONE)
        return step;
    s32 type = type_of_read(walk);
    int is_generator = type == walk->promises->async_generator;
    if (!is_generator && type != walk->promises->async_function)
        return STEP_OVER;
    step = read_at(reading, generator, GENERATOR_STATE, sizeof(struct generator_state));
    if (step != STEP_DONE)
        return step;
    u64 promise = reading->generator.promise_or_queue;
    s64 continuation = (s64)reading->generator.continuation >> SMI_SHIFT;
    if (reading->is_first_turn ? continuation != GENERATOR_EXECUTING : continuation < 0)
        return STEP_OVER;
    if (search) {
        look_at(
            reading->generator.function, reading->generator.receiver, reading->generator.registers,
            reading->generator.context);
    } else if (!reading->is_first_turn) {
        step = append_generator(walk, reading->generator.function, reading->generator.bytecode_offset);
        if (step != STEP_DONE)
            return step;
    }
    if (is_generator) {
        step = read_at(reading, promise, 0, sizeof(struct async_generator_request));
        if (step != STEP_DONE)
            return step;
        if (type_of_read(walk) != walk->promises->generator_request)
            return STEP_OVER;
        promise = reading->request.promise;
    }
    walk->room->frame_pointer = promise;
    return STEP_DONE;
}

/* Appends a combination of promises, by the builtin that takes one of the results, and goes on with its promise. */
inline_always enum step combination(struct v8_walk *walk, struct served_search *search, enum async_kind kind)
{
    struct promise_reading *reading = reading_of(walk);
    u64 capability;
    enum step step = search ? STEP_DONE : append(walk, kind, reading->builtin_shared, 0);
    if (step != STEP_DONE)
        return step;
    step = read_word(reading, reading->builtin_context, CONTEXT_SLOT_3, &capability);
    if (step != STEP_DONE)
        return step;
    step = read_at(reading, capability, 0, sizeof(struct promise_capability));
    if (step != STEP_DONE)
        return step;
    if (type_of_read(walk) != walk->promises->capability)
        return STEP_OVER;
    walk->room->frame_pointer = reading->capability.promise;
    return STEP_DONE;
}

/* Goes on with the promise that then() returned, itself or in a capability. */
inline_always enum step derived(struct v8_walk *walk)
{
    struct promise_reading *reading = reading_of(walk);
    walk->room->frame_pointer = reading->promise_or_capability;
    enum step step = read_at(reading, reading->promise_or_capability, 0, sizeof(struct promise_capability));
    if (step != STEP_DONE)
        return step;
    s32 type = type_of_read(walk);
    if (type == walk->promises->promise)
        return STEP_DONE;
    if (type != walk->promises->capability)
        return STEP_OVER;
    walk->room->frame_pointer = reading->capability.promise;
    return STEP_DONE;
}

/* Goes to what the handlers of a task or a reaction continue. */
inline_always enum step handlers(struct v8_walk *walk, struct served_search *search, u64 fulfill)
{
    struct promise_reading *reading = reading_of(walk);
    read_builtin(walk, fulfill);
    u32 builtin = reading->builtin;
    if (builtin == walk->promises->function_await_resolve || builtin == walk->promises->generator_await_resolve
        || builtin == walk->promises->generator_yield_resolve)
        return awaiting(walk, search);
    if (search && builtin == NOT_A_BUILTIN && reading->builtin_context) {
        look_at(fulfill, 0, 0, reading->builtin_context);
        if (!reading->is_first_turn)
            handles(search, fulfill);
    }
    if (reading->is_first_turn) {
        /* A task has only one handler. */
        if (builtin == walk->promises->function_await_reject
            || builtin == walk->promises->generator_await_reject)
            return awaiting(walk, search);
        walk->room->frame_pointer = reading->promise_or_capability;
        return STEP_DONE;
    }
    if (builtin == walk->promises->all_resolve)
        return combination(walk, search, ASYNC_ALL);
    if (builtin == walk->promises->all_settled_resolve)
        return combination(walk, search, ASYNC_ALL_SETTLED);
    int is_resolving = builtin == walk->promises->capability_resolve;
    u64 context = reading->builtin_context;
    read_builtin(walk, reading->reject_handler);
    if (reading->builtin == walk->promises->any_reject)
        return combination(walk, search, ASYNC_ANY);
    if (is_resolving)
        return read_word(reading, context, CONTEXT_SLOT_2, &walk->room->frame_pointer);
    return derived(walk);
}

/* A function that queueMicrotask() was given: nobody waits for it. */
inline_always enum step callable(struct v8_walk *walk, u64 function)
{
    read_builtin(walk, function);
    u64 context = reading_of(walk)->builtin_context;
    if (context)
        look_at(function, 0, 0, context);
    return STEP_OVER;
}

/* The then() of an object that was awaited, or that resolved a promise, and is no promise of V8's. */
inline_always enum step thenable(struct v8_walk *walk, struct served_search *search, u64 then, u64 promise)
{
    runs(search, then);
    walk->room->frame_pointer = promise;
    return STEP_DONE;
}

inline_always enum step follow(struct v8_walk *walk, u32 turn, struct served_search *search)
{
    struct promise_reading *reading = reading_of(walk);
    reading->is_first_turn = turn == ON_MICROTASK;
    u64 reaction = walk->room->frame_pointer;
    enum step step;
    if (turn != ON_MICROTASK && turn != ON_REACTION) {
        step = read_at(reading, reaction, 0, sizeof(struct js_promise));
        if (step != STEP_DONE)
            return step;
        if (!is_of_type(walk, walk->promises->promise, &walk->room->function_map))
            return STEP_OVER;
        if ((reading->promise.flags >> SMI_SHIFT & PROMISE_STATUS_MASK) != 0)
            return STEP_NOBODY;
        reaction = reading->promise.reactions_or_result;
        if (!is_object(reaction))
            return STEP_NOBODY;
    }
    step = read_at(reading, reaction, 0, REACTION_BYTES);
    if (step != STEP_DONE)
        return step;
    s32 type = type_of_read(walk);
    struct reaction_fields *fields = field(walk, walk->promises->reaction & REACTION_MASK);
    if (reading->is_first_turn) {
        if (search && type == walk->promises->callable_task)
            return callable(walk, fields->callable);
        if (search && type == walk->promises->thenable_task)
            return thenable(walk, search, fields->then, fields->promise_to_resolve);
        if (type != walk->promises->fulfill_task && type != walk->promises->reject_task)
            return STEP_OVER;
    } else {
        if (type != walk->promises->promise_reaction)
            return STEP_OVER;
        if ((fields->next & HEAP_OBJECT_TAG) != 0) {
            if (!search)
                return STEP_OVER; /* of several reactions, none is the caller */
            add_reaction(search, fields->next);
        }
    }
    reading->reject_handler = fields->reject_handler;
    reading->promise_or_capability = fields->promise_or_capability;
    return handlers(walk, search, fields->fulfill_handler);
}

/*
 * A turn of bpf_loop: one promise, to which room->frame_pointer points. Returns 1 when there are no more async callers.
 */
CALLBACK long follow_promise(u32 turn, struct v8_walk *walk)
{
    enum step step = follow(walk, turn, NO_SEARCH);
    if (step == STEP_CUT)
        walk->room->flags = ASYNC_CUT;
    return step != STEP_DONE;
}

/*
 * Appends the async callers to a room with the frames of a thread whose isolate is known. A thread that runs no microtask
 * has none.
 */
inline_always void read_async_callers(struct v8_walk *walk)
{
    struct javascript_room *room = walk->room;
    struct promise_reading *reading = reading_of(walk);
    u64 microtask = room->isolate + walk->promises->current_microtask;
    if (bpf_probe_read_user(&room->frame_pointer, sizeof(u64), microtask) != 0)
        return;
    /* How many there are, and the map of promises. */
    room->pc = 0;
    room->function_map = 0;
    reading->shared_map = 0;
    reading->closure_map = 0;
    if (bpf_loop(MAX_PROMISES, follow_promise, walk, 0) >= MAX_PROMISES)
        room->flags = ASYNC_CUT;
}
