/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames between a hit and the function that Node has called, the latest one first: their receivers, arguments and
 * variables, and the closures that V8 has compiled into them (struct heap_shape of KEY_CODE).
 */
#pragma once

#include "v8_closures.bpf.c"

/* Behind a frame pointer: that of the caller and the address at which it goes on. Then the arguments, which are the caller's. */
#define CALLER_STACK 16

#define CALLED_FRAME (-40)
/* Behind the words that optimized code has in a frame, where other code has its BytecodeArray and more. */
#define FRAME_WORDS_END (-24)

/* Frames of any kind between the hit and the running function. */
#define MAX_CALLED_FRAMES 64

/* Frames of Node's own functions alone of which the objects are looked at. */
#define MAX_SENDER_FRAMES 12

/* The receiver and the arguments of a frame are the candidates. */
inline_always void add_arguments(struct served_search *search)
{
    begin_candidates(search);
    add_candidate(search, search->frame.receiver, 1);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ARGUMENTS; i++)
        add_candidate(search, search->frame.arguments[i], i + 1 < search->frame.argument_count);
    search->argument_end = search->candidate_count;
}

/* A turn of bpf_loop: a word of the frame. Returns 1 when there are no more. */
CALLBACK long look_at_word(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    u64 *head = search->words;
    if (turn >= search->frame_word_count)
        return 1;
    u64 word = search->frame_words[turn & (MAX_FRAME_WORDS - 1)];
    if (!is_object(word) || word == search->own_context
        || bpf_probe_read_user(head, CONTEXT_WORDS * sizeof(u64), word - HEAP_OBJECT_TAG) != 0
        || head[0] != search->own_map || head[CONTEXT_SCOPE] != search->own_scope)
        return 0;
    search->own_contexts++;
    search->own_context = word;
    return 0;
}

/*
 * The closures that the function of the frame has made are no strangers. Optimized code keeps the context with which it was
 * called where interpreted code has the one that it has made; that is one of its other words, as V8 needs it when it goes back
 * to interpreted code. Words that are not written yet may have that of an earlier call: then there are two.
 */
GLOBAL int meet_made(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    u64 shared = *(u64 *)((void *)search->closure + (search->promises.function_shared & FUNCTION_MASK));
    u64 scope = is_object(shared) ? read_pointer(shared - HEAP_OBJECT_TAG + search->function_script + SCOPE_BEFORE_SCRIPT) : 0;
    u64 context = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        context |= search->strangers[i] & (is_not_zero(search->stranger_scopes[i] ^ scope) - 1) & (is_not_zero(context) - 1);
    u64 size = search->frame_pointer + FRAME_WORDS_END - search->called_end;
    if (!is_object(scope) || context == 0 || size > sizeof(search->frame_words)
        || bpf_probe_read_user(search->frame_words, size, search->called_end) != 0)
        return 0;
    search->frame_word_count = size / sizeof(u64);
    search->own_scope = scope;
    search->own_map = read_pointer(context + OBJECT_MAP);
    search->own_context = 0;
    search->own_contexts = 0;
    bpf_loop(MAX_FRAME_WORDS, look_at_word, &search, 0);
    return search->own_contexts == 1 ? meet(search->own_context) : 0;
}

/* Looks at the function of a frame. */
GLOBAL int check_closure(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return 0;
    u64 context = *(u64 *)((void *)search->closure + (search->promises.function_context & FUNCTION_MASK));
    u64 latest_stranger = search->latest_stranger;
    search->latest_stranger = 0;
    meet(search->frame.context);
    if (search->called_end && are_strangers_left(search))
        meet_made();
    enum shape_kind kind = kind_of_function(search);
    if (kind == SHAPE_PROMISE_CONSTRUCTOR && latest_stranger)
        search->strangers[(latest_stranger - 1) & (MAX_STRANGERS - 1)] = 0; /* the function that makes the promise calls it at once */
    if (search->stream)
        return 0;
    if (kind != SHAPE_NOTHING) {
        search->is_scope = is_resource(search, search->frame.receiver);
        return 0;
    }
    search->outermost = search->frame.function;
    search->outermost_context = context;
    search->is_of_module = is_of_module(search, context);
    add_arguments(search);
    if (!search->is_of_module)
        add_elements(context, ARRAY_HEAD + CONTEXT_HEAD);
    look_at_candidates();
    if (search->stream || search->is_of_module || search->is_of_package
        || is_of_many_calls(search, search->frame.function))
        return 0;
    u64 count = search->stranger_count;
    search->stranger_count = count + 1;
    if (count >= MAX_STRANGERS)
        return 0;
    search->latest_stranger = count + 1;
    search->strangers[count & (MAX_STRANGERS - 1)] = context;
    search->stranger_scopes[count & (MAX_STRANGERS - 1)] = read_pointer(context - HEAP_OBJECT_TAG + CONTEXT_SCOPE * sizeof(u64));
    search->stranger_closures[count & (MAX_STRANGERS - 1)] = search->frame.function;
    return 0;
}

