package dev.probestream.bench.node;

import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.probe.Tool;
import dev.probestream.bpf.watch.RunStatistics;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.ProbeCost;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What one request makes a set do.
 *
 * @param requests answered meanwhile
 * @param runs of programs at functions of the server: an entry and a return are two; programs at one place share a trap
 * @param kernelHits system calls, switches and wakings of the server
 * @param events recorded
 * @param bytes of the recording
 */
record RequestHits(long requests, long runs, long kernelHits, long events, long bytes) {
    /** Of the table that {@link #row} fills. */
    static final String[] COLUMNS = {"way", "runs at functions", "calls, switches, wakings", "events", "bytes"};

    private static final int LOAD_MS = 1000;
    private static final Set<String> KERNEL_SETS = Set.of("syscalls", "sched", "offcpu");

    @SuppressWarnings("try") // the statistics are only to be open
    static RequestHits measure(Path folder, TracingTool way, LoadedServer server) throws IOException {
        Tool tool = way.start(folder);
        long requests;
        long runs;
        try (tool;
                RunStatistics statistics = RunStatistics.open()) {
            ProgramRuns before = ProgramRuns.ofProcess(tool.pid());
            requests = server.run(LOAD_MS, ServerLoad.FLAT_OUT).requests();
            runs = ProgramRuns.ofProcess(tool.pid()).atFunctions() - before.atFunctions();
        }
        Path recording = ImpactWays.recording(folder);
        Counter counter = new Counter();
        RecordingReader.read(recording, counter);
        return new RequestHits(requests, runs, counter.kernelHits(), counter.events, Files.size(recording));
    }

    List<String> row(String name) {
        return List.of(name, perRequest(runs), perRequest(kernelHits), perRequest(events), perRequest(bytes));
    }

    private String perRequest(long count) {
        double each = (double) count / requests;
        return each >= 100 ? ResultTable.number(each) : String.format(Locale.ROOT, "%.1f", each);
    }

    /** Counts by probe: the hits that the recording has counted, or else its events. */
    private static final class Counter implements RecordingHandler {
        private final Map<Integer, String> sets = new HashMap<>();
        private final Map<Integer, Long> eventsOf = new HashMap<>();
        private final Map<Integer, Long> hitsOf = new HashMap<>();
        private long events;

        @Override
        public void probe(Probe probe) {
            sets.put(probe.getProbeId(), probe.getCategory());
        }

        @Override
        public void event(EventView event) {
            events++;
            eventsOf.merge(event.probeId(), 1L, Long::sum);
        }

        @Override
        public void cost(Cost cost) {
            for (ProbeCost each : cost.getProbes()) {
                hitsOf.merge(each.getProbeId(), each.getHits(), Long::sum);
            }
        }

        long kernelHits() {
            Map<Integer, Long> counts = hitsOf.isEmpty() ? eventsOf : hitsOf;
            return counts.entrySet().stream()
                    .filter(entry -> KERNEL_SETS.contains(sets.getOrDefault(entry.getKey(), "")))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }
}
