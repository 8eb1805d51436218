package dev.probestream.collector.program;

import java.util.OptionalInt;

/**
 * Where the fields of the running kernel's {@code struct task_struct} lie, in bytes; from BTF.
 *
 * @param pid what user space calls the tid
 * @param tgid what user space calls the pid
 * @param comm the thread's name, 16 bytes
 * @param prio s32, 120 = nice 0
 * @param state {@code __state}, {@code state} before 5.14
 * @param stateSizeBytes 4, before 5.14 8
 * @param exitState s32
 * @param cpu u32, absent where the kernel has it elsewhere
 * @param exitCode s32, as wait(2) gives it
 * @param signal pointer to {@code struct signal_struct}
 * @param signalLive in {@code struct signal_struct}: s32, the threads that have not ended yet
 * @param switchHasPreviousState whether sched_switch passes the state as its fourth argument (5.18 and later)
 */
public record TaskOffsets(
        int pid,
        int tgid,
        int comm,
        int prio,
        int state,
        int stateSizeBytes,
        int exitState,
        OptionalInt cpu,
        int exitCode,
        int signal,
        int signalLive,
        boolean switchHasPreviousState) {}
