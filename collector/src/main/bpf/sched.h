/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tracepoints of the scheduler pass, and states of threads (linux/sched.h of the kernel).
 *
 * Interrupts are off where the kernel switches threads, and where it wakes another thread than the running one
 * (try_to_wake_up() in kernel/sched/core.c).
 */
#pragma once

#include "event.h"
#include "task.h"

#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
#define TASK_DEAD 0x80
#define TASK_IDLE 0x402

/* What sched_switch passes. */
struct switch_context {
    u64 is_preempted; /* a bool: its lowest byte */
    struct task_struct *previous;
    struct task_struct *next;
    u64 previous_state; /* an unsigned int: its lower half; since Linux 5.18 */
};

/*
 * The state in which a thread leaves its CPU, as its task_struct has it.
 *
 * passes_state: whether the tracepoint passes it: a constant in each program. The task may have been woken since, so what is
 *     passed is to be preferred.
 */
inline_always u64 state_of(const struct switch_context *context, u64 passes_state)
{
    struct task_struct *task = context->previous;
    u32 state;
    u64 older = 0;
    if (passes_state)
        return (u32)context->previous_state;
    if (HAS_FIELD(task->__state)) {
        READ(state, task->__state);
        return state;
    }
    READ(older, ((struct task_struct___before_5_14 *)task)->state);
    return older;
}
