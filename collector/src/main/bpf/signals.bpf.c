/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that end a process unless it handles them (tracepoint signal_generate). A hit runs in the thread that sends, or in any
 * thread where the kernel sends, and is an event of the process that receives.
 *
 * Assembled programs reject other signals and receivers that are not recorded. They add the stack where a process sends to
 * itself, which it also does by a fault, and submit the sample.
 */
#include "event.h"
#include "task.h"

/* Since Linux 4.20. */
struct kernel_siginfo {
    s32 si_code; /* why the signal was sent: sigaction(2) */
} OF_KERNEL;

/* linux/signal.h: what stands for a kernel_siginfo where there is none. */
#define SEND_SIG_NOINFO ((struct kernel_siginfo *)0) /* by a process */
#define SEND_SIG_PRIV ((struct kernel_siginfo *)1)   /* by the kernel */

/* asm-generic/siginfo.h */
#define SI_USER 0
#define SI_KERNEL 0x80

/* What signal_generate passes first. */
struct signal_context {
    u64 signal; /* an int: its lower half */
    struct kernel_siginfo *info;
};

/* On the stack of the assembled program. */
struct signal_threads {
    struct thread_ids sender;
    struct thread_ids receiver;
    struct signal_sample *sample; /* written by record_signal() */
};

/* A sample, as EventLayout has it; the stacks follow, if asked for. */
struct signal_sample {
    struct event_header header; /* its ids are those of the receiver */
    u64 signal;
    s64 code;
    u64 sender_pid;
    u64 sender_tid;
    u64 sender_uid;
    u8 sender[TASK_COMM_LEN];
};

inline_always s32 code_of(struct kernel_siginfo *info)
{
    s32 code;
    if (info == SEND_SIG_NOINFO)
        return SI_USER;
    if (info == SEND_SIG_PRIV)
        return SI_KERNEL;
    READ(code, info->si_code); /* 0 where it cannot be read */
    return code;
}

/*
 * Counts and records a signal.
 *
 * size_bytes: of the sample with its stacks; a constant in each program
 *
 * Returns whether there is room for it; threads->sample is the sample then, which is to be submitted (as by record_switch()).
 */
LINKED int record_signal(
    const struct signal_context *context, struct signal_threads *threads, u32 probe, u64 size_bytes)
{
    count_hit(probe);
    struct signal_sample *sample = begin_sample(size_bytes, RECORD_EVENT, &threads->receiver, probe);
    if (!sample)
        return 0;
    sample->signal = (u32)context->signal;
    sample->code = code_of(context->info);
    sample->sender_pid = threads->sender.tgid;
    sample->sender_tid = threads->sender.tid;
    sample->sender_uid = (u32)bpf_get_current_uid_gid();
    bpf_get_current_comm(sample->sender, TASK_COMM_LEN);
    threads->sample = sample;
    return 1;
}
