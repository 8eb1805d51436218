package dev.probestream.collector.histogram;

import java.util.ArrayList;
import java.util.List;

/**
 * What was counted between two moments.
 *
 * @param fromNs CLOCK_MONOTONIC
 * @param toNs CLOCK_MONOTONIC; hits that happened while the tables were read may be in them
 * @param tables one for each spec, in their order
 */
public record HistogramSnapshot(long fromNs, long toNs, List<HistogramTable> tables) {
    public HistogramSnapshot {
        tables = List.copyOf(tables);
    }

    /** What came since an earlier snapshot of the same histograms. */
    public HistogramSnapshot since(HistogramSnapshot earlier) {
        List<HistogramTable> differences = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            differences.add(tables.get(i).since(earlier.tables.get(i)));
        }
        return new HistogramSnapshot(earlier.toNs, toNs, differences);
    }
}
