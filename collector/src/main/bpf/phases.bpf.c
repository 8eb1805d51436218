/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that end where the next such span of their thread begins: the phases of an event loop, and the callbacks in them. They
 * take a probe at the entry of a function and none at its return.
 *
 * 1. An open span is known with the stack pointer at the entry of its function. When another function is entered, those open
 *    spans have ended whose function was called from the same frame or from one further down the stack: their stack pointer is
 *    not above the new one, as a stack grows downwards.
 *
 *        loop                       the spans of a thread, the outermost first: timers, callback
 *          timers()                 is entered from the loop
 *            callback(1)            from timers(): its stack pointer is below, so timers() goes on
 *            callback(2)            from timers(): ends callback(1), whose stack pointer is the same
 *          poll()                   from the loop: ends callback(2) and timers()
 *
 * 2. A span that ends is sent, and lasts until the next one begins. A thread that ends leaves its open spans as they are: they
 *    are sent as open.
 *
 * All samples have one size, because the entry of any function may end the span of any other.
 */
#include "open_spans.h"

/* A loop in a callback of a loop, each with a phase, a callback and what that calls. */
#define MAX_PHASES 8
#define MAX_PHASE_NUMBERS 6

/* As EventLayout, with room for so many numbers. */
struct phase_sample {
    struct event_header header;
    u64 arguments[MAX_PHASE_NUMBERS];
};

struct phase {
    u64 stack_pointer; /* when its function was entered */
    struct phase_sample sample;
};

/* PhasesLayout: the open spans of a thread, the outermost first. */
struct thread_phases {
    u32 depth; /* how many are open */
    u32 unused;
    struct phase phases[MAX_PHASES];
};

/* By the tid. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(struct thread_phases);
} phases SEC(".maps");

/* Sends the sample of a span that ends at this time, or that is left open. */
inline_always void send_phase(const struct phase_sample *sample, u64 end_ns, int is_open)
{
    struct phase_sample *sent = bpf_ringbuf_reserve(&events, sizeof(*sent), 0);
    if (!sent) {
        count_loss(sample->header.probe, RING_FULL);
        return;
    }
    *sent = *sample;
    if (is_open)
        sent->header.record_type = RECORD_OPEN_SPAN;
    else
        sent->header.duration_ns = end_ns - sample->header.timestamp_ns;
    bpf_ringbuf_submit(sent, BPF_RB_NO_WAKEUP);
}

/*
 * Ends open spans, the innermost first, until one goes on.
 *
 * stack_pointer: those end that are not above
 */
inline_always void end_phases(struct thread_phases *thread, u64 stack_pointer, u64 end_ns, int is_open)
{
#pragma clang loop unroll(disable)
    for (u32 i = MAX_PHASES; i > 0; i--) {
        if (thread->depth < i)
            continue;
        struct phase *phase = &thread->phases[i - 1];
        if (phase->stack_pointer > stack_pointer)
            return;
        thread->depth = i - 1;
        send_phase(&phase->sample, end_ns, is_open);
    }
}

/* The open spans of a thread; its entry is made if there is none. 0 = there is no room for it. */
inline_always struct thread_phases *phases_of(u32 tid)
{
    struct thread_phases *thread = bpf_map_lookup_elem(&phases, &tid);
    if (thread)
        return thread;
    u32 index = 0;
    struct thread_phases *none = bpf_map_lookup_elem(&zero, &index);
    if (!none)
        return 0;
    bpf_map_update_elem(&phases, &tid, none, BPF_NOEXIST);
    return bpf_map_lookup_elem(&phases, &tid);
}

/*
 * A function is entered whose span ends where the next one begins.
 *
 * sample: of the span, as it begins
 * stack_pointer: at the entry of the function
 *
 * Returns 0 = done; 1 = it is lost, as too many spans are open.
 */
LINKED int begin_phase(const struct phase_sample *sample, u64 stack_pointer)
{
    struct thread_phases *thread = phases_of(sample->header.thread.tid);
    if (!thread)
        return 1;
    end_phases(thread, stack_pointer, sample->header.timestamp_ns, 0);
    u32 depth = thread->depth;
    if (depth >= MAX_PHASES)
        return 1;
    struct phase *phase = &thread->phases[depth];
    phase->stack_pointer = stack_pointer;
    phase->sample = *sample;
    thread->depth = depth + 1;
    return 0;
}

/*
 * A function is entered that has no span, and ends those that a span of it would end.
 *
 * sample: of the event, which is sent behind theirs
 *
 * Returns 0 = done; 1 = the event is lost, as the ring is full.
 */
LINKED int pass_phases(const struct phase_sample *sample, u64 stack_pointer)
{
    u32 tid = sample->header.thread.tid;
    struct thread_phases *thread = bpf_map_lookup_elem(&phases, &tid);
    if (thread)
        end_phases(thread, stack_pointer, sample->header.timestamp_ns, 0);
    return bpf_ringbuf_output(&events, (void *)sample, sizeof(*sample), BPF_RB_NO_WAKEUP) != 0;
}

/* The thread ends, or begins another program: its stack is gone, and its spans are left open. */
LINKED int leave_phases(u32 tid)
{
    struct thread_phases *thread = bpf_map_lookup_elem(&phases, &tid);
    if (!thread)
        return 0;
    end_phases(thread, ~0ULL, 0, 1);
    bpf_map_delete_elem(&phases, &tid);
    return 0;
}
