package dev.probestream.query.report.comparison;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A quantile of durations that are counted by block and bucket. Buckets grow by 2 %. */
final class BlockQuantile implements BlockStatistic {
    /** The edges of the buckets are its powers, in nanoseconds. */
    static final double GROWTH = 1.02;

    private final double quantile;
    private final int[] buckets;
    private final int[][] counts;
    private final long observations;

    /** @param blocks for each block, how many durations are in which bucket */
    BlockQuantile(double quantile, List<Map<Integer, Integer>> blocks) {
        this.quantile = quantile;
        TreeSet<Integer> used = new TreeSet<>();
        blocks.forEach(block -> used.addAll(block.keySet()));
        this.buckets = used.stream().mapToInt(Integer::intValue).toArray();
        this.counts = new int[blocks.size()][buckets.length];
        long all = 0;
        for (int block = 0; block < blocks.size(); block++) {
            for (int i = 0; i < buckets.length; i++) {
                counts[block][i] = blocks.get(block).getOrDefault(buckets[i], 0);
                all += counts[block][i];
            }
        }
        this.observations = all;
    }

    /** The bucket of a duration above 0. */
    static int bucketOf(double ns) {
        return (int) Math.floor(Math.log(ns) / Math.log(GROWTH));
    }

    @Override
    public int blocks() {
        return counts.length;
    }

    /** In nanoseconds. */
    @Override
    public double of(int[] times) {
        long[] sums = new long[buckets.length];
        long all = 0;
        for (int block = 0; block < times.length; block++) {
            if (times[block] > 0) {
                int[] own = counts[block];
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += (long) times[block] * own[i];
                    all += (long) times[block] * own[i];
                }
            }
        }
        double rank = quantile * all;
        long below = 0;
        for (int i = 0; i < sums.length; i++) {
            if (sums[i] > 0 && below + sums[i] >= rank) {
                return Math.pow(GROWTH, buckets[i] + (rank - below) / sums[i]);
            }
            below += sums[i];
        }
        return Double.NaN;
    }

    @Override
    public double plain() {
        int[] once = new int[counts.length];
        Arrays.fill(once, 1);
        return of(once);
    }

    @Override
    public long observations() {
        return observations;
    }

    /** That of rounding to a bucket: the standard deviation of a value anywhere in it. */
    @Override
    public double leastError() {
        return (GROWTH - 1) / Math.sqrt(12);
    }
}
