package dev.probestream.query.report.comparison;

import java.util.Arrays;
import java.util.Random;

/**
 * The standard error of a measure's logarithm, by resampling runs of neighbouring blocks.
 *
 * <p>The circular block bootstrap (Politis and Romano 1992): blocks next to each other stay together, because load and latency
 * come in waves that are longer than a block; single blocks, let alone single requests, would promise too much.
 */
final class BlockBootstrap {
    /** Blocks of a run: short ones, of which there are many, and long ones, for long waves. The larger error counts. */
    private static final int[] RUNS = {4, 8};

    private static final int RESAMPLES = 300;

    private final Random random;

    BlockBootstrap(long seed) {
        this.random = new Random(seed);
    }

    /** NaN if there are too few blocks with anything in them. */
    double logError(BlockStatistic statistic) {
        double error = statistic.leastError();
        for (int run : RUNS) {
            error = Math.max(error, logError(statistic, run));
        }
        return error;
    }

    private double logError(BlockStatistic statistic, int run) {
        int blocks = statistic.blocks();
        int runs = blocks / run;
        double sum = 0;
        double squares = 0;
        int known = 0;
        int[] times = new int[blocks];
        for (int resample = 0; resample < RESAMPLES; resample++) {
            choose(times, runs, run);
            double log = Math.log(statistic.of(times));
            if (Double.isFinite(log)) {
                sum += log;
                squares += log * log;
                known++;
            }
        }
        if (known < RESAMPLES / 2) {
            return Double.NaN;
        }
        double variance = Math.max(0, (squares - sum * sum / known) / (known - 1));
        // Of so few runs the resamples vary too little, by (runs - 1) / runs.
        return Math.sqrt(variance * runs / (runs - 1));
    }

    /** How often each block is drawn. */
    private void choose(int[] times, int runs, int run) {
        Arrays.fill(times, 0);
        for (int drawn = 0; drawn < runs; drawn++) {
            int first = random.nextInt(times.length);
            for (int i = 0; i < run; i++) {
                times[(first + i) % times.length]++;
            }
        }
    }

    /** Degrees of freedom of the error: those of the short runs. */
    static int freedom(BlockStatistic statistic) {
        return statistic.blocks() / RUNS[0] - 1;
    }
}
