/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Context switches and wake-ups, each of which is an event (sched:all):
 *
 *     record_switch  sched_switch: a thread leaves a CPU, and another one takes it. Runs in the thread that leaves.
 *     record_waking  sched_waking: the running thread makes another one runnable.
 *
 * An event has two threads. It is recorded if one of the two is: assembled programs read the ids of both and decide. The stack of
 * a thread that leaves is only of interest if it waits: there the assembled program adds it, and submits the sample.
 */
#include "sched.h"

/* SwitchLayout: the beginning of a sample; the stacks follow, if asked for. */
struct switch_sample {
    struct event_header header; /* its ids are those of the thread that leaves */
    u64 previous_state;         /* as task_struct has it */
    s32 previous_exit_state;    /* of a thread that ends, else 0 */
    u32 is_preempted;
    s32 previous_priority;
    s32 next_priority;
    struct thread_ids next;
    u8 previous_comm[TASK_COMM_LEN];
    u8 next_comm[TASK_COMM_LEN];
};

/* The sample of a wake-up, as EventLayout has it. */
struct waking_sample {
    struct event_header header; /* its ids are those of the thread that wakes the other */
    u64 tid;
    u64 pid;
    s64 priority;
    s64 target_cpu; /* the CPU of the thread that is woken; the scheduler may choose another one afterwards */
    u8 comm[TASK_COMM_LEN];
};

/* Bits of `unavailable`. */
#define TARGET_CPU_UNAVAILABLE 0x8

/* On the stack of the assembled program: the ids of the two threads of a switch. */
struct switch_threads {
    struct thread_ids previous;
    struct thread_ids next;
    struct switch_sample *sample; /* written by record_switch() */
};

/*
 * Counts and records a switch.
 *
 * size_bytes: of the sample with its stacks; a constant in each program, as is passes_state (see state_of())
 *
 * Returns whether there is room for it; threads->sample is the sample then, which is to be submitted. It is not what is returned:
 * Linux 6.1 does not know that a sample cannot be 0, and would have it submitted where there is none.
 */
LINKED int record_switch(const struct switch_context *context, struct switch_threads *threads, u32 probe, u64 size_bytes,
    u64 passes_state)
{
    count_alone(probe);
    struct switch_sample *sample = begin_sample(size_bytes, RECORD_SWITCH, &threads->previous, probe);
    if (!sample)
        return 0;
    struct task_struct *previous = context->previous;
    struct task_struct *next = context->next;
    u64 state = state_of(context, passes_state);
    sample->previous_state = state;
    sample->previous_exit_state = 0;
    if (state & TASK_DEAD)
        READ(sample->previous_exit_state, previous->exit_state);
    sample->is_preempted = (u8)context->is_preempted;
    READ(sample->previous_priority, previous->prio);
    READ(sample->next_priority, next->prio);
    sample->next = threads->next;
    READ(sample->previous_comm, previous->comm); /* bpf_get_current_comm() takes 10 ns more */
    READ(sample->next_comm, next->comm);
    threads->sample = sample;
    return 1;
}

/* Whether the thread leaves to wait. The stack of one that is preempted, or that ends, explains nothing. */
LINKED int leaves_to_wait(const struct switch_sample *sample)
{
    u64 state = sample->previous_state;
    return !sample->is_preempted && state != 0 && !(state & TASK_DEAD);
}

/*
 * Counts and records a wake-up.
 *
 * task: the task_struct of the thread that is woken
 */
LINKED int record_waking(
    const struct thread_ids *waker, const struct thread_ids *woken, struct task_struct *task, u32 probe)
{
    s32 priority;
    u32 cpu;
    /* A thread that wakes itself does so with interrupts on, and an interrupt may wake another thread. */
    if (waker->tid == woken->tid)
        count_hit(probe);
    else
        count_alone(probe);
    struct waking_sample *sample = begin_sample(sizeof(*sample), RECORD_EVENT, waker, probe);
    if (!sample)
        return 0;
    sample->tid = woken->tid;
    sample->pid = woken->tgid;
    READ(priority, task->prio);
    sample->priority = priority;
    if (HAS_FIELD(task->thread_info.cpu)) {
        READ(cpu, task->thread_info.cpu);
        sample->target_cpu = (s32)cpu;
    } else if (HAS_FIELD(task->cpu)) {
        READ(cpu, task->cpu);
        sample->target_cpu = (s32)cpu;
    } else {
        sample->target_cpu = -1;
        sample->header.unavailable = TARGET_CPU_UNAVAILABLE;
    }
    READ(sample->comm, task->comm);
    bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
    return 0;
}
