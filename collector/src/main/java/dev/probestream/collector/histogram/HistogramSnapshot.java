package dev.probestream.collector.histogram;

import java.util.ArrayList;
import java.util.List;

/**
 * The counts of a time range.
 *
 * @param fromNs CLOCK_MONOTONIC
 * @param toNs CLOCK_MONOTONIC; hits during the reading of the tables may be included
 * @param tables one for each spec, in the order of the specs
 */
public record HistogramSnapshot(long fromNs, long toNs, List<HistogramTable> tables) {
    /** Copies the list. */
    public HistogramSnapshot {
        tables = List.copyOf(tables);
    }

    /**
     * {@return the difference from an earlier snapshot of the same histograms}
     *
     * @param earlier taken before this one
     */
    public HistogramSnapshot since(HistogramSnapshot earlier) {
        List<HistogramTable> differences = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            differences.add(tables.get(i).since(earlier.tables.get(i)));
        }
        return new HistogramSnapshot(earlier.toNs, toNs, differences);
    }
}
