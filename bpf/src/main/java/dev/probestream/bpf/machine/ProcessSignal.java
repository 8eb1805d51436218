package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.sys.SyscallException;

/** Signals to processes: kill(2). */
public final class ProcessSignal {
    private ProcessSignal() {}

    /**
     * Sends a signal.
     *
     * @param signal a number of signal(7)
     * @param what the purpose of the signal, for the message of the exception ("let 'node' (process 7) run")
     * @throws SyscallException ESRCH when there is no such process, EPERM when it may not be signalled
     */
    public static void send(int pid, int signal, String what) {
        Syscalls.check(Syscalls.kill(pid, signal), what);
    }

    /** Sends a signal to a process that may have ended already; errors are ignored. */
    public static void trySend(int pid, int signal) {
        Syscalls.kill(pid, signal);
    }
}
