package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.machine.ProcessCpuClock;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads the counters of processes. Descriptors by kind and connections cost time with every descriptor and with every socket
 * of the machine, so they have a pace of their own. What cannot be read is reported once. Not thread-safe.
 */
final class ProcessReader implements AutoCloseable {
    private static final Path PROC = Path.of("/proc");

    private final Map<Integer, OneProcess> processes = new HashMap<>();
    private final Map<String, NetworkNamespace> namespaces = new HashMap<>();
    private final ReadingPace pace = new ReadingPace();
    private final ReadingPace descriptorPace = new ReadingPace();
    private final MachineLoad machine = new MachineLoad(PROC);
    private final ProcessProgram.Runtimes runtimes = new ProcessProgram.Runtimes();
    private final Set<String> unreadable = new LinkedHashSet<>();

    private static final class OneProcess {
        final ProcessProgram program;
        final ProcessTimes times;
        final ProcessDescriptors descriptors;
        final ProcessSockets sockets;
        final ControlGroups groups;
        final CpuLimits limits;

        OneProcess(int pid, ProcessProgram.Runtimes runtimes) {
            program = new ProcessProgram(pid, runtimes);
            times = new ProcessTimes(pid);
            descriptors = new ProcessDescriptors(pid);
            sockets = new ProcessSockets(pid);
            groups = new ControlGroups(PROC, pid);
            limits = new CpuLimits(pid);
        }
    }

    /** A look at one thing of one process. */
    private interface Look {
        void read() throws IOException;
    }

    /**
     * Reads what is due.
     *
     * @param pids of the processes that live; others are removed
     * @param isLast whether all is due
     */
    List<CounterValues> read(Collection<Integer> pids, boolean isLast) {
        processes.keySet().retainAll(Set.copyOf(pids));
        List<CounterValues> values = new ArrayList<>();
        long beginNs = ClockReading.monotonicNowNs();
        long beginCpuNs = ProcessCpuClock.ofThisThreadNs();
        if (isLast || pace.isDue(beginNs)) {
            machine.read();
            for (int pid : pids) {
                OneProcess process = process(pid);
                look(pid, "times and memory", () -> process.times.read(values));
                look(pid, "number of descriptors", () -> process.descriptors.count(values));
                look(pid, "control group", () -> readGroups(pid, process, values));
            }
            pace.taken(beginNs, ProcessCpuClock.ofThisThreadNs() - beginCpuNs);
        }
        long descriptorsNs = ClockReading.monotonicNowNs();
        long descriptorsCpuNs = ProcessCpuClock.ofThisThreadNs();
        if (isLast || descriptorPace.isDue(descriptorsNs)) {
            readDescriptors(pids, values);
            descriptorPace.taken(descriptorsNs, ProcessCpuClock.ofThisThreadNs() - descriptorsCpuNs);
        }
        return values;
    }

    /**
     * Reads what is read once of each program that a process runs. Apart from the counters, which it would delay: the symbols of
     * Node's executable are read.
     *
     * @param pids of the processes that live
     */
    List<CounterValues> readPrograms(Collection<Integer> pids) {
        List<CounterValues> values = new ArrayList<>();
        for (int pid : pids) {
            look(pid, "program", () -> process(pid).program.read(values));
        }
        return values;
    }

    private OneProcess process(int pid) {
        return processes.computeIfAbsent(pid, unused -> new OneProcess(pid, runtimes));
    }

    private void readGroups(int pid, OneProcess process, List<CounterValues> values) throws IOException {
        List<ControlGroups.Group> groups = process.groups.read();
        process.limits.read(groups, values);
        groups.stream()
                .filter(ControlGroups.Group::isUnified)
                .findFirst()
                .flatMap(own -> CounterValues.ofKnown(
                        ProcessCounter.CGROUP_PRESSURE,
                        pid,
                        ClockReading.monotonicNowNs(),
                        Pressure.read(own.folder(), ".pressure")))
                .ifPresent(values::add);
        machine.add(pid, values);
    }

    private void readDescriptors(Collection<Integer> pids, List<CounterValues> values) {
        Map<String, Map<Integer, ProcessSockets>> byNamespace = new HashMap<>();
        for (int pid : pids) {
            OneProcess process = process(pid);
            look(pid, "kinds of descriptors and the connections", () -> {
                process.sockets.begin(process.descriptors.kinds(values));
                byNamespace
                        .computeIfAbsent(NetworkNamespace.name(pid), unused -> new HashMap<>())
                        .put(pid, process.sockets);
            });
        }
        namespaces.entrySet().removeIf(known -> {
            boolean isGone = !byNamespace.containsKey(known.getKey());
            if (isGone) {
                known.getValue().close();
            }
            return isGone;
        });
        byNamespace.forEach((name, ofNamespace) -> {
            int pid = ofNamespace.keySet().iterator().next();
            look(pid, "connections", () -> namespace(name, pid).read(ofNamespace, values));
        });
    }

    private NetworkNamespace namespace(String name, int pid) throws IOException {
        NetworkNamespace known = namespaces.get(name);
        if (known != null) {
            return known;
        }
        NetworkNamespace opened = NetworkNamespace.of(pid);
        namespaces.put(name, opened);
        return opened;
    }

    private void look(int pid, String what, Look look) {
        try {
            look.read();
        } catch (IOException e) {
            if (ProcFile.isDenied(e)) {
                unreadable.add(
                        "the " + what + " of process " + pid
                                + " cannot be read: permission denied (run as root, or with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH)");
            }
            // Otherwise it has ended.
        } catch (SyscallException e) {
            unreadable.add("the " + what + " of processes cannot be read: " + e.getMessage());
        }
    }

    /** A line for what could not be read, and for what was read more rarely than once a second. */
    List<String> warnings() {
        List<String> lines = new ArrayList<>();
        List<String> all = List.copyOf(unreadable);
        if (!all.isEmpty()) {
            lines.add(
                    "process: " + all.get(0) + (all.size() > 1 ? " (and " + (all.size() - 1) + " more like it)" : ""));
        }
        thinned(pace, "times, memory and numbers of descriptors", lines);
        thinned(descriptorPace, "kinds of descriptors and connections", lines);
        return lines;
    }

    private static void thinned(ReadingPace pace, String what, List<String> lines) {
        if (pace.wasThinned()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "process: %s were read at intervals of up to %.1f s: one reading took %d ms of CPU time",
                    what,
                    pace.longestPauseNs() / 1e9,
                    pace.longestReadingNs() / 1_000_000));
        }
    }

    @Override
    public void close() {
        namespaces.values().forEach(NetworkNamespace::close);
    }
}
