package dev.probestream.collector.internal.histogram;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MappedArray;
import dev.probestream.collector.histogram.ValueSums;
import dev.probestream.collector.histogram.ValueSums.Extremes;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** Reads the sums of one histogram's values, which are mapped into memory: see {@link HistogramSumsLayout}. */
final class HistogramSums implements AutoCloseable {
    private final HistogramSumsLayout layout;
    private final boolean isSigned;
    private final MappedArray sums;
    /** Since the start, by the number of the key. */
    private final Map<Integer, Extremes> extremes = new HashMap<>();

    /**
     * @param isSigned whether the values have a sign
     * @param map of the sums; stays the caller's
     */
    HistogramSums(HistogramSumsLayout layout, boolean isSigned, BpfMap map) {
        this.layout = layout;
        this.isSigned = isSigned;
        this.sums = MappedArray.map(map);
    }

    /** How many hits a key had, those with a value that could not be read among them. */
    long count(int key) {
        return sum(key, HistogramSumsLayout.COUNT_OFFSET).longValue();
    }

    /** The sums of a key all of whose hits had values. What is recent begins anew. */
    ValueSums take(int key) {
        Extremes recent = Extremes.NONE;
        for (int cpu = 0; cpu < layout.cpus(); cpu++) {
            recent = recent.and(takeExtremes(key * layout.cpus() + cpu));
        }
        Extremes all = extremes.merge(key, recent, Extremes::and);
        BigInteger high = sum(key, HistogramSumsLayout.HIGH_OFFSET).shiftLeft(Integer.SIZE);
        return new ValueSums(count(key), high.add(sum(key, HistogramSumsLayout.LOW_OFFSET)), all, recent);
    }

    /** Of what all CPUs added up. */
    private BigInteger sum(int key, int offset) {
        BigInteger sum = BigInteger.ZERO;
        for (int cpu = 0; cpu < layout.cpus(); cpu++) {
            long word = sums.get(key * layout.cpus() + cpu, offset);
            boolean hasSign = isSigned && offset == HistogramSumsLayout.HIGH_OFFSET;
            sum = sum.add(hasSign ? BigInteger.valueOf(word) : unsigned(word));
        }
        return sum;
    }

    private Extremes takeExtremes(int index) {
        long least = sums.getAndSet(index, HistogramSumsLayout.LEAST_OFFSET, 0);
        long greatest = sums.getAndSet(index, HistogramSumsLayout.GREATEST_OFFSET, 0);
        // A program writes the greatest first. If the words are read in between, the value is in the one alone.
        if (least == 0 && greatest == 0) {
            return Extremes.NONE;
        }
        BigInteger max = value(greatest);
        BigInteger min = value(~least);
        return new Extremes(true, min.min(max), max.max(min));
    }

    private BigInteger value(long ordered) {
        return isSigned ? BigInteger.valueOf(ordered ^ Long.MIN_VALUE) : unsigned(ordered);
    }

    private static BigInteger unsigned(long bits) {
        return new BigInteger(Long.toUnsignedString(bits));
    }

    @Override
    public void close() {
        sums.close();
    }
}
