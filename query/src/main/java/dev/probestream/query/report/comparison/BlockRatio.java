package dev.probestream.query.report.comparison;

import java.util.Arrays;

/**
 * A sum by another: requests per second, failed of all, CPU time per request.
 *
 * @param numerator by block
 * @param denominator by block: seconds, requests
 * @param observations how many hits the numerator is the sum of
 * @param prior added to the numerator, half a hit, so that "none" has a logarithm
 */
@SuppressWarnings("ArrayRecordComponent") // a row of numbers, read a thousand times; nothing compares two of these
record BlockRatio(double[] numerator, double[] denominator, long observations, double prior) implements BlockStatistic {
    @Override
    public int blocks() {
        return numerator.length;
    }

    @Override
    public double of(int[] times) {
        double sum = 0;
        double of = 0;
        for (int block = 0; block < times.length; block++) {
            sum += times[block] * numerator[block];
            of += times[block] * denominator[block];
        }
        return of > 0 ? (sum + prior) / of : Double.NaN;
    }

    /** Without {@code prior}. */
    @Override
    public double plain() {
        return Arrays.stream(numerator).sum() / Arrays.stream(denominator).sum();
    }

    /** That of a count (Poisson). */
    @Override
    public double leastError() {
        return Math.sqrt(1 / (observations + 0.5));
    }
}
