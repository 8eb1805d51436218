/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection whose request the running thread serves: a callback, or what continues a promise, may be another
 * request's than the one before it, which made it or called it.
 *
 * 1. The functions on the stack are looked at, the latest one first (v8_called_frames.bpf.c). A parameter of a function, or
 *    what it sees of a function around it, leads to the stream of libuv (v8_objects.bpf.c):
 *
 *     Reply of fastify, Context of koa ... -> ServerResponse -> IncomingMessage -> net.Socket -> TCP -> TCPWrap -> uv_tcp_t
 *
 *    The first stream counts. Which property of an object to follow depends on its hidden class, its Map. The collector reads
 *    that out of the process's memory when it is asked, and writes it into heap_shapes; until then such objects lead nowhere.
 *    A message counts only while the socket's answer is that to it (socket._httpMessage.req), so not when it is answered, and
 *    not while it waits for the answer to one before it.
 * 2. Then those are looked at that wait for the running microtask (v8_async_callers.bpf.c).
 * 3. A function on the stack may have called one that another request has left somewhere: the callback of who waits for what
 *    the first one gives back. Such a stranger (v8_closures.bpf.c) is a closure that was made elsewhere, and is called for the
 *    first time: neither by a function that is on the stack, nor outside of all functions, nor by Node itself or the npm
 *    package; nor is it the function that new Promise() calls at once. One that V8 has compiled into another function has no
 *    frame, and is looked for in that of the other one. What a stranger sees leads to who waits: to other closures, to
 *    functions that objects call, and to those that resolve a promise (v8_callees.bpf.c). Their stream counts if there is only
 *    one.
 * 4. Where no stranger and no promise leads to one, an object on the stack does that calls a function when it is done, as a
 *    command that is being sent. Where Node's own functions alone are on the stack, as those that send a request which waited
 *    for a connection, such an object is looked for among what they have, too: who waits for the response to
 *    http.ClientRequest are its listeners.
 *
 * What an AsyncResource calls has its async id, whatever has called the resource: the frames behind it do not count.
 */
#include "v8_callees.bpf.c"

#define MAX_SEARCH_TURNS 192

/* In place of a stream: it was searched, and nobody was found. */
#define NO_STREAM 1
/* A bit in a stream: it was found on the stack, and not by who waits for the microtask. */
#define ON_STACK 2
/* In place of a stream: what runs may be another request's than what has called it. */
#define UNSURE (NO_STREAM | ON_STACK)
/* In place of a stream: the callback that runs leads to nobody, and may be another request's than its async id. */
#define MADE_ELSEWHERE 4

/* Nobody was found: what is in place of a stream. */
GLOBAL int find_doubt(u32 is_microtask, u32 is_sure)
{
    struct served_search *search = search_in_use();
    if (!search)
        return UNSURE;
    int is_stranger_left = are_strangers_left(search);
    /* Nothing but Node has called the outermost function. */
    if (!is_microtask)
        meet(search->outermost_context);
    if (are_strangers_left(search) || (is_microtask && !is_sure))
        return UNSURE;
    if (is_microtask)
        return NO_STREAM;
    return (is_stranger_left || search->is_called_again) && !search->is_scope ? MADE_ELSEWHERE : 0;
}

