package dev.probestream.collector.program;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.resolve.ResolvedProbe;
import java.util.List;

/**
 * A histogram to be planned, with the probes that its spec was resolved to.
 *
 * @param spec what to count
 * @param probes at least one
 */
public record ResolvedHistogram(HistogramSpec spec, List<ResolvedProbe> probes) {
    public ResolvedHistogram {
        probes = List.copyOf(probes);
    }
}
