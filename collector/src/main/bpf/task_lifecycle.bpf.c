/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lifecycle of threads and processes (tracepoints sched_process_fork, sched_process_exec, sched_process_exit, task_rename).
 * A process is known by its tgid, and has one thread at its start.
 *
 *     sched_process_fork  a new thread of the process, or a new process, which has the same name. The parent runs, the child
 *                         not yet.
 *     sched_process_exec  the process runs another program, under another name. It has one thread now, which may have had
 *                         another tid before.
 *     sched_process_exit  a thread ends. Its process ends with its last one.
 *     task_rename         a thread gets another name, from itself or from another thread.
 *
 * Each is a sample. Where the map targets lists the processes that are recorded, these programs keep it up to date (FollowRule):
 * children of recorded processes are added, or those that have a certain name, or any process that gets this name by an exec. A
 * process that ends stays, for its last context switch is still to come: the collector removes it.
 *
 * Assembled programs decide whether the thread is recorded that forks, executes, ends or is renamed.
 */
#include "event.h"
#include "task.h"

/* Losses of these samples are counted as those of probe 0. */
#define LIFECYCLE_PROBE 0

/* TaskLifecycleLayout. */
struct task_sample {
    struct event_header header; /* its ids: of the thread that forks, executes, ends or is renamed */
    union {
        struct thread_ids child;
        struct {
            u32 tid_before;
            u32 uid; /* the real one */
        } exec;
        struct {
            s32 code;      /* as wait(2) gives it */
            u32 has_ended; /* whether it was the last thread of its process */
        } exit;
        u64 none;
    };
    u8 comm[TASK_COMM_LEN]; /* of a fork the child's name, of an exec or a rename the new one */
};

/* A name of a thread with all bytes behind it, which are 0 (in the kernel since Linux 3.17). */
struct comm {
    u64 words[TASK_COMM_LEN / sizeof(u64)];
};

/* By the tgid of a recorded process. */
struct {
    MAP_TYPE(BPF_MAP_TYPE_HASH);
    MAP_ENTRIES(1);
    MAP_KEY(u32);
    MAP_VALUE(u32);
} targets SEC(".maps");

/* That of the running thread. On Linux 6.1 the helper leaves the words behind the name as they are. */
inline_always struct comm read_own_name(void)
{
    struct comm comm = {};
    bpf_get_current_comm(&comm, sizeof(comm));
    return comm;
}

inline_always int is_same_name(const struct comm *one, const struct comm *other)
{
    return one->words[0] == other->words[0] && one->words[1] == other->words[1];
}

inline_always void add_target(u32 tgid)
{
    u32 listed = 1;
    bpf_map_update_elem(&targets, &tgid, &listed, BPF_ANY);
}

/*
 * A recorded process forks: a new process is recorded, too.
 *
 * name: only a new process of this name is; 0 = any is
 *
 * Returns whether the fork is to be recorded, as that of a new thread always is.
 */
LINKED int follow_child(const struct thread_ids *parent, const struct thread_ids *child, struct task_struct *task,
    const struct comm *name)
{
    struct comm comm;
    if (child->tgid == parent->tgid)
        return 1;
    if (name) {
        READ(comm, task->comm);
        if (!is_same_name(&comm, name))
            return 0;
    }
    add_target(child->tgid);
    return 1;
}

/* A process of a recorded cgroup executes a program: it is listed, as it may have come into the cgroup since its fork. */
LINKED int follow_process(const struct thread_ids *thread)
{
    add_target(thread->tgid);
    return 0;
}

/* A process that is not recorded executes a program: it is recorded from here on if it has this name. Returns whether. */
LINKED int follow_name(const struct thread_ids *thread, const struct comm *name)
{
    struct comm comm = read_own_name();
    if (!is_same_name(&comm, name))
        return 0;
    add_target(thread->tgid);
    return 1;
}

/* A process that is recorded for its name executes a program: it is not recorded any more if it has another name now. */
LINKED int leave_name(const struct thread_ids *thread, const struct comm *name)
{
    struct comm comm = read_own_name();
    if (!is_same_name(&comm, name))
        bpf_map_delete_elem(&targets, &thread->tgid);
    return 0;
}

/* The beginning of a sample; 0 = there is no room. */
inline_always struct task_sample *begin_task_sample(enum record_type record_type, const struct thread_ids *thread)
{
    struct task_sample *sample = begin_sample(sizeof(*sample), record_type, thread, LIFECYCLE_PROBE);
    if (sample)
        sample->none = 0;
    return sample;
}

/*
 * Records a fork.
 *
 * task: of the child
 */
LINKED int record_fork(const struct thread_ids *parent, const struct thread_ids *child, struct task_struct *task)
{
    struct task_sample *sample = begin_task_sample(RECORD_FORK, parent);
    if (!sample)
        return 0;
    sample->child = *child;
    READ(sample->comm, task->comm);
    bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
    return 0;
}

/*
 * Records an exec.
 *
 * tid_before: of the thread that executes
 */
LINKED int record_exec(const struct thread_ids *thread, u32 tid_before)
{
    struct task_sample *sample = begin_task_sample(RECORD_EXEC, thread);
    if (!sample)
        return 0;
    sample->exec.tid_before = tid_before;
    sample->exec.uid = bpf_get_current_uid_gid();
    bpf_get_current_comm(sample->comm, TASK_COMM_LEN);
    bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
    return 0;
}

/*
 * Records the end of a thread.
 *
 * task: of the running thread, which ends. do_exit() of kernel/exit.c has taken it off the live ones before.
 */
LINKED int record_exit(const struct thread_ids *thread, struct task_struct *task)
{
    struct signal_struct *signal;
    atomic_t live;
    struct task_sample *sample = begin_task_sample(RECORD_EXIT, thread);
    if (!sample)
        return 0;
    READ(sample->exit.code, task->exit_code);
    READ(signal, task->signal);
    READ(live, signal->live);
    sample->exit.has_ended = live.counter == 0;
    bpf_get_current_comm(sample->comm, TASK_COMM_LEN);
    bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
    return 0;
}

/*
 * Records a new name.
 *
 * name: its address in the kernel
 */
LINKED int record_rename(const struct thread_ids *thread, u64 name)
{
    struct task_sample *sample = begin_task_sample(RECORD_RENAME, thread);
    if (!sample)
        return 0;
    __builtin_memset(sample->comm, 0, TASK_COMM_LEN);
    bpf_probe_read_kernel_str(sample->comm, TASK_COMM_LEN, name);
    bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
    return 0;
}
