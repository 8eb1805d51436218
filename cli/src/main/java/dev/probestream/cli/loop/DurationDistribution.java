package dev.probestream.cli.loop;

import org.HdrHistogram.Histogram;

/** The distribution of durations: exact count, sum and maximum; quantiles with an error of at most 1 %. */
final class DurationDistribution {
    /** Two significant digits: about 10 KiB for durations up to minutes. */
    private static final int SIGNIFICANT_DIGITS = 2;

    private final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
    private long totalNs;
    private long maxNs;

    void add(long durationNs) {
        long ns = Math.max(0, durationNs);
        histogram.recordValue(ns);
        totalNs += ns;
        maxNs = Math.max(maxNs, ns);
    }

    void addAll(DurationDistribution others) {
        histogram.add(others.histogram);
        totalNs += others.totalNs;
        maxNs = Math.max(maxNs, others.maxNs);
    }

    long count() {
        return histogram.getTotalCount();
    }

    long totalNs() {
        return totalNs;
    }

    long maxNs() {
        return maxNs;
    }

    /** The given percentile. */
    long percentileNs(double percent) {
        return Math.min(maxNs, histogram.getValueAtPercentile(percent));
    }
}
