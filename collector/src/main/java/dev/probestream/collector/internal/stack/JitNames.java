package dev.probestream.collector.internal.stack;

import dev.probestream.collector.internal.event.Warnings;
import java.util.Map;

/** Looks up names of generated code in the perf maps of processes. A map is read when the first address needs it. */
final class JitNames {
    private static final int MAX_PROCESSES = 32;

    private final Warnings warnings;
    private final Map<ProcessView, PerfMap> perfMaps = new LruCache<>(MAX_PROCESSES, map -> {});

    JitNames(Warnings warnings) {
        this.warnings = warnings;
    }

    /** The name of the code generated last at this address, or "". */
    String nameOf(ProcessView process, long address) {
        return perfMaps.computeIfAbsent(process, added -> new PerfMap(added, warnings))
                .nameOf(address);
    }

    /** Makes the next lookup read what has been appended to the perf maps. */
    void refresh() {
        perfMaps.values().forEach(PerfMap::refresh);
    }
}
