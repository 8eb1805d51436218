package dev.probestream.collector.program;

import dev.probestream.collector.program.layout.HistogramLayout;
import java.util.List;

/**
 * Everything the kernel is to be given for some histograms, and how to read what comes of it.
 *
 * @param plan maps and programs; it has no probes to decode, since nothing comes through the ring
 * @param histograms the layout of each, in the order they were asked for
 */
public record HistogramPlan(ProgramPlan plan, List<HistogramLayout> histograms) {
    public HistogramPlan {
        histograms = List.copyOf(histograms);
    }
}
