/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times in which a recorded thread has no CPU, and the part of them in which it could have run:
 *
 *     leave_cpu     sched_switch, of the thread that leaves its CPU: its time begins. A thread that sleeps waits for
 *                   something. One that is preempted, or yields, could go on at once (can_run).
 *     preempted_by  likewise: who takes the CPU of a thread that could go on.
 *     wake          sched_waking: from here on the thread could run. What was seen of it is who woke it.
 *     take_cpu      sched_switch, of the thread that comes onto the CPU: its time is over.
 *
 *                leave_cpu            wake             take_cpu
 *     sleeps         |------ waits ------|--- run delay ---|
 *     preempted      |------------- run delay -------------|
 *
 * All times are in the sums (sums.h). A time is an event, too, when it reaches the limit; when the thread did not sleep but was
 * preempted, or waited for a disk or a page, an eighth of the limit: such a time is never that of an idle thread.
 *
 * A thread has an entry in off_cpu from its first switch to its last. It is found by the address of its task_struct, which is
 * at hand at a switch at no cost. Whether a thread is recorded, and how threads are numbered, depends on the probe: assembled
 * programs pass the ids of threads, and look up the entry of those that wake up or come back, as most of the machine's threads
 * have none.
 *
 * The kernel does not trace all threads that give a CPU away. So a thread may leave its CPU twice; how long it was gone the first
 * time is not known, and is in no sum.
 */
#include "sched.h"
#include "sums.h"

/* What the tracepoint reports is in __trace_sched_switch_state() of include/trace/events/sched.h. */
#define TASK_RTLOCK_WAIT_OR_FROZEN 0x9000
#define HIGHEST_REPORTED 0x40
#define REPORT_IDLE 0x80
#define REPORT_PREEMPTED 0x100

#define NO_SLEEP_SHIFT 3

/* Which bits of `unavailable` are the waker's, and so on. */
#define RUNNABLE_UNAVAILABLE 0x02
#define WAKER_UNAVAILABLE 0x4c
#define NEXT_UNAVAILABLE 0xb0

/* OffCpuLayout: a sample. */
struct off_cpu_event {
    struct event_header header; /* timestamp_ns: 0 = the thread has a CPU */
    u64 state;                  /* as the tracepoint reports it */
    u64 runnable_ns;            /* how long, at the end, the thread could have run */
    u64 waker_tid;              /* of the running thread that made it runnable */
    u64 waker_pid;
    u64 next_tid;               /* of the thread that took the CPU of one that could go on; else 0 */
    u64 next_pid;
    u64 waker_comm[2];
    u64 next_comm[2];
};

/* OffCpuLayout: a value of the map off_cpu. */
struct off_cpu {
    struct off_cpu_event event;
    u64 runnable_since_ns; /* 0 = it waits, or its waking was not seen */
    u32 thread_tag;        /* as in struct sum_key */
    u32 unused;
};

struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u64);
    MAP_VALUE(struct off_cpu);
} off_cpu SEC(".maps");

struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(struct sum_key);
    MAP_VALUE(struct sum);
} sched_sums SEC(".maps");

enum sched_rest {
    OFF_CPU_REST,
    RUN_DELAY_REST,
    SCHED_RESTS
};

struct {
    MAP_TYPE(BPF_MAP_TYPE_ARRAY);
    MAP_ENTRIES(SCHED_RESTS);
    MAP_KEY(u32);
    MAP_VALUE(struct sum);
} sched_rest SEC(".maps");

/* The new entry of a thread; 0 = the map is full. */
SELDOM struct off_cpu *new_off_cpu(u64 task, u32 probe)
{
    struct off_cpu entry = {
        .event.header.probe = probe,
        .event.header.duration_ns = -1,
        .thread_tag = bpf_ktime_get_ns() >> THREAD_TAG_SHIFT,
    };
    bpf_map_update_elem(&off_cpu, &task, &entry, BPF_NOEXIST);
    return bpf_map_lookup_elem(&off_cpu, &task);
}

/* The state as the tracepoint reports it, of a thread that is not preempted. */
inline_always u64 reported_state(u64 state)
{
    if (state <= TASK_INTERRUPTIBLE)
        return state;
    if ((state & TASK_IDLE) == TASK_IDLE)
        return REPORT_IDLE;
    if (state & TASK_RTLOCK_WAIT_OR_FROZEN)
        return TASK_UNINTERRUPTIBLE;
#pragma clang loop unroll(full)
    for (u32 bit = HIGHEST_REPORTED; bit > TASK_INTERRUPTIBLE; bit /= 2)
        if (state & bit)
            return bit;
    return TASK_INTERRUPTIBLE;
}

/*
 * A recorded thread leaves its CPU.
 *
 * thread: its ids
 * passes_state: as in state_of()
 * probe: of times without a CPU
 *
 * Returns its entry if it could go on: preempted_by() is to be called. Its time begins there. Else 0.
 */
