package dev.probestream.cli.demo;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Distributions of durations, by name. */
final class DurationsByName {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Map<String, Histogram> byName = new LinkedHashMap<>();

    void add(String name, long durationNs) {
        byName.computeIfAbsent(name, unused -> new Histogram(SIGNIFICANT_DIGITS))
                .recordValue(durationNs);
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
