package dev.probestream.collector;

import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.collector.process.CgroupFolder;
import dev.probestream.collector.process.OwnPidNamespace;
import dev.probestream.collector.process.ResolveException;
import dev.probestream.collector.process.Target;
import dev.probestream.collector.process.TargetProcesses;
import dev.probestream.collector.program.options.FollowRule;
import dev.probestream.collector.program.options.TargetFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * Which processes are traced: those that live at the start, and the rule by which programs recognize traced processes.
 *
 * @param targets the processes at the start
 * @param filter what the programs ask
 * @param follow how the set grows
 * @param endsWithTargets whether the recording is over when none of the processes lives any more
 * @param namespace of all process ids
 */
record TargetScope(
        List<Target> targets,
        TargetFilter filter,
        FollowRule follow,
        boolean endsWithTargets,
        OwnPidNamespace namespace) {
    TargetScope {
        targets = List.copyOf(targets);
    }

    /**
     * Finds the processes of a selection; of a command only the pid is known, that of the waiting {@code launchedPid}.
     *
     * @throws ResolveException when there are none, or one may not be looked at
     */
    static TargetScope of(TargetSelection selection, boolean followChildren, int launchedPid, OwnPidNamespace namespace)
            throws ResolveException {
        FollowRule follow = new FollowRule(followChildren, selection.comm().orElse(""));
        if (selection.cgroup().isPresent()) {
            CgroupFolder cgroup = CgroupFolder.of(selection.cgroup().get());
            return new TargetScope(
                    TargetProcesses.ofCgroup(cgroup.folder()),
                    TargetFilter.cgroup(cgroup.id(), cgroup.level()),
                    follow,
                    false,
                    namespace);
        }
        if (selection.comm().isPresent()) {
            List<Target> named = TargetProcesses.ofComm(selection.comm().get());
            return new TargetScope(
                    withDescendants(named, followChildren), TargetFilter.LISTED_PROCESSES, follow, false, namespace);
        }
        List<Target> targets = new ArrayList<>();
        for (int pid : selection.command().isEmpty() ? selection.pids() : List.of(launchedPid)) {
            targets.add(Target.of(pid));
        }
        TargetFilter filter = targets.size() == 1 && !followChildren
                ? TargetFilter.process(targets.get(0).pid())
                : TargetFilter.LISTED_PROCESSES;
        return new TargetScope(withDescendants(targets, followChildren), filter, follow, true, namespace);
    }

    /** The process that uprobes are limited to when they are attached for this one of the targets. */
    int uprobeScope(int pid) {
        return isOpenEnded() ? Uprobes.EVERY_PROCESS : pid;
    }

    /** Whether processes that are not there yet may be recorded. */
    boolean isOpenEnded() {
        return follow.children() || !follow.comm().isEmpty() || filter.mode() == TargetFilter.Mode.CGROUP;
    }

    private static List<Target> withDescendants(List<Target> targets, boolean followChildren) throws ResolveException {
        if (!followChildren) {
            return targets;
        }
        List<Target> all = new ArrayList<>(targets);
        for (Target target : targets) {
            for (Target descendant : TargetProcesses.descendantsOf(target.pid())) {
                if (all.stream().noneMatch(known -> known.pid() == descendant.pid())) {
                    all.add(descendant);
                }
            }
        }
        return all;
    }
}
