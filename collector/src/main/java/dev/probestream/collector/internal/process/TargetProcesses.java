package dev.probestream.collector.internal.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds running processes by name, control group or parent. Processes that exit meanwhile are skipped. */
public final class TargetProcesses {
    /** The kernel keeps 15 bytes of a thread's name (TASK_COMM_LEN of linux/sched.h, minus the NUL). */
    private static final int MAX_COMM_BYTES = 15;

    private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private TargetProcesses() {}

    /** What to say where no process of this name was there until the end. */
    public static String noneStarted(String comm) {
        return "no process named " + comm + " was started";
    }

    /**
     * Returns the processes whose main thread or executable file has this name; only the first 15 bytes are compared.
     * (Node.js 24 renames its main thread to MainThread; its file is still node.) Excludes this process.
     *
     * @param mayBeEmpty whether there may be none
     * @param skipped takes a sentence if some ended before they could be read
     * @throws ResolveException if access to one of them is denied, or there is none
     */
    public static List<Target> ofComm(String comm, boolean mayBeEmpty, Consumer<String> skipped)
            throws ResolveException {
        String kept = cut(comm);
        List<Target> found =
                targets(pids().stream().filter(pid -> isNamed(pid, kept)).toList(), skipped);
        if (found.isEmpty() && !mayBeEmpty) {
            throw new ResolveException(
                    Reason.NO_PROCESS,
                    "find processes named '" + comm + "': none is running ('ps -e -o pid,comm' lists the names)");
        }
        return found;
    }

    /**
     * Returns the processes of a control group and the groups below it. A process that has ended is passed over; one that may
     * not be looked at is too, if there are others.
     *
     * @param skipped takes a sentence for each that may not be looked at
     * @param group its folder, e.g. /sys/fs/cgroup/system.slice/app.service
     * @throws ResolveException if there is no such group, or access to one of its processes is denied
     */
    public static List<Target> ofCgroup(Path group, Consumer<String> skipped) throws ResolveException {
        List<Integer> pids = new ArrayList<>();
        try (Stream<Path> folders = Files.walk(group)) {
            for (Path folder : (Iterable<Path>) folders.filter(Files::isDirectory)::iterator) {
                pids.addAll(processesOf(folder, folder.equals(group)));
            }
        } catch (UncheckedIOException e) {
            throw unreadable(group, new IOException(e));
        } catch (IOException e) {
            throw unreadable(group, e);
        }
        return readable(pids, skipped);
    }

    /** A group below the one that was asked for may be removed while it is read, and one of threads lists no processes. */
    private static List<Integer> processesOf(Path group, boolean isAskedFor) throws IOException {
        try {
            return Files.readAllLines(group.resolve("cgroup.procs")).stream()
                    .map(Integer::parseInt)
                    .toList();
        } catch (IOException e) {
            if (isAskedFor) {
                throw e;
            }
            return List.of();
        }
    }

    /** Returns all processes but this one and those that may not be looked at; kernel threads are none. */
    public static List<Target> all() throws ResolveException {
        return readable(pids(), unused -> {});
    }

    /** The kernel threads, which have a name and no program, by their ids. */
    public static Map<Integer, String> kernelThreads() throws ResolveException {
        Map<Integer, String> threads = new TreeMap<>();
        for (int pid : pids()) {
            if (isKernelThread(pid)) {
                comm(pid).ifPresent(comm -> threads.put(pid, comm));
            }
        }
        return threads;
    }

    private static boolean isKernelThread(int pid) {
        try {
            return ProcFile.read(pid, "cmdline").isEmpty()
                    && ProcFile.statusField(ProcFile.read(pid, "status"), "VmSize")
                            .isEmpty();
        } catch (IOException e) {
            return false; // has ended
        }
    }

    private static List<Target> readable(List<Integer> pids, Consumer<String> skipped) throws ResolveException {
        List<Target> targets = new ArrayList<>();
        List<ResolveException> denied = new ArrayList<>();
        for (int pid : pids) {
            try {
                targets.add(Target.of(pid));
            } catch (ResolveException e) {
                if (e.reason() != Reason.NO_PROCESS) {
                    denied.add(e);
                }
            }
        }
        if (targets.isEmpty() && !denied.isEmpty()) {
            throw denied.get(0);
        }
        denied.forEach(e ->
                skipped.accept(e.getMessage() + "; its files are not searched for probes, and it has no counters"));
        return targets;
    }

