package dev.probestream.collector.histogram;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The counts under one key.
 *
 * @param key in the order of the spec's keys
 * @param countByBucket the buckets of {@link Bucketing} that were hit, each with how often
 */
public record KeyedHistogram(List<KeyValue> key, SortedMap<Integer, Long> countByBucket) {
    public KeyedHistogram {
        key = List.copyOf(key);
        countByBucket = Collections.unmodifiableSortedMap(new TreeMap<>(countByBucket));
    }

    /** How many hits there were. */
    public long total() {
        return countByBucket.values().stream().mapToLong(Long::longValue).sum();
    }
}
