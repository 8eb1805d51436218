package dev.probestream.collector.internal.kernel;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which traced processes live, for a count, which reads no records of processes: from the map by which the programs
 * recognise them, from the control group, or the only process there is.
 */
public final class LivingTargets {
    private final List<Target> targets;
    private final Optional<Path> cgroup;
    private final Optional<BpfMap> listed;

    /** @param kernel borrowed; its programs follow the processes */
    public LivingTargets(TargetScope scope, TargetSelection selection, KernelObjects kernel) {
        this.targets = scope.targets();
        this.cgroup = selection.cgroup();
        this.listed = kernel.hasMap(MapNames.TARGETS) ? Optional.of(kernel.map(MapNames.TARGETS)) : Optional.empty();
    }

    /** Writes the processes of the start into the map of the programs, if they have one. */
    public void begin() {
        listed.ifPresent(map -> targets.forEach(target -> map.update(BpfMap.key(target.pid()), BpfMap.key(1))));
    }

    /** Whether a process is traced; of a control group any may be. */
    public boolean mayBe(int pid) {
        return cgroup.isPresent()
                || listed.map(map -> map.lookup(BpfMap.key(pid)).isPresent())
                        .orElseGet(() -> targets.stream().anyMatch(target -> target.pid() == pid));
    }

    /** Those that run. The others are removed: the id of an ended process may be reused. */
    public List<Integer> pids() {
        if (listed.isPresent()) {
            return listed(listed.get());
        }
        return targetsNow().stream()
                .map(Target::pid)
                .filter(pid -> !TargetProcesses.hasEnded(pid))
                .toList();
    }

    private List<Target> targetsNow() {
        try {
            return cgroup.isPresent() ? TargetProcesses.ofCgroup(cgroup.get(), unused -> {}) : targets;
        } catch (ResolveException e) {
            return List.of(); // the group is gone
        }
    }

    private static List<Integer> listed(BpfMap map) {
        List<Integer> pids = new ArrayList<>();
        List<Integer> gone = new ArrayList<>();
        map.forEach((key, value) -> {
            int pid = key.getInt(key.position());
            (TargetProcesses.hasEnded(pid) ? gone : pids).add(pid);
        });
        gone.forEach(pid -> map.delete(BpfMap.key(pid)));
        return pids;
    }
}
