package dev.probestream.collector.event;

import dev.probestream.schema.record.FrameKind;
import java.util.Map;
import java.util.Set;

/** Names generated code from the perf maps of processes, which are read when the first such address is seen. */
final class JitNames {
    private static final int MAX_PROCESSES = 32;

    /**
     * How V8 marks what it compiled from JavaScript (tried with Node 18 to 24; {@code LazyCompile} and {@code Function}
     * only on 18). Then follow the tier (~ interpreted, ^ baseline, + Maglev, * TurboFan), the function and its place.
     */
    private static final Set<String> JAVASCRIPT = Set.of("JS", "LazyCompile", "Function", "Script", "Eval", "RegExp");

    private final Notices notices;
    private final Map<Integer, PerfMap> perfMaps = new LeastRecentlyUsed<>(MAX_PROCESSES, map -> {});

    JitNames(Notices notices) {
        this.notices = notices;
    }

    /** JS for code that V8 compiled from JavaScript, its regular expressions included; else NATIVE. */
    static FrameKind kindOf(String name) {
        int marker = 0;
        while (marker < name.length() && Character.isLetter(name.charAt(marker))) {
            marker++;
        }
        boolean isMarked = marker < name.length()
                && (name.charAt(marker) == ':' || name.startsWith("RegExp.>"))
                && JAVASCRIPT.contains(name.substring(0, marker));
        return isMarked ? FrameKind.JS : FrameKind.NATIVE;
    }

    /** What was generated last at this address, or "". */
    String nameOf(ProcessView process, long address) {
        return perfMaps.computeIfAbsent(process.pid(), pid -> new PerfMap(process, notices))
                .nameOf(address);
    }

    /** Has what was written since be read when the next name is asked for. */
    void refresh() {
        perfMaps.values().forEach(PerfMap::refresh);
    }
}
