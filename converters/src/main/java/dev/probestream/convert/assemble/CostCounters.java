package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.ProbeCost;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Makes counters of what the probes cost the recorded processes: in all, and by set. */
final class CostCounters {
    private static final String UNIT = "% of a CPU";

    private final Timeline timeline;
    private final TraceWriter writer;
    private final Map<String, Long> nsByCategory = new TreeMap<>();

    CostCounters(Timeline timeline, TraceWriter writer) {
        this.timeline = timeline;
        this.writer = writer;
    }

    void add(Cost cost) throws IOException {
        CaptureTracks capture = timeline.capture(cost.getCaptureId());
        long fromNs = capture.traceNs(cost.getFromNs());
        long toNs = capture.traceNs(cost.getToNs());
        if (fromNs >= toNs || !timeline.window().overlaps(fromNs, toNs)) {
            return;
        }
        nsByCategory.replaceAll((category, ns) -> 0L); // a set that cost nothing this time goes down to 0
        long totalNs = 0;
        for (ProbeCost probe : cost.getProbes()) {
            long ns = probe.getProgramNs() + probe.getTrapNs();
            totalNs += ns;
            nsByCategory.merge(capture.probeCategory(probe.getProbeId()), ns, Long::sum);
        }
        long atNs = Math.max(timeline.startNs(), fromNs);
        double percent = 100.0 / (toNs - fromNs);
        writer.captureCounter("cost of all probes" + capture.label(), UNIT, atNs, totalNs * percent);
        for (Map.Entry<String, Long> category : nsByCategory.entrySet()) {
            writer.captureCounter(
                    "cost of " + category.getKey() + capture.label(), UNIT, atNs, category.getValue() * percent);
        }
    }
}
