package dev.probestream.collector.internal.scope;

import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.collector.internal.process.CgroupFolder;
import dev.probestream.collector.internal.process.OwnPidNamespace;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.TargetSelection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which processes are traced: those that live at the start, and the rule by which programs recognize traced processes.
 *
 * @param targets the processes at the start
 * @param kernelThreads the names of those at the start, by their ids; only if everything is traced
 * @param filter what the programs ask
 * @param follow how the set grows
 * @param endsWithTargets whether the recording is over when none of the processes lives any more
 * @param namespace of all process ids
 * @param skipped processes that are traced as far as the kernel reports them, but may not be examined; in words
 */
public record TargetScope(
        List<Target> targets,
        Map<Integer, String> kernelThreads,
        TargetFilter filter,
        FollowRule follow,
        boolean endsWithTargets,
        OwnPidNamespace namespace,
        List<String> skipped) {
    /** So many processes that have ended are named. */
    private static final int MAX_NAMED = 5;

    public TargetScope {
        kernelThreads = Map.copyOf(kernelThreads);
        skipped = List.copyOf(skipped);
        targets = List.copyOf(targets);
    }

    /**
     * Finds the processes of a selection; of a command only the pid is known, that of the waiting {@code launchedPid}.
     *
     * @param mayBeEmpty whether the first process of a name may be still to come
     * @throws ResolveException when there are none, or one may not be looked at
     */
    public static TargetScope of(
            TargetSelection selection,
            boolean followChildren,
            int launchedPid,
            OwnPidNamespace namespace,
            boolean mayBeEmpty)
            throws ResolveException {
        FollowRule follow = new FollowRule(followChildren, selection.comm().orElse(""));
        List<String> skipped = new ArrayList<>();
        if (selection.isAll()) {
            TargetFilter others = TargetFilter.everythingBut(
                    Math.toIntExact(ProcessHandle.current().pid()));
            return new TargetScope(
                    TargetProcesses.all(),
                    TargetProcesses.kernelThreads(),
                    others,
                    FollowRule.NONE,
                    false,
                    namespace,
                    skipped);
        }
        if (selection.cgroup().isPresent()) {
            CgroupFolder cgroup = CgroupFolder.of(selection.cgroup().get());
            return new TargetScope(
                    TargetProcesses.ofCgroup(cgroup.folder(), skipped::add),
                    Map.of(),
                    TargetFilter.cgroup(cgroup.id(), cgroup.level(), cgroup.levels()),
                    follow,
                    false,
                    namespace,
                    skipped);
        }
        if (selection.comm().isPresent()) {
            List<Target> named = TargetProcesses.ofComm(selection.comm().get(), mayBeEmpty, skipped::add);
            return new TargetScope(
                    withDescendants(named, followChildren, skipped),
                    Map.of(),
                    TargetFilter.LISTED_PROCESSES,
                    follow,
                    false,
                    namespace,
                    skipped);
        }
        List<Target> targets = new ArrayList<>();
        for (int pid : selection.command().isEmpty() ? selection.pids() : List.of(launchedPid)) {
            targets.add(Target.of(pid));
        }
        TargetFilter filter = targets.size() == 1 && !followChildren
                ? TargetFilter.process(targets.get(0).pid())
                : TargetFilter.LISTED_PROCESSES;
        return new TargetScope(
                withDescendants(targets, followChildren, skipped), Map.of(), filter, follow, true, namespace, skipped);
    }

    /**
     * The namespace of all ids, for programs; empty = the initial one.
     *
     * @param containsOthers as in {@link PidNamespace}
     */
    public Optional<PidNamespace> pidNamespace(boolean containsOthers) {
        return namespace.isInitial()
                ? Optional.empty()
                : Optional.of(new PidNamespace(
                        namespace.kernelDevice(), namespace.id().inode(), containsOthers));
    }

    /** The process that uprobes are limited to when they are attached for this one of the targets. */
    public int uprobeScope(int pid) {
        return isOpenEnded() ? Uprobes.EVERY_PROCESS : pid;
    }

    /** Whether processes that are not there yet may be recorded. */
    public boolean isOpenEnded() {
        return follow.children()
                || !follow.comm().isEmpty()
                || filter.mode() == TargetFilter.Mode.CGROUP
                || isEverything();
    }

    /** Whether every process of the machine is traced. */
    public boolean isEverything() {
        return filter.mode() == TargetFilter.Mode.EVERY_PROCESS;
    }

    /** Whether the first process of a name is still to come. */
    public boolean isAwaited() {
        return targets.isEmpty() && !follow.comm().isEmpty();
    }

    /**
     * The processes whose files are searched for probes. Of everything, or before there is a process, that is this one: paths
     * are as it sees them.
     */
    public List<Target> searched() throws ResolveException {
        return isEverything() || isAwaited()
                ? List.of(Target.of(Math.toIntExact(ProcessHandle.current().pid())))
                : targets;
    }

    /** The targets that live; the others have ended since they were found. */
    public List<Target> living() {
        return targets.stream()
                .filter(target -> !TargetProcesses.hasEnded(target.pid()))
                .toList();
    }

    /** A sentence about the targets that are not among the {@code living}; empty if all are. */
    public Optional<String> leftOut(List<Target> living) {
        List<Target> ended =
                targets.stream().filter(target -> !living.contains(target)).toList();
        if (ended.isEmpty()) {
            return Optional.empty();
        }
        String names = ended.stream()
                .limit(MAX_NAMED)
                .map(target -> target.comm() + " (" + target.pid() + ")")
                .collect(Collectors.joining(", "));
        int others = ended.size() - MAX_NAMED;
        return Optional.of(ended.size() + " of " + targets.size()
                + (targets.size() == 1 ? " process" : " processes") + " ended before the probes were attached and "
                + (ended.size() == 1 ? "is" : "are") + " left out: " + names
                + (others > 0 ? " and " + others + " more" : ""));
    }

    private static List<Target> withDescendants(List<Target> targets, boolean followChildren, List<String> skipped)
            throws ResolveException {
        if (!followChildren) {
            return targets;
        }
        List<Target> all = new ArrayList<>(targets);
        for (Target target : targets) {
            for (Target descendant : TargetProcesses.descendantsOf(target.pid(), skipped::add)) {
                if (all.stream().noneMatch(known -> known.pid() == descendant.pid())) {
                    all.add(descendant);
                }
            }
        }
        return all;
    }
}
