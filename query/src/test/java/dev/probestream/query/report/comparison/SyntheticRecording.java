package dev.probestream.query.report.comparison;

import dev.probestream.query.report.comparison.Measured.Machine;
import dev.probestream.query.report.comparison.Measured.Metric;
import dev.probestream.query.report.comparison.Measured.MetricKey;
import dev.probestream.query.report.comparison.Measured.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A recording of 32 blocks of a second, whose load and latencies come in waves: what makes one block slow makes the next ones slow,
 * too (autoregressive, 0.7 from block to block, in common to all routes). Factors change it.
 */
final class SyntheticRecording {
    static final int ROUTES = 8;
    private static final int BLOCKS = 32;
    private static final double PERSISTENCE = 0.7;

    private final Random random;
    private final double[] slowness = new double[ROUTES];
    private final double[] failing = new double[ROUTES];
    private double stretch = 1.02;
    private double cpu = 1;

    SyntheticRecording(long seed) {
        this.random = new Random(seed);
        Arrays.fill(slowness, 1);
        Arrays.fill(failing, 0.01);
    }

    SyntheticRecording slower(int route, double factor) {
        slowness[route] *= factor;
        return this;
    }

    SyntheticRecording allSlower(double factor) {
        for (int route = 0; route < ROUTES; route++) {
            slowness[route] *= factor;
        }
        cpu *= factor;
        return this;
    }

    SyntheticRecording failing(int route, double share) {
        failing[route] = share;
        return this;
    }

    SyntheticRecording moreCpu(double factor) {
        cpu *= factor;
        return this;
    }

    /** Wants a CPU for so many times the time in which it has one; NaN = not known. */
    SyntheticRecording stretched(double factor) {
        stretch = factor;
        return this;
    }

    Measured measured() {
        Map<MetricKey, Metric> metrics = new TreeMap<>();
        double[] seconds = new double[BLOCKS];
        Arrays.fill(seconds, 1);
        double[] served = new double[BLOCKS];
        double[] waves = waves(0.15);
        for (int route = 0; route < ROUTES; route++) {
            double[] counts = new double[BLOCKS];
            double[] failed = new double[BLOCKS];
            List<Map<Integer, Integer>> durations = new ArrayList<>();
            for (int block = 0; block < BLOCKS; block++) {
                Map<Integer, Integer> buckets = new HashMap<>();
                int count = (int) Math.round(30 * Math.exp(waves[block] + 0.1 * random.nextGaussian()));
                for (int i = 0; i < count; i++) {
                    double ns = 5e6 * slowness[route] * Math.exp(waves[block] + 0.6 * random.nextGaussian());
                    buckets.merge(BlockQuantile.bucketOf(ns), 1, Integer::sum);
                    failed[block] += random.nextDouble() < failing[route] ? 1 : 0;
                }
                counts[block] = count;
                served[block] += count;
                durations.add(buckets);
            }
            put(metrics, route, Measure.RATE, new Metric(ratio(counts, seconds), 1, 0.5, 20));
            put(metrics, route, Measure.ERRORS, new Metric(ratio(failed, counts), 100, 1, 5));
            put(metrics, route, Measure.MEDIAN, new Metric(new BlockQuantile(0.5, durations), 1e-6, 0.2, 30));
            put(metrics, route, Measure.P99, new Metric(new BlockQuantile(0.99, durations), 1e-6, 1, 300));
        }
        double[] samples = new double[BLOCKS];
        for (int block = 0; block < BLOCKS; block++) {
            samples[block] = 10 * Math.round(cpu * 20 * Math.exp(waves[block] + 0.2 * random.nextGaussian()));
        }
        metrics.put(
                new MetricKey(Area.CPU, "parseRow (lib/csv.js)", Measure.TIME_PER_REQUEST),
                new Metric(new BlockRatio(samples, served, 600, 5), 1, 0.05, 30));
        return new Measured(
                "x.avro",
                Set.of("node app.js"),
                new Times("", 0, 0, Set.of("web-1")),
                new Machine(stretch, Map.of(), "6.8, 4 CPUs", List.of("node-http", "sched")),
                metrics,
                Set.of(),
                Map.of(),
                seconds,
                served,
                Map.of());
    }

    private static void put(Map<MetricKey, Metric> metrics, int route, Measure measure, Metric metric) {
        metrics.put(new MetricKey(Area.REQUESTS, "GET /r" + route, measure), metric);
    }

    private static BlockRatio ratio(double[] count, double[] of) {
        return new BlockRatio(count, of, Math.round(Arrays.stream(count).sum()), 0.5);
    }

    private double[] waves(double deviation) {
        double[] waves = new double[BLOCKS];
        double last = random.nextGaussian() * deviation;
        for (int block = 0; block < BLOCKS; block++) {
            last = PERSISTENCE * last + Math.sqrt(1 - PERSISTENCE * PERSISTENCE) * deviation * random.nextGaussian();
            waves[block] = last;
        }
        return waves;
    }
}
