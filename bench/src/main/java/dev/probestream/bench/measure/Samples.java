package dev.probestream.bench.measure;

import java.util.Arrays;

/** Measurements of one quantity, summarized by the median, which is robust against bursts of other load. */
public final class Samples {
    private double[] values = new double[16];
    private int count;

    public void add(double value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, 2 * count);
        }
        values[count++] = value;
    }

    public int count() {
        return count;
    }

    /** Each of these by the other's of the same round. */
    public Samples pairedRatios(Samples others) {
        if (others.count != count) {
            throw new IllegalArgumentException(count + " samples cannot be paired with " + others.count);
        }
        Samples ratios = new Samples();
        for (int i = 0; i < count; i++) {
            ratios.add(values[i] / others.values[i]);
        }
        return ratios;
    }

    public double median() {
        return quantile(0.5);
    }

    public double least() {
        return quantile(0);
    }

    public double most() {
        return quantile(1);
    }

    /** The distance between the quartiles as a part of the median: how far the rounds disagree. 0 for a median of 0. */
    double spread() {
        return median() == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / median();
    }

    private double quantile(double part) {
        if (count == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        double position = part * (count - 1);
        int below = (int) position;
        int above = Math.min(below + 1, count - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
