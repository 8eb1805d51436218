package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Detects the exit of a process, also when a later process gets the same pid. Uses a pidfd (pidfd_open(2), since 5.3)
 * where the kernel gives one, else the start time in /proc/PID/stat.
 */
public final class ProcessWatch implements AutoCloseable {
    // poll(2): struct pollfd is fd at 0 (int), events at 4 (short), revents at 6 (short)
    private static final int POLLFD_BYTES = 8;
    private static final int POLLIN = 1;

    private final int pid;
    private final @Nullable FileDescriptor pidfd;
    private final Optional<String> startTime;

    private ProcessWatch(int pid, @Nullable FileDescriptor pidfd, Optional<String> startTime) {
        this.pid = pid;
        this.pidfd = pidfd;
        this.startTime = startTime;
    }

    /**
     * Opens a pidfd, or reads the start time.
     *
     * @param pid of the process, in the pid namespace of this one
     * @return what was opened; the caller closes it
     * @throws SyscallException ESRCH when there is no such process
     */
    public static ProcessWatch open(int pid) {
        long result = Syscalls.call(SystemCall.PIDFD_OPEN, pid, 0);
        // Any other error (old kernel, a container's seccomp filter) does not depend on the process.
        return result >= 0 || Errno.ESRCH.is(result)
                ? new ProcessWatch(pid, FileDescriptor.of(result, "watch process " + pid, ""), Optional.empty())
                : openByProc(pid);
    }

    static ProcessWatch openByProc(int pid) {
        Optional<String> startTime = startTime(pid);
        if (startTime.isEmpty()) {
            throw new SyscallException("watch process " + pid, Errno.ESRCH.number(), "");
        }
        return new ProcessWatch(pid, null, startTime);
    }

    /** {@return the process} */
    public int pid() {
        return pid;
    }

    /** {@return whether the process has ended, also if it is still a zombie; does not wait} */
    public boolean hasExited() {
        return pidfd == null ? !startTime(pid).equals(startTime) : isReadable(pidfd);
    }

    @Override
    public void close() {
        if (pidfd != null) {
            pidfd.close();
        }
    }

    private static boolean isReadable(FileDescriptor pidfd) {
        NativeMemory poll =
                NativeMemory.allocate(POLLFD_BYTES).putInt(0, pidfd.number()).putByte(4, POLLIN);
        NativeMemory noWaiting = NativeMemory.allocate(2 * Long.BYTES);
        long result = poll.lend(
                entries -> noWaiting.lend(timeout -> Syscalls.call(SystemCall.PPOLL, entries, 1, timeout, 0, 0, 0)));
        if (Errno.EINTR.is(result)) {
            return false;
        }
        return Syscalls.check(result, "ask whether a process has ended") > 0;
    }

    /** Field 22 of /proc/PID/stat (proc(5)), or empty when the process is gone or a zombie. */
    private static Optional<String> startTime(int pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            // The second field, the command's name, may hold anything; its closing parenthesis is the last one.
            String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            boolean isZombie = afterName[0].equals("Z") || afterName[0].equals("X");
            return isZombie ? Optional.empty() : Optional.of(afterName[19]);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
