package dev.probestream.collector.request;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The processes to trace: exactly one of a list of pids, a process name, a cgroup, a command to start, or all.
 *
 * @param pids process ids (of the initial pid namespace), all their threads included
 * @param comm name of the thread group leader as in /proc/PID/comm (at most 15 bytes); processes that take this name
 *     later by execve are included
 * @param cgroup folder of a cgroup v2; its processes and those of the cgroups below it are traced, also later ones
 * @param command program and arguments to start, with the probes in place before its first instruction
 * @param isAll whether every process of the machine is traced, but this one
 * @param environment variables for the command, in addition to those of this process or in their place
 */
public record TargetSelection(
        List<Integer> pids,
        Optional<String> comm,
        Optional<Path> cgroup,
        List<String> command,
        boolean isAll,
        Map<String, String> environment) {
    /**
     * Copies the lists and checks that there is exactly one way.
     *
     * @throws IllegalArgumentException if there is none, or more than one
     */
    public TargetSelection {
        pids = List.copyOf(pids);
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        int ways = (pids.isEmpty() ? 0 : 1)
                + (comm.isPresent() ? 1 : 0)
                + (cgroup.isPresent() ? 1 : 0)
                + (command.isEmpty() ? 0 : 1)
                + (isAll ? 1 : 0);
        if (ways != 1) {
            throw new IllegalArgumentException("a target is one of: pids, a process name, a cgroup, a command, all");
        }
    }

    /**
     * {@return processes by their ids}
     *
     * @param pids at least one; of processes, not of threads, in the pid namespace of this process
     */
    public static TargetSelection ofPids(List<Integer> pids) {
        return new TargetSelection(pids, Optional.empty(), Optional.empty(), List.of(), false, Map.of());
    }

    /**
     * {@return every process of a name, also later ones}
     *
     * @param comm as in /proc/PID/comm, at most 15 bytes
     */
    public static TargetSelection ofComm(String comm) {
        return new TargetSelection(List.of(), Optional.of(comm), Optional.empty(), List.of(), false, Map.of());
    }

    /**
     * {@return every process of a cgroup and those below it, also later ones}
     *
     * @param cgroup a folder of a mounted cgroup v2
     */
    public static TargetSelection ofCgroup(Path cgroup) {
        return new TargetSelection(List.of(), Optional.empty(), Optional.of(cgroup), List.of(), false, Map.of());
    }

    /**
     * {@return a command that is started for the collection}
     *
     * @param command the program and its arguments; at least one word
     */
    public static TargetSelection ofCommand(List<String> command) {
        return new TargetSelection(List.of(), Optional.empty(), Optional.empty(), command, false, Map.of());
    }

    /** {@return every process of the machine but this one} */
    public static TargetSelection ofAll() {
        return new TargetSelection(List.of(), Optional.empty(), Optional.empty(), List.of(), true, Map.of());
    }

    /**
     * {@return the same, with these variables for the command}
     *
     * @param variables names and values
     */
    public TargetSelection withEnvironment(Map<String, String> variables) {
        return new TargetSelection(pids, comm, cgroup, command, isAll, variables);
    }
}
