package dev.probestream.cli.demo;

import dev.probestream.schema.record.HitSummary;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Distributions of durations, by name. */
final class DurationsByName {
    private static final int SIGNIFICANT_DIGITS = 3;
    /** Of the shortest durations that a sum distinguishes: 256 to 511 ns. */
    private static final long MIDDLE_NS = 384;

    private final Map<String, Histogram> byName = new LinkedHashMap<>();

    void add(String name, long durationNs) {
        byName.computeIfAbsent(name, unused -> new Histogram(SIGNIFICANT_DIGITS))
                .recordValue(durationNs);
    }

    /** Adds all of a sum, each as long as the middle of its power of two, but for the longest. */
    void add(String name, HitSummary summary) {
        Histogram histogram = byName.computeIfAbsent(name, unused -> new Histogram(SIGNIFICANT_DIGITS));
        long others = summary.getCount() - 1;
        for (int i = 0; i < summary.getDurations().size() && others > 0; i++) {
            long count = Math.min(others, summary.getDurations().get(i));
            histogram.recordValueWithCount(Math.min(summary.getMaxNs(), MIDDLE_NS << i), count);
            others -= count;
        }
        histogram.recordValue(summary.getMaxNs());
    }

    boolean isEmpty() {
        return byName.isEmpty();
    }

    /** The names with the most durations, most first, at most {@code limit}. */
    List<Map.Entry<String, Histogram>> mostFrequent(int limit) {
        return byName.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Histogram> entry) ->
                                entry.getValue().getTotalCount())
                        .reversed())
                .limit(limit)
                .toList();
    }
}
