package dev.probestream.collector.internal.program;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import java.util.List;
import java.util.Optional;

/**
 * What the kernel is to be given for some histograms, and how to read the results.
 *
 * @param plan maps and programs; it has no probes to decode, since nothing comes through the ring
 * @param histograms the layout of each that was planned, in their order
 */
public record HistogramPlan(ProgramPlan plan, List<HistogramLayout> histograms) {
    /**
     * A histogram to be planned, with the probes that its spec was resolved to.
     *
     * @param spec what to count
     * @param mapName of the map of its counts
     * @param probes at least one
     * @param layout of the map, if an earlier plan had it
     */
    public record ResolvedHistogram(
            HistogramSpec spec, String mapName, List<ResolvedProbe> probes, Optional<HistogramLayout> layout) {
        public ResolvedHistogram {
            probes = List.copyOf(probes);
        }
    }

    public HistogramPlan {
        histograms = List.copyOf(histograms);
    }
}
