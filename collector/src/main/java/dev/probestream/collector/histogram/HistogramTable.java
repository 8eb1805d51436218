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
 * The counts of one spec. After the probes are detached, calls = {@link #total} + {@link #lost} + {@link #openCalls}.
 *
 * @param spec the specification
 * @param rows a histogram for each key, sorted by total, largest first
 * @param losses hits that could not be counted, by reason; {@link LossReason#RING_FULL} means that the kernel's
 *     table of keys or of stacks was full, or the ring that brings new stacks
 * @param openCalls for a span, the calls that have not returned; 0 while this is unknown
 */
public record HistogramTable(HistogramSpec spec, List<Row> rows, SortedMap<LossReason, Long> losses, long openCalls) {
    /** Copies the rows. */
    public HistogramTable {
        Comparator<Row> order = switch (spec.bucketing().form()) {
            case COUNT, LOG2, LINEAR -> Comparator.comparingLong(Row::total);
            case SUM, STATS -> Comparator.comparing(row -> row.sums().sum());
            case AVG -> Comparator.comparing(row -> row.sums().average());
            case MIN -> Comparator.comparing(row -> row.sums().extremes().min());
            case MAX -> Comparator.comparing(row -> row.sums().extremes().max());
        };
        rows = rows.stream().sorted(order.reversed()).toList();
        losses = Collections.unmodifiableSortedMap(new TreeMap<>(losses));
    }

    /** {@return the number of counted hits, in all buckets of all keys} */
    public long total() {
        return rows.stream().mapToLong(Row::total).sum();
    }

    /** {@return the number of hits that could not be counted} */
    public long lost() {
        return losses.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the difference from an earlier table of the same spec. */
    HistogramTable since(HistogramTable earlier) {
        Map<List<KeyValue>, Row> before = new HashMap<>();
        earlier.rows.forEach(row -> before.put(row.key(), row));
        List<Row> news = rows.stream()
                .map(row -> before.containsKey(row.key())
                        ? new Row(
                                row.key(),
                                minus(row.countByBucket(), before.get(row.key()).countByBucket()),
                                row.sums().since(before.get(row.key()).sums()))
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
     * The counts of one key.
     *
     * @param key in the order of the spec's keys
     * @param countByBucket the number of hits by bucket of {@link Bucketing}; buckets without hits are absent
     * @param sums of the values, where {@link Bucketing.Form#isOfSums}
     */
    public record Row(List<KeyValue> key, SortedMap<Integer, Long> countByBucket, ValueSums sums) {
        /** Copies the key. */
        public Row {
            key = List.copyOf(key);
            countByBucket = Collections.unmodifiableSortedMap(new TreeMap<>(countByBucket));
        }

        /**
         * A row of counts alone.
         *
         * @param key in the order of the spec's keys
         * @param countByBucket the number of hits by bucket
         */
        public Row(List<KeyValue> key, SortedMap<Integer, Long> countByBucket) {
            this(key, countByBucket, ValueSums.NONE);
        }

        /**
         * {@return the counts of both}
         *
         * @param other of the same key
         */
        public Row and(Row other) {
            SortedMap<Integer, Long> both = new TreeMap<>(countByBucket);
            other.countByBucket.forEach((bucket, count) -> both.merge(bucket, count, Long::sum));
            return new Row(key, both, sums.and(other.sums));
        }

        /** {@return the number of hits} */
        public long total() {
            return countByBucket.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
