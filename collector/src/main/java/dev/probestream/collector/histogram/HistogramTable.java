package dev.probestream.collector.histogram;

import dev.probestream.schema.record.LossReason;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was counted for one spec. Once the probes are detached, calls = {@link #total} + {@link #lost} + {@link
 * #openCalls}.
 *
 * @param spec what was asked for
 * @param rows a histogram for each key, the greatest count first
 * @param losses hits that could not be counted, by reason; {@link LossReason#RING_FULL} says that the kernel's table of
 *     keys was full
 * @param openCalls of a span, calls that were entered and had not returned; 0 while it is not known
 */
public record HistogramTable(HistogramSpec spec, List<Row> rows, SortedMap<LossReason, Long> losses, long openCalls) {
    public HistogramTable {
        rows = rows.stream()
                .sorted(Comparator.comparingLong(Row::total).reversed())
                .toList();
        losses = Collections.unmodifiableSortedMap(new TreeMap<>(losses));
    }

    /** How many hits were counted, in all buckets of all keys. */
    public long total() {
        return rows.stream().mapToLong(Row::total).sum();
    }

    /** How many hits could not be counted. */
    public long lost() {
        return losses.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What came since an earlier table of the same spec. */
    HistogramTable since(HistogramTable earlier) {
        Map<List<KeyValue>, Row> before = new HashMap<>();
        earlier.rows.forEach(row -> before.put(row.key(), row));
        List<Row> news = rows.stream()
                .map(row -> before.containsKey(row.key())
                        ? new Row(
                                row.key(),
                                minus(row.countByBucket(), before.get(row.key()).countByBucket()))
                        : row)
                .filter(row -> !row.countByBucket().isEmpty())
                .toList();
        return new HistogramTable(spec, news, minus(losses, earlier.losses), openCalls);
    }

    private static <K> SortedMap<K, Long> minus(SortedMap<K, Long> now, SortedMap<K, Long> before) {
        SortedMap<K, Long> difference = new TreeMap<>();
        now.forEach((key, count) -> {
            long more = count - before.getOrDefault(key, 0L);
            if (more != 0) {
                difference.put(key, more);
            }
        });
        return difference;
    }

    /**
     * The counts under one key.
     *
     * @param key in the order of the spec's keys
     * @param countByBucket the buckets of {@link Bucketing} that were hit, each with how often
     */
    public record Row(List<KeyValue> key, SortedMap<Integer, Long> countByBucket) {
        public Row {
            key = List.copyOf(key);
            countByBucket = Collections.unmodifiableSortedMap(new TreeMap<>(countByBucket));
        }

        /** How many hits there were. */
        public long total() {
            return countByBucket.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
