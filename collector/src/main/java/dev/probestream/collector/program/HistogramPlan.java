package dev.probestream.collector.program;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.program.layout.HistogramLayout;
import dev.probestream.collector.resolve.ResolvedProbe;
import java.util.List;

/**
 * Everything the kernel is to be given for some histograms, and how to read what comes of it.
 *
 * @param plan maps and programs; it has no probes to decode, since nothing comes through the ring
 * @param histograms the layout of each, in the order they were asked for
 */
public record HistogramPlan(ProgramPlan plan, List<HistogramLayout> histograms) {
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

    public HistogramPlan {
        histograms = List.copyOf(histograms);
    }
}
