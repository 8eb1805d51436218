package dev.probestream.bpf.internal;

import dev.probestream.bpf.sys.SyscallException;
import jnr.ffi.LibraryLoader;

/**
 * Makes system calls. Results follow the kernel's convention: a negative number is minus the errno; {@link #check}
 * turns that into a {@link SyscallException}. Safe for several threads.
 */
public final class Syscalls {
    static final CLibrary C_LIBRARY = JnrFfi.loader(CLibrary.class).load(LibraryLoader.DEFAULT_LIBRARY);

    private static final int SIGNAL_SET_BYTES = 8; // sizeof(sigset_t) of the kernel

    private Syscalls() {}

    /**
     * bpf(2).
     *
     * @param command a {@code BPF_} command of {@code enum bpf_cmd}
     * @param attr union bpf_attr; it and the memory it points to stay reachable until the call returns
     */
    public static long bpf(int command, NativeMemory attr) {
        return attr.lend(address -> call(SystemCall.BPF, command, address, attr.sizeBytes()));
    }

    /**
     * perf_event_open(2) with PERF_FLAG_FD_CLOEXEC and no group.
     *
     * @param pid of the process to observe, or -1 for all
     * @param cpu to observe, or -1 for any
     */
    public static long perfEventOpen(NativeMemory attr, int pid, int cpu) {
        long closeOnExec = 8; // PERF_FLAG_FD_CLOEXEC of linux/perf_event.h
        return attr.lend(address -> call(SystemCall.PERF_EVENT_OPEN, address, pid, cpu, -1, closeOnExec, 0));
    }

    /** ioctl(2) with a number as its argument. */
    public static long ioctl(FileDescriptor file, long request, long argument) {
        return call(SystemCall.IOCTL, file.number(), request, argument);
    }

    /**
     * kill(2).
     *
     * @param signal a number of signal(7); 0 only checks that the process exists and may be signalled
     */
    public static long kill(int pid, int signal) {
        return call(SystemCall.KILL, pid, signal);
    }

    /**
     * rt_sigaction(2) with SIG_DFL for this process. The kernel's struct sigaction is handler, flags and mask of 8 bytes each,
     * and on x86-64 the restorer before the mask; all zeros mean the default.
     */
    public static long restoreDefault(int signal) {
        int sizeBytes = 4 * Long.BYTES;
        NativeMemory action = NativeMemory.allocate(sizeBytes);
        return action.lend(address -> call(SystemCall.RT_SIGACTION, signal, address, 0, SIGNAL_SET_BYTES, 0, 0));
    }

    /** geteuid(2). */
    public static int effectiveUserId() {
        return (int) call(SystemCall.GETEUID);
    }

    /**
     * Returns a result that is not an error.
     *
     * @param attempt what was attempted, for the exception
     * @throws SyscallException for a negative result
     */
    public static int check(long result, String attempt) {
        return check(result, attempt, "");
    }

    /** As {@link #check(long, String)}, with the reason or the remedy for the message. */
    public static int check(long result, String attempt, String advice) {
        if (result < 0) {
            throw new SyscallException(attempt, (int) -result, advice);
        }
        return (int) result;
    }

    /** The raw call: up to six arguments, missing ones are zero. The caller keeps memory behind addresses reachable. */
    public static long call(SystemCall systemCall, long a, long b, long c, long d, long e, long f) {
        long result = C_LIBRARY.syscall(systemCall.number(), a, b, c, d, e, f);
        // Before any other call through jnr-ffi, which keeps only the errno of the thread's last call.
        return result == -1 ? -JnrFfi.lastErrno() : result;
    }

    public static long call(SystemCall systemCall, long a, long b, long c) {
        return call(systemCall, a, b, c, 0, 0, 0);
    }

    public static long call(SystemCall systemCall, long a, long b) {
        return call(systemCall, a, b, 0, 0, 0, 0);
    }

    static long call(SystemCall systemCall) {
        return call(systemCall, 0, 0, 0, 0, 0, 0);
    }
}
