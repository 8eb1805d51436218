package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The open descriptors of one process, from /proc/PID/fd. How many there are is the size of that folder since Linux 6.2; what
 * they are is read link by link.
 */
final class ProcessDescriptors {
    private static final String SOCKET = "socket:[";

    private final int pid;
    private long limit = Long.MIN_VALUE;

    ProcessDescriptors(int pid) {
        this.pid = pid;
    }

    /**
     * How many there are, and how many there may be.
     *
     * @throws IOException if the process has ended or may not be looked at
     */
    void count(List<CounterValues> values) throws IOException {
        if (limit == Long.MIN_VALUE) {
            limit = limit();
        }
        Path folder = ProcFile.of(pid, "fd");
        long open = Files.size(folder);
        if (open == 0) {
            try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(folder)) {
                for (Path unused : descriptors) {
                    open++;
                }
            }
        }
        values.add(CounterValues.of(ProcessCounter.OPEN_DESCRIPTORS, pid, ClockReading.monotonicNowNs(), open, limit));
    }

    /** {@code Max open files  1024  1048576  files}: the soft limit. */
    private long limit() throws IOException {
        return ProcFile.read(pid, "limits")
                .lines()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.substring("Max open files".length()).strip().split("\\s+")[0])
                .filter(soft -> !soft.equals("unlimited"))
                .map(Long::parseLong)
                .findFirst()
                .orElse(CounterValues.UNKNOWN);
    }

    /**
     * Counts them by kind.
     *
     * @return the inodes of the sockets
     * @throws IOException if the process has ended or may not be looked at
     */
    Set<Long> kinds(List<CounterValues> values) throws IOException {
        Set<Long> sockets = new HashSet<>();
        long socketCount = 0;
        long pipes = 0;
        long files = 0;
        long eventpolls = 0;
        long eventfds = 0;
        long anonymous = 0;
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(ProcFile.of(pid, "fd"))) {
            for (Path descriptor : descriptors) {
                String target = link(descriptor);
                if (target.startsWith(SOCKET)) {
                    socketCount++;
                    sockets.add(Long.valueOf(target.substring(SOCKET.length(), target.length() - 1)));
                } else if (target.startsWith("pipe:")) {
                    pipes++;
                } else if (target.startsWith("anon_inode:[eventpoll]")) {
                    eventpolls++;
                } else if (target.startsWith("anon_inode:[eventfd")) {
                    eventfds++;
                } else if (target.startsWith("/")) {
                    files++;
                } else if (!target.isEmpty()) {
                    anonymous++;
                }
            }
        }
        values.add(CounterValues.of(
                ProcessCounter.DESCRIPTORS,
                pid,
                ClockReading.monotonicNowNs(),
                socketCount,
                pipes,
                files,
                eventpolls,
                eventfds,
                anonymous));
        return sockets;
    }

    private static String link(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException e) {
            return ""; // closed meanwhile
        }
    }
}
