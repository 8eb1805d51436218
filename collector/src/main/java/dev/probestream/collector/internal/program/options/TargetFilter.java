package dev.probestream.collector.internal.program.options;

import dev.probestream.collector.internal.program.layout.MapNames;
import java.util.Optional;

/**
 * Whose hits are recorded, and in which pid namespace ids are reported. The test is the first thing every program does.
 *
 * @param mode how a process is recognised
 * @param pid the process of {@link Mode#ONE_PROCESS}; with {@link Mode#EVERY_PROCESS} the one that is left out; else 0
 * @param cgroupId the cgroup of {@link Mode#CGROUP}, else 0: the inode number of its folder
 * @param cgroupLevel how deep below the root (level 0) of the cgroup v2 hierarchy it lies
 * @param cgroupLevels how many levels from there on it may lie at instead: inside a cgroup namespace it is not known how
 *     deep below the root the namespace begins
 * @param namespace of all process and thread ids; empty = the initial one, whose ids the kernel itself uses
 */
public record TargetFilter(
        Mode mode, int pid, long cgroupId, int cgroupLevel, int cgroupLevels, Optional<PidNamespace> namespace) {
    /** How a process is recognised. */
    public enum Mode {
        /** Everything on the machine, but {@link #pid} unless that is 0. */
        EVERY_PROCESS,
        /** One process, by its id in the program: the cheapest. */
        ONE_PROCESS,
        /** The processes whose ids are keys of the map {@link MapNames#TARGETS}. */
        LISTED_PROCESSES,
        /**
         * The processes in a cgroup or in one below it, recognised by bpf_get_current_ancestor_cgroup_id (sleepable
         * programs may not use a cgroup array); by {@link MapNames#TARGETS} where another thread than the running one
         * is tested.
         */
        CGROUP
    }

    public static final TargetFilter EVERY_PROCESS = new TargetFilter(Mode.EVERY_PROCESS, 0, 0, 0, 0, Optional.empty());
    public static final TargetFilter LISTED_PROCESSES =
            new TargetFilter(Mode.LISTED_PROCESSES, 0, 0, 0, 0, Optional.empty());

    /** Everything but this process, whose own work would otherwise become hits, which make more work. */
    public static TargetFilter everythingBut(int pid) {
        return new TargetFilter(Mode.EVERY_PROCESS, pid, 0, 0, 0, Optional.empty());
    }

    /** Only this process, with all its threads. */
    public static TargetFilter process(int pid) {
        return new TargetFilter(Mode.ONE_PROCESS, pid, 0, 0, 0, Optional.empty());
    }

    /** Only processes in this cgroup (v2) or below it. */
    public static TargetFilter cgroup(long cgroupId, int cgroupLevel) {
        return cgroup(cgroupId, cgroupLevel, 1);
    }

    /** The same of a cgroup that may lie at one of several levels. */
    public static TargetFilter cgroup(long cgroupId, int cgroupLevel, int cgroupLevels) {
        return new TargetFilter(Mode.CGROUP, 0, cgroupId, cgroupLevel, cgroupLevels, Optional.empty());
    }

    /** The same, with ids of this namespace. */
    public TargetFilter in(PidNamespace ids) {
        return new TargetFilter(mode, pid, cgroupId, cgroupLevel, cgroupLevels, Optional.of(ids));
    }

    public boolean needsTargets() {
        return mode == Mode.LISTED_PROCESSES || mode == Mode.CGROUP;
    }
}
