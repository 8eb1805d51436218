package dev.probestream.collector.stack;

import dev.probestream.collector.event.Warnings;
import java.util.Map;

/** Names generated code from the perf maps of processes, which are read when the first such address is seen. */
final class JitNames {
    private static final int MAX_PROCESSES = 32;

    private final Warnings warnings;
    private final Map<ProcessView, PerfMap> perfMaps = new LruCache<>(MAX_PROCESSES, map -> {});

    JitNames(Warnings warnings) {
        this.warnings = warnings;
    }

    /** What was generated last at this address, or "". */
    String nameOf(ProcessView process, long address) {
        return perfMaps.computeIfAbsent(process, added -> new PerfMap(added, warnings))
                .nameOf(address);
    }

    /** Has what was written since be read when the next name is asked for. */
    void refresh() {
        perfMaps.values().forEach(PerfMap::refresh);
    }
}