inline_always u64 search_stream(struct served_search *search, struct context_process *process, u64 isolate, u64 microtask)
{
    struct javascript_room *room = (void *)search->room;
    search->promises = process->promises;
    search->instance_type = process->fields.instance_type;
    struct v8_walk walk = walk_of(search);
    struct promise_reading *reading = reading_of(&walk);
    search->phase = OF_MICROTASK;
    search->stream = 0;
    search->many_closures = 0;
    search->callee_count = 0;
    search->callee = 0;
    search->waiting_stream = 0;
    search->is_contradicted = 0;
    search->is_open = 0;
    search->oddball_type = process->fields.oddball_type;
    search->bytecode_type = process->fields.bytecode_type;
    search->function_script = process->function_script;
    search->script_name = process->script_name;
    search->baseline = process->baseline;
    reading->shared_map = 0;
    reading->closure_map = 0;
    room->function_map = 0;
    if (!search_frames(search, process, isolate))
        return 0;
    if (!search->are_all_seen || search->is_hidden || (search->is_scope_open && (search->stream || microtask)))
        return UNSURE;
    if (search->is_scope)
        microtask = 0; /* what has called the scope is nothing to what it calls */
    u64 by_frames = search->stream;
    int is_stranger_left = are_strangers_left(search);
    if (!is_stranger_left && by_frames)
        return by_frames | ON_STACK;
    if (!microtask)
        find_sender();
    if (!is_stranger_left && !microtask && search->caller == 0)
        return search->is_called_again && !search->is_scope ? MADE_ELSEWHERE : 0;
    room->frame_pointer = microtask;
    search->is_on_promise = microtask && !by_frames;
    search->running = !search->is_on_promise; /* 1: it is not asked for */
    search->promise_turn = search->is_on_promise ? ON_MICROTASK : ON_PROMISE;
    search->handler = 0;
    search->reaction_count = 0;
    search->is_branched = 0;
    search->is_branch_lost = 0;
    if (is_stranger_left && !search->is_on_promise)
        begin_strangers(search);
    else if (!search->is_on_promise)
        begin_callee(search, OF_CALLER, search->caller);
    long turns = bpf_loop(MAX_SEARCH_TURNS, search_waiting, &search, 0);
    int is_sure = turns < MAX_SEARCH_TURNS && !search->is_contradicted && !is_branch_open(search);
    u64 found = is_sure ? search->waiting_stream : 0;
    if (found)
        return search->phase == SEARCHED ? found : found | ON_STACK;
    int doubt = find_doubt(microtask != 0, is_sure);
    return by_frames && (doubt & ~MADE_ELSEWHERE) == 0 ? by_frames | ON_STACK : (u64)doubt;
}

/* The number of the turn in which the thread is. */
inline_always u64 count_turn(struct served_search *search, u32 tid, u64 id)
{
    struct thread_turn *turn = bpf_map_lookup_elem(&thread_turns, &tid);
    if (turn) {
        turn->number += is_not_zero(turn->id ^ id);
        turn->id = id;
        return turn->number;
    }
    search->first_turn.id = id;
    search->first_turn.number = bpf_ktime_get_ns(); /* no number is used twice, if the entry had to make room for another thread's */
    bpf_map_update_elem(&thread_turns, &tid, &search->first_turn, BPF_ANY);
    return search->first_turn.number;
}

/* How often V8 has collected the old generation of the process; 0 = not known. */
inline_always u64 relocations_of(u32 tgid)
{
    struct v8_process *process = bpf_map_lookup_elem(&v8_processes, &tgid);
    return process ? process->relocations : 0;
}

/*
 * Finds the stream of the request that the thread serves: context->served_stream, which stays as it is where it cannot be
 * searched. 0 in a callback: nothing shows one, and nothing speaks against the async ids.
 *
 * Not followed by the verifier from its callers, and so what it leaves in the context is unknown to these: on Linux 6.1 a
 * program that goes on with each of the ways through here is too large.
 *
 * context: as read_async_context() has left it; all words are set
 * ids: the tid, and the tgid in the upper half
 */
GLOBAL int find_served_stream(struct async_context *context, u64 ids)
{
    if (!context)
        return 0;
    u32 tgid = ids >> 32;
    u32 thread_index = ids & (KNOWN_THREADS - 1);
    u32 index = 0;
    u64 microtask = context->microtask;
    struct context_process *process = bpf_map_lookup_elem(&async_contexts, &tgid);
    struct served_search *search = bpf_map_lookup_elem(&served_searches, &index);
    struct known_thread *thread = bpf_map_lookup_elem(&context_threads, &thread_index);
    if (!process || !search || !thread || process->promises.current_microtask == 0 || process->exit_frame == 0)
        return 0;
    context->served_stream = UNSURE;
    if (__sync_val_compare_and_swap(&search->is_used, 0, 1) != 0)
        return 0;
    search->key.tgid = tgid;
    search->call.turn = count_turn(search, ids, microtask ? microtask : context->async_id);
    search->call.relocations = relocations_of(tgid);
    context->served_stream = search_stream(search, process, thread->isolate, microtask);
    search->is_used = 0;
    return 0;
}
