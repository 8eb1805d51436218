package dev.probestream.cli.hist.records;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.ValueSums;
import dev.probestream.collector.histogram.ValueSums.Extremes;
import java.math.BigInteger;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is counted under one key. */
final class KeyCounts {
    private final Bucketing bucketing;
    private final boolean isUnsigned;
    /** By bucket, the first is that of values that could not be read. */
    private final long[] counts;

    private long values;
    /** The sum of the values, as a number of 128 bits in two's complement. */
    private long sumHigh;

    private long sumLow;
    private long min;
    private long max;
    private long recentValues;
    private long recentMin;
    private long recentMax;

    KeyCounts(Bucketing bucketing, boolean isUnsigned) {
        this.bucketing = bucketing;
        this.isUnsigned = isUnsigned;
        this.counts = new long[bucketing.bucketCount()];
    }

    void unreadable() {
        counts[0]++;
    }

    void hit() {
        counts[Bucketing.FIRST - Bucketing.UNREADABLE]++;
    }

    /** Counts a hit with a value, which are 64 bits. */
    void value(long value, boolean isSigned) {
        counts[bucketing.bucketOf(value, isSigned) - Bucketing.UNREADABLE]++;
        if (!bucketing.form().isOfSums()) {
            return;
        }
        sumLow += value;
        sumHigh += (Long.compareUnsigned(sumLow, value) < 0 ? 1 : 0) + (isUnsigned ? 0 : value >> 63);
        min = values == 0 ? value : lesser(value, min);
        max = values == 0 ? value : greater(value, max);
        recentMin = recentValues == 0 ? value : lesser(value, recentMin);
        recentMax = recentValues == 0 ? value : greater(value, recentMax);
        values++;
        recentValues++;
    }

    SortedMap<Integer, Long> byBucket() {
        SortedMap<Integer, Long> byBucket = new TreeMap<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                byBucket.put(i + Bucketing.UNREADABLE, counts[i]);
            }
        }
        return byBucket;
    }

    /** The sums; what is recent begins anew. */
    ValueSums takeSums() {
        if (values == 0) {
            return ValueSums.NONE;
        }
        BigInteger sum =
                BigInteger.valueOf(sumHigh).shiftLeft(Long.SIZE).add(new BigInteger(Long.toUnsignedString(sumLow)));
        Extremes recent = recentValues == 0 ? Extremes.NONE : new Extremes(true, exact(recentMin), exact(recentMax));
        recentValues = 0;
        return new ValueSums(values, sum, new Extremes(true, exact(min), exact(max)), recent);
    }

    private long lesser(long a, long b) {
        return isLess(a, b) ? a : b;
    }

    private long greater(long a, long b) {
        return isLess(a, b) ? b : a;
    }

    private boolean isLess(long a, long b) {
        return isUnsigned ? Long.compareUnsigned(a, b) < 0 : a < b;
    }

    private BigInteger exact(long value) {
        return isUnsigned ? new BigInteger(Long.toUnsignedString(value)) : BigInteger.valueOf(value);
    }
}
