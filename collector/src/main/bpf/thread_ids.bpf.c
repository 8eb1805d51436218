/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ids of threads where the collector runs in a pid namespace that is not the initial one: in a container. The kernel's own
 * ids are those of the initial namespace.
 *
 * A thread has an id in its own namespace and in each around it (struct pid), so the collector's is looked for among those. A
 * thread that has none there is outside: it gets the kernel's ids plus OUTSIDE, by which they are distinguished. The idle
 * thread is 0 everywhere.
 */
#pragma once

#include "event.h"
#include "task.h"

/* PidNamespace.OUTSIDE: ids are below 2^22 (PID_MAX_LIMIT of linux/threads.h). */
#define OUTSIDE (1U << 30)

/* MAX_PID_NS_LEVEL of linux/pid_namespace.h. */
#define MAX_LEVEL 32

/* By the tid in the initial namespace: the ids of a thread that ended, of which the kernel knows them no more. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_LRU_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(struct thread_ids);
} ended_threads SEC(".maps");

inline_always struct thread_ids kernel_ids(void)
{
    u64 ids = bpf_get_current_pid_tgid();
    return (struct thread_ids){ids, ids >> 32};
}

inline_always void mark_outside(struct thread_ids *ids)
{
    if (ids->tid | ids->tgid) {
        ids->tid |= OUTSIDE;
        ids->tgid |= OUTSIDE;
    }
}

/* At which level a thread has its id of the namespace with this inode; 0 = it has none there. */
inline_always u32 find_level(struct pid *pid, u32 inode)
{
    u32 own;
    if (!READ(own, pid->level))
        return 0;
#pragma clang loop unroll(disable)
    for (u32 level = 1; level <= MAX_LEVEL && level <= own; level++) {
        struct pid_namespace *namespace;
        u32 found;
        if (!READ(namespace, pid->numbers[level].ns) || !READ(found, namespace->ns.inum))
            return 0;
        if (found == inode)
            return level;
    }
    return 0;
}

/* Returns whether the task has ids in the namespace. As bpf_get_ns_current_pid_tgid(), for any task. */
inline_always int look_up_ids(struct thread_ids *ids, struct task_struct *task, u32 inode)
{
    struct pid *thread;
    struct pid *process;
    struct signal_struct *signal;
    struct thread_ids found;
    if (!READ(thread, task->thread_pid) || !thread)
        return 0;
    u32 level = find_level(thread, inode);
    if (level == 0 || !READ(found.tid, thread->numbers[level].nr) || !READ(signal, task->signal)
        || !READ(process, signal->pids[PIDTYPE_TGID]) || !process
        || !READ(found.tgid, process->numbers[level].nr))
        return 0;
    *ids = found;
    return 1;
}

/*
 * Reads the ids of the running thread; without the kernel's types, those of threads whose own namespace this is.
 *
 * device, inode: of the namespace's file
 */
LINKED int read_own_ids(struct thread_ids *ids, u64 device, u64 inode)
{
    if (bpf_get_ns_current_pid_tgid(device, inode, ids, sizeof(*ids)) == 0)
        return 0;
    *ids = kernel_ids();
    mark_outside(ids);
    return 0;
}

/* The same of any thread. */
LINKED int read_ids(struct thread_ids *ids, u64 device, u64 inode)
{
    if (bpf_get_ns_current_pid_tgid(device, inode, ids, sizeof(*ids)) == 0
        || look_up_ids(ids, (void *)bpf_get_current_task(), inode))
        return 0;
    *ids = kernel_ids();
    mark_outside(ids);
    return 0;
}

/*
 * Translates the ids of a task.
 *
 * ids: those of the initial namespace before
 * task: the address of its task_struct
 */
LINKED int translate_ids(struct thread_ids *ids, u64 task, u64 inode)
{
    if (!look_up_ids(ids, (void *)task, inode))
        mark_outside(ids);
    return 0;
}

/* The same without the kernel's types: nobody but the running thread has ids here. */
LINKED int mark_ids(struct thread_ids *ids)
{
    mark_outside(ids);
    return 0;
}

/* Keeps the ids of the running thread, which ends: the kernel takes them away before its last context switch. */
LINKED int keep_ended_ids(const struct thread_ids *ids)
{
    u32 tid = kernel_ids().tid;
    bpf_map_update_elem(&ended_threads, &tid, ids, BPF_ANY);
    return 0;
}

/* Replaces the ids of the running thread by those that were kept, if it has ended and is outside therefore. */
LINKED int find_ended_ids(struct thread_ids *ids)
{
    if (ids->tid < OUTSIDE)
        return 0;
    u32 tid = kernel_ids().tid;
    struct thread_ids *kept = bpf_map_lookup_elem(&ended_threads, &tid);
    if (kept)
        *ids = *kept;
    return 0;
}
