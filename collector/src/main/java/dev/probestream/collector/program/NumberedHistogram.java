package dev.probestream.collector.program;

import dev.probestream.collector.histogram.HistogramSpec;
import java.util.List;

/**
 * A histogram to be planned, with the probes that its spec was resolved to.
 *
 * @param spec what to count
 * @param probes at least one
 */
public record NumberedHistogram(HistogramSpec spec, List<NumberedProbe> probes) {
    public NumberedHistogram {
        probes = List.copyOf(probes);
    }
}