LINKED struct off_cpu *leave_cpu(
    const struct switch_context *context, const struct thread_ids *thread, u64 passes_state, u32 probe)
{
    u64 task = (u64)context->previous;
    u64 state = state_of(context, passes_state);
    count_alone(probe);
    if (state & TASK_DEAD) {
        bpf_map_delete_elem(&off_cpu, &task);
        return 0;
    }
    struct off_cpu *entry = bpf_map_lookup_elem(&off_cpu, &task);
    if (!entry) {
        entry = new_off_cpu(task, probe);
        if (!entry) {
            count_loss(probe, TOO_MANY_OPEN_SPANS);
            return 0;
        }
    }
    struct off_cpu_event *event = &entry->event;
    event->header.thread = *thread;
    event->header.cpu = bpf_get_smp_processor_id();
    event->header.unavailable = RUNNABLE_UNAVAILABLE | WAKER_UNAVAILABLE | NEXT_UNAVAILABLE;
    event->runnable_ns = 0;
    event->waker_tid = 0;
    event->waker_pid = 0;
    event->next_tid = 0;
    event->next_pid = 0;
    event->waker_comm[0] = 0;
    event->waker_comm[1] = 0;
    event->next_comm[0] = 0;
    event->next_comm[1] = 0;
    entry->runnable_since_ns = 0;
    int is_preempted = (u8)context->is_preempted;
    event->state = is_preempted ? REPORT_PREEMPTED : reported_state(state);
    if (is_preempted || state == 0)
        return entry;
    event->header.timestamp_ns = bpf_ktime_get_ns();
    return 0;
}

/*
 * Another thread takes the CPU of one that could go on.
 *
 * entry: of the one that could, as leave_cpu() returned it
 * next: the ids of the other
 * task: the address of its task_struct
 */
LINKED int preempted_by(struct off_cpu *entry, const struct thread_ids *next, struct task_struct *task)
{
    struct off_cpu_event *event = &entry->event;
    event->next_tid = next->tid;
    event->next_pid = next->tgid;
    READ(event->next_comm, task->comm);
    event->header.unavailable = RUNNABLE_UNAVAILABLE | WAKER_UNAVAILABLE;
    u64 now = bpf_ktime_get_ns();
    entry->runnable_since_ns = now;
    event->header.timestamp_ns = now;
    return 0;
}

/*
 * The running thread wakes a recorded one.
 *
 * entry: of the one that is woken
 * waker: the ids of the running one
 * probe: of the times in which a thread could have run
 */
LINKED int wake(struct off_cpu *entry, const struct thread_ids *waker, u32 probe)
{
    struct off_cpu_event *event = &entry->event;
    if (event->header.timestamp_ns == 0 || entry->runnable_since_ns != 0)
        return 0;
    event->waker_tid = waker->tid;
    event->waker_pid = waker->tgid;
    count_alone(probe);
    bpf_get_current_comm(event->waker_comm, sizeof(event->waker_comm));
    event->header.unavailable &= ~WAKER_UNAVAILABLE;
    entry->runnable_since_ns = bpf_ktime_get_ns();
    return 0;
}

/*
 * A recorded thread comes onto a CPU.
 *
 * entry: its own
 * probe: of times without a CPU; the next one is that of their parts in which the thread could run
 * interval: the value of the map sum_interval
 * limit: that of sched_limit
 */
LINKED int take_cpu(struct off_cpu *entry, u32 probe, const u32 *interval, const u64 *limit)
{
    struct off_cpu_event *event = &entry->event;
    if (event->header.timestamp_ns == 0)
        return 0;
    u64 now = bpf_ktime_get_ns();
    u32 tgid = event->header.thread.tgid;
    struct sum_key key = {event->header.thread.tid, probe + 1, entry->thread_tag};
    if (entry->runnable_since_ns != 0) {
        u64 runnable = now - entry->runnable_since_ns;
        event->runnable_ns = runnable;
        event->header.unavailable &= ~RUNNABLE_UNAVAILABLE;
        add_hit(&sched_sums, &sched_rest, RUN_DELAY_REST, interval, &key, tgid, runnable, 0);
    }
    u64 duration = now - event->header.timestamp_ns;
    key.probe = probe;
    add_hit(&sched_sums, &sched_rest, OFF_CPU_REST, interval, &key, tgid, duration, 0);
    if (duration >= (event->state == TASK_INTERRUPTIBLE ? *limit : *limit >> NO_SLEEP_SHIFT)) {
        struct off_cpu_event *sample = bpf_ringbuf_reserve(&events, sizeof(*sample), 0);
        if (sample) {
            *sample = *event;
            sample->header.duration_ns = duration;
            bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
        } else {
            count_loss(probe, RING_FULL);
        }
    }
    event->header.timestamp_ns = 0;
    return 0;
}
