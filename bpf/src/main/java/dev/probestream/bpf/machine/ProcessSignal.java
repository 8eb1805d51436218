package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;

/** Signals to processes: kill(2). */
public final class ProcessSignal {
    private ProcessSignal() {}

    /**
     * Sends a signal.
     *
     * @param pid of the process, in the pid namespace of this one
     * @param signal a number of signal(7)
     * @param what the purpose of the signal, for the message of the exception ("let 'node' (process 7) run")
     * @throws SyscallException ESRCH when there is no such process, EPERM when it may not be signalled
     */
    public static void send(int pid, int signal, String what) {
        Syscalls.check(Syscalls.kill(pid, signal), what);
    }

    /**
     * {@return whether this process ignores a signal, as it does when its parent did}
     *
     * @param signal a number of signal(7)
     */
    public static boolean isIgnored(int signal) {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("SigIgn:")) // proc_pid_status(5): a mask in hexadecimal
                    .map(line ->
                            new BigInteger(line.substring("SigIgn:".length()).strip(), 16))
                    .anyMatch(mask -> mask.testBit(signal - 1));
        } catch (IOException e) {
            return false; // without /proc nothing here works, which is reported elsewhere
        }
    }

    /**
     * Takes the default action for a signal again in this process.
     *
     * @param signal a number of signal(7)
     * @param what the purpose, for the message of the exception
     */
    public static void restoreDefault(int signal, String what) {
        Syscalls.check(Syscalls.restoreDefault(signal), what);
    }

    /**
     * Sends a signal to a process that may have ended already; errors are ignored.
     *
     * @param pid of the process, in the pid namespace of this one
     * @param signal a number of signal(7)
     */
    public static void trySend(int pid, int signal) {
        Syscalls.kill(pid, signal);
    }
}