enum frame_kind {
    FRAME_UNREADABLE,
    FRAME_ENTRY, /* of C++ that calls JavaScript; its caller is the last frame of JavaScript before it */
    FRAME_FUNCTION, /* the function is in search->closure */
    FRAME_OTHER,
};

/* Reads the next frame, from the hit on, into search->frame. Returns an enum frame_kind. */
GLOBAL int read_frame(void)
{
    struct served_search *search = search_in_use();
    if (!search)
        return FRAME_UNREADABLE;
    struct called_frame *frame = &search->frame;
    if (bpf_probe_read_user(frame, sizeof(*frame), search->frame_pointer + CALLED_FRAME) != 0)
        return FRAME_UNREADABLE;
    if (frame->context == ENTRY_MARKER || frame->context == CONSTRUCT_ENTRY_MARKER) {
        u64 place = search->frame_pointer + ENTRY_EXIT_FRAME;
        return bpf_probe_read_user(&frame->caller, sizeof(frame->caller), place) == 0 ? FRAME_ENTRY : FRAME_UNREADABLE;
    }
    if (!is_object(frame->context))
        return FRAME_OTHER;
    if (is_closure(search))
        return FRAME_FUNCTION;
    search->is_hidden = 1; /* the kernel may be moving its page */
    return FRAME_OTHER;
}

/* HeapShape.keyOfCode(): the words around a return address show whether the code there is the same one. */
#define CODE_WORDS 4
#define CODE_BEFORE (CODE_WORDS / 2 * sizeof(u64))
#define CODE_FACTOR 0x9e3779b97f4a7c15ULL

/* What the collector has answered about a place in code; 0 = nothing yet. */
inline_always struct heap_shape *shape_of_code(struct served_search *search, u64 return_address)
{
    u64 *words = search->words;
    if (return_address == 0
        || bpf_probe_read_user(words, CODE_WORDS * sizeof(u64), return_address - CODE_BEFORE) != 0)
        return 0;
    u64 word = return_address;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < CODE_WORDS; i++) {
        word = (word ^ words[i]) * CODE_FACTOR;
        word ^= word >> 32;
    }
    search->key.word = word;
    search->key.kind = KEY_CODE;
    struct heap_shape *shape = ask(search, return_address);
    search->key.kind = KEY_OBJECT;
    return shape;
}

/*
 * Whether the frame looks like that of an interpreted function, into which nothing is compiled. Optimized code may have such
 * words there, from a frame that was there before: this counts only until the collector has answered. A loop that V8 has
 * replaced by optimized code while it ran keeps the BytecodeArray, but mostly has no offset, as it was compiled before.
 */
inline_always int is_interpreted(struct served_search *search)
{
    if ((u32)search->frame.bytecode_offset)
        return 0;
    u64 bytecode = search->frame.bytecode_array;
    u64 map = is_object(bytecode) ? read_pointer(bytecode + OBJECT_MAP) : 0;
    if (map == 0 || map == search->bytecode_map)
        return map != 0;
    u16 *type = &search->type;
    if (!is_object(map) || bpf_probe_read_user(type, sizeof(*type), map - HEAP_OBJECT_TAG + search->instance_type) != 0
        || *type != search->bytecode_type)
        return 0;
    search->bytecode_map = map;
    return 1;
}

/* Whether the frame is of baseline code, into which nothing is compiled either: it is in the code that its function has now. */
inline_always int is_baseline(struct served_search *search)
{
    struct baseline_layout *layout = &search->baseline;
    u64 shared = *(u64 *)((void *)search->closure + (search->promises.function_shared & FUNCTION_MASK));
    if (layout->function_data == 0)
        return 0;
    u64 code = read_pointer(shared - HEAP_OBJECT_TAG + layout->function_data);
    if (!is_object(code))
        return 0;
    code -= HEAP_OBJECT_TAG;
    u32 *size = (u32 *)search->words;
    u64 start = layout->instruction_start ? read_pointer(code + layout->instruction_start) : code + layout->instructions;
    return bpf_probe_read_user(size, sizeof(*size), code + layout->instruction_size) == 0
           && search->return_address - start - 1 < *size;
}

/*
 * Finds what is compiled into the function of the frame, and so has none: one of several closures of a function, which may be
 * another request's. Returns whether there is anything.
 */
GLOBAL int find_inlined(void)
{
    struct served_search *search = search_in_use();
    if (!search || search->stream)
        return 0;
    struct heap_shape *shape = shape_of_code(search, search->return_address);
    if (!shape || shape->kind == SHAPE_HIDDEN) {
        search->is_hidden |= shape || !(is_interpreted(search) || is_baseline(search));
        return 0;
    }
    search->inlined[0] = shape->next;
    search->inlined[1] = shape->other;
    search->is_inlined_scope = shape->kind == SHAPE_INLINED_SCOPE;
    return shape->kind != SHAPE_NOTHING;
}

