package dev.probestream.collector.request;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.program.HistogramPlanner;
import java.util.List;

/**
 * What to count, and in which processes.
 *
 * @param targets the processes
 * @param followChildren whether processes that a target forks are targets too
 * @param histograms at least one; those of {@code syscalls:all} become histograms of spans, which have their title
 * @param maxKeys so many keys (buckets apart) each histogram has room for in the kernel; hits that need another are
 *     counted as lost
 */
public record HistogramRequest(
        TargetSelection targets, boolean followChildren, List<HistogramSpec> histograms, int maxKeys) {
    /**
     * Copies the list and checks the numbers.
     *
     * @throws IllegalArgumentException if there is no histogram, or no room for a key
     */
    public HistogramRequest {
        histograms = histograms.stream().map(SyscallSpans::counted).toList();
        if (histograms.isEmpty() || maxKeys < 1) {
            throw new IllegalArgumentException("at least one histogram with room for at least one key");
        }
    }

    /**
     * A request with room for the usual number of keys.
     *
     * @param targets the processes
     * @param followChildren whether processes that a target forks are targets too
     * @param histograms at least one
     */
    public HistogramRequest(TargetSelection targets, boolean followChildren, List<HistogramSpec> histograms) {
        this(targets, followChildren, histograms, HistogramPlanner.DEFAULT_MAX_KEYS);
    }

    /**
     * Only the targets themselves.
     *
     * @param targets the processes
     * @param histograms at least one
     */
    public HistogramRequest(TargetSelection targets, List<HistogramSpec> histograms) {
        this(targets, false, histograms);
    }
}
