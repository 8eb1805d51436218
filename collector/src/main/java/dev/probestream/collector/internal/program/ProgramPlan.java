package dev.probestream.collector.internal.program;

import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.Windows;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Everything the kernel is to be given for a capture, and how to read the results.
 *
 * @param maps to be created before the programs are loaded
 * @param programs in the order in which they are to be attached: those that follow processes first, the return of a span
 *     before its entry (so that no span is opened whose return cannot be seen); to be detached in reverse order
 * @param probes the probes, by ascending id, without those of system calls
 * @param syscalls the probes of system calls, if any
 * @param summedSched the times without a cpu, if they are summed: the probe of those times, whose next id is that of the
 *     delays among them
 * @param pairingMaps where spans stand that are still open
 * @param windows of the categories
 */
public record ProgramPlan(
        List<MapSpec> maps,
        List<PlannedProgram> programs,
        List<PlannedProbe> probes,
        Optional<PlannedSyscalls> syscalls,
        Optional<ResolvedProbe> summedSched,
        List<PairingMap> pairingMaps,
        Windows windows) {
    /** What the entries of a map of open spans are. */
    public enum Entries {
        /** Calls of functions: a key begins with the stack pointer, and calls of a thread lie in one another. */
        CALLS,
        /** Spans in no order: a key is of values of the hit, or of a thread. */
        SPANS,
        /** Threads or connections, each of which keeps its entry, with the time 0 while nothing is open. */
        KEPT
    }

    /**
     * A map of open spans, to be read when the capture ends. Each of its values starts as the samples of the probe do whose
     * id is in it ({@link EventLayout#PROBE_ID_OFFSET}), up to {@code entryEndOffset}.
     *
     * @param mapName one of the plan's maps
     * @param valueSizeBytes of its values
     * @param categories of the probes whose spans are in it
     */
    public record PairingMap(String mapName, int valueSizeBytes, Set<String> categories, Entries entries) {
        public PairingMap {
            categories = Set.copyOf(categories);
        }

        PairingMap(String mapName, int valueSizeBytes, String category, Entries entries) {
            this(mapName, valueSizeBytes, Set.of(category), entries);
        }

        PairingMap with(String category) {
            Set<String> more = new HashSet<>(categories);
            more.add(category);
            return new PairingMap(mapName, valueSizeBytes, more, entries);
        }
    }

    public ProgramPlan {
        maps = List.copyOf(maps);
        programs = List.copyOf(programs);
        probes = List.copyOf(probes);
        pairingMaps = List.copyOf(pairingMaps);
    }
}