/* Reads one of these as if it had the frame, without arguments. Returns whether there is one. */
GLOBAL int read_inlined(u32 index)
{
    struct served_search *search = search_in_use();
    s32 place = search ? search->inlined[index & 1] : 0;
    if (!search || place == 0)
        return 0;
    struct called_frame *frame = &search->frame;
    frame->argument_count = 0;
    frame->receiver = 0;
    frame->function = read_pointer(search->frame_pointer + place);
    search->called_end = 0;
    if (!is_closure(search)) {
        search->is_hidden = 1;
        return 0;
    }
    frame->context = *(u64 *)((void *)search->closure + (search->promises.function_context & FUNCTION_MASK));
    return 1;
}

/* Looks at the function of the frame, behind what is compiled into it. */
inline_always void check_function(struct served_search *search)
{
    if (find_inlined()) {
        u64 called_end = search->called_end;
        if (read_inlined(0))
            check_closure();
        if (read_inlined(1))
            check_closure();
        search->called_end = called_end;
        search->is_scope = search->is_inlined_scope;
        read_frame();
    }
    if (!search->is_scope)
        check_closure();
}

/* A turn of bpf_loop: one frame. Returns 1 when there are no more, or no more are needed. */
CALLBACK long check_frame(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    struct called_frame *frame = &search->frame;
    enum frame_kind kind = read_frame();
    if (kind == FRAME_UNREADABLE)
        return 1;
    if (kind == FRAME_ENTRY) {
        search->entered[2] = search->entered[0];
        search->entered[3] = search->entered[1];
        search->entered[0] = search->latest;
        search->entered[1] = search->before_latest;
    } else if (kind == FRAME_FUNCTION) {
        search->before_latest = search->latest;
        search->latest = frame->function;
        check_function(search);
        if (search->is_scope || (search->stream && !are_strangers_left(search)))
            frame->caller = 0;
    }
    if (frame->caller == 0) {
        search->are_all_seen = 1;
        return 1;
    }
    if (frame->caller <= search->frame_pointer || frame->caller % sizeof(u64) != 0)
        return 1;
    search->called_end = search->frame_pointer + CALLER_STACK;
    search->return_address = kind == FRAME_ENTRY ? 0 : frame->return_address;
    search->frame_pointer = frame->caller;
    return 0;
}

/* Goes along the frames. Returns whether they could be read. */
inline_always int search_frames(struct served_search *search, struct context_process *process, u64 isolate)
{
    u64 context = read_pointer(isolate + process->context);
    u64 map = context ? read_pointer(context + OBJECT_MAP) : 0;
    search->native_context = map ? read_pointer(map + NATIVE_CONTEXT) : 0;
    search->frame_pointer = read_pointer(isolate + process->exit_frame);
    search->first_frame = search->frame_pointer;
    if (search->native_context == 0 || search->frame_pointer == 0)
        return 0;
    search->function_map = 0;
    search->are_all_seen = 0;
    search->is_scope = 0;
    search->is_scope_open = 0;
    search->outermost = 0;
    search->outermost_context = 0;
    search->latest = 0;
    search->before_latest = 0;
    search->latest_stranger = 0;
    search->called_end = 0;
    search->return_address = 0;
    search->bytecode_map = 0;
    search->is_hidden = 0;
    search->is_called_again = 0;
    search->caller = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_ENTERED; i++)
        search->entered[i] = 0;
    search->stranger_count = 0;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < MAX_STRANGERS; i++)
        search->strangers[i] = 0;
    bpf_loop(MAX_CALLED_FRAMES, check_frame, &search, 0);
    search->last_frame = search->frame_pointer;
    return 1;
}

/* A turn of bpf_loop: one frame before the last that was checked. Returns 1 when there are no more, or no more are needed. */
CALLBACK long check_sender(u32 turn, struct served_search **of)
{
    struct served_search *search = *of;
    enum frame_kind kind = search->frame_pointer == search->last_frame ? FRAME_UNREADABLE : read_frame();
    if (kind == FRAME_UNREADABLE)
        return 1;
    if (kind == FRAME_FUNCTION) {
        add_arguments(search);
        look_at_candidates();
    }
    search->frame_pointer = search->frame.caller;
    return search->caller != 0;
}

/*
 * Looks for an object that is being sent where Node's own functions alone are on the stack: a tick of Node's in which a
 * request gets its connection has the request and the socket as its parameters.
 */
GLOBAL int find_sender(void)
{
    struct served_search *search = search_in_use();
    if (!search || search->outermost || search->caller)
        return 0;
    search->frame_pointer = search->first_frame;
    bpf_loop(MAX_SENDER_FRAMES, check_sender, &search, 0);
    search->stream = 0;
    return 0;
}