    /**
     * Returns all running children, grandchildren and so on.
     *
     * @param skipped takes a sentence if some ended before they could be read
     */
    public static List<Target> descendantsOf(int pid, Consumer<String> skipped) throws ResolveException {
        List<Integer> found = new ArrayList<>();
        Deque<Integer> open = new ArrayDeque<>(List.of(pid));
        while (!open.isEmpty()) {
            List<Integer> children = childrenOf(open.pop());
            children.removeAll(found);
            found.addAll(children);
            open.addAll(children);
        }
        return targets(found, skipped);
    }

    /**
     * Whether a process of this name, in the sense of {@link #ofComm}, runs and has begun to run code of its own: its
     * dynamic linker has mapped the libraries.
     */
    public static boolean isRunning(String comm) throws ResolveException {
        String kept = cut(comm);
        for (int pid : pids()) {
            if (isNamed(pid, kept) && hasMappedLibraries(pid)) {
                return true;
            }
        }
        return false;
    }

    /** A program maps its libraries in its first milliseconds; none are mapped between two looks after that. */
    private static boolean hasMappedLibraries(int pid) {
        try {
            int before = ProcessMaps.read(pid).codeFiles().size();
            LockSupport.parkNanos(SETTLE_NS);
            return before > 0 && before == ProcessMaps.read(pid).codeFiles().size();
        } catch (IOException e) {
            return !hasEnded(pid); // no permission to read it, which is reported when it is examined
        }
    }

    /** The name of a process's main thread; empty if it is gone. */
    public static Optional<String> comm(int pid) {
        try {
            return Optional.of(ProcFile.read(pid, "comm").stripTrailing());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether a process is gone, or is a zombie without a living thread. */
    public static boolean hasEnded(int pid) {
        try (Stream<Path> tasks = Files.list(ProcFile.of(pid, "task"))) {
            String state =
                    ProcFile.statusField(ProcFile.read(pid, "status"), "State").orElse("");
            return (state.startsWith("Z") || state.startsWith("X")) && tasks.count() <= 1;
        } catch (IOException | UncheckedIOException e) {
            return true;
        }
    }

    private static ResolveException unreadable(Path group, IOException e) {
        return new ResolveException(
                Reason.NO_PROCESS,
                "read the processes of control group " + group + ": " + ProcFile.reason(e)
                        + " (use its folder below /sys/fs/cgroup)",
                e);
    }

    private static List<Integer> childrenOf(int pid) {
        List<Integer> children = new ArrayList<>();
        try (Stream<Path> tasks = Files.list(ProcFile.of(pid, "task"))) {
            for (Path task : (Iterable<Path>) tasks::iterator) {
                String pids = Files.readString(task.resolve("children"));
                Arrays.stream(pids.split(" "))
                        .filter(child -> !child.isEmpty())
                        .map(Integer::parseInt)
                        .forEach(children::add);
            }
        } catch (IOException e) {
            return children; // exited meanwhile
        }
        return children;
    }

    private static List<Target> targets(List<Integer> pids, Consumer<String> skipped) throws ResolveException {
        List<Target> targets = new ArrayList<>();
        for (int pid : pids) {
            try {
                targets.add(Target.of(pid));
            } catch (ResolveException e) {
                if (e.reason() != Reason.NO_PROCESS) {
                    throw e;
                }
            }
        }
        int gone = pids.size() - targets.size();
        if (gone > 0) {
            skipped.accept(gone + (gone == 1 ? " process" : " processes")
                    + " ended before " + (gone == 1 ? "it" : "they") + " could be read from /proc and "
                    + (gone == 1 ? "is" : "are") + " left out");
        }
        return targets;
    }

    private static boolean isNamed(int pid, String comm) {
        try {
            return ProcFile.read(pid, "comm").stripTrailing().equals(comm)
                    || cut(Files.readSymbolicLink(ProcFile.of(pid, "exe"))
                                    .getFileName()
                                    .toString())
                            .equals(comm);
        } catch (IOException e) {
            return false;
        }
    }

    /** Cuts a name as the kernel does. */
    private static String cut(String name) {
        byte[] bytes = name.getBytes(UTF_8);
        return new String(bytes, 0, Math.min(bytes.length, MAX_COMM_BYTES), UTF_8);
    }

    private static List<Integer> pids() throws ResolveException {
        int self = Math.toIntExact(ProcessHandle.current().pid());
        Predicate<String> isNumber = name -> name.matches("\\d{1,9}");
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(isNumber)
                    .map(Integer::parseInt)
                    .filter(pid -> pid != self)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ResolveException(Reason.NO_PROCESS, "list /proc: " + ProcFile.reason(e), e);
        }
    }
}
