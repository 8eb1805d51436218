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
 * A recording of 20 s with two routes of 385 requests each, request by request. What makes a request slow makes the next ones slow:
 * a part of the noise is common to both routes and lasts for tens of requests, another is the route's own and lasts for a few
 * (both autoregressive), and three requests in a hundred take three times as long.
 */
final class SimulatedRoutes {
    static final int REQUESTS = 385;
    static final String CHANGED = "GET /prices/:id";
    static final String OTHER = "GET /items/:id";

    private static final int BLOCKS = 32;
    private static final double SECONDS = 20;
    private static final double MEDIAN_NS = 2.61e6;
    private static final double COMMON_PERSISTENCE = 0.95;
    private static final double COMMON_DEVIATION = 0.08;
    private static final double OWN_PERSISTENCE = 0.5;
    private static final double OWN_DEVIATION = 0.25;
    private static final int FUNCTIONS = 20;

    private SimulatedRoutes() {}

    /** @param factor by which the route {@link #CHANGED} is slower */
    static Measured recording(long seed, double factor) {
        Random random = new Random(seed);
        Map<MetricKey, Metric> metrics = new TreeMap<>();
        double[] common = autoregressive(random, COMMON_PERSISTENCE, COMMON_DEVIATION);
        double[] seconds = filled(SECONDS / BLOCKS);
        double[] served = new double[BLOCKS];
        for (String route : List.of(OTHER, CHANGED)) {
            double[] own = autoregressive(random, OWN_PERSISTENCE, OWN_DEVIATION);
            List<Map<Integer, Integer>> durations = emptyBlocks();
            List<Map<Integer, Integer>> cpuTimes = emptyBlocks();
            double[] counts = new double[BLOCKS];
            for (int i = 0; i < REQUESTS; i++) {
                int block = i * BLOCKS / REQUESTS;
                double cpuNs = 0.8 * MEDIAN_NS * Math.exp(common[i] + own[i]) * (route.equals(CHANGED) ? factor : 1);
                double ns = cpuNs / 0.8 * (random.nextInt(100) < 3 ? 3 : 1);
                durations.get(block).merge(BlockQuantile.bucketOf(ns), 1, Integer::sum);
                cpuTimes.get(block).merge(BlockQuantile.bucketOf(cpuNs), 1, Integer::sum);
                counts[block]++;
                served[block]++;
            }
            put(metrics, route, Measure.RATE, new Metric(ratio(counts, seconds), 1, 0.5, 20));
            put(metrics, route, Measure.ERRORS, new Metric(ratio(new double[BLOCKS], counts), 100, 1, 5));
            put(metrics, route, Measure.MEDIAN, new Metric(new BlockQuantile(0.5, durations), 1e-6, 0.2, 30));
            put(metrics, route, Measure.P95, new Metric(new BlockQuantile(0.95, durations), 1e-6, 0.5, 60));
            put(metrics, route, Measure.P99, new Metric(new BlockQuantile(0.99, durations), 1e-6, 1, 300));
            put(metrics, route, Measure.CPU_MEDIAN, new Metric(new BlockQuantile(0.5, cpuTimes), 1e-6, 0.2, 30));
        }
        for (int function = 0; function < FUNCTIONS; function++) {
            double[] ms = new double[BLOCKS];
            long samples = 0;
            for (int block = 0; block < BLOCKS; block++) {
                int drawn = Math.max(0, (int) Math.round(4 + 2 * random.nextGaussian()));
                ms[block] = 10 * drawn;
                samples += drawn;
            }
            metrics.put(
                    new MetricKey(Area.CPU, "f" + function, Measure.TIME_PER_REQUEST),
                    new Metric(new BlockRatio(ms, served, samples, 5), 1, 0.5, 30));
        }
        return new Measured(
                "x.avro",
                Set.of("node app.js"),
                new Times("", 0, 0, Set.of("web-1")),
                new Machine(1.02, Map.of(), "6.8, 4 CPUs", List.of("node-http", "sched")),
                metrics,
                Set.of(),
                Map.of(),
                seconds,
                served,
                Map.of());
    }

    private static double[] autoregressive(Random random, double persistence, double deviation) {
        double[] values = new double[REQUESTS];
        double last = deviation * random.nextGaussian();
        for (int i = 0; i < REQUESTS; i++) {
            last = persistence * last + Math.sqrt(1 - persistence * persistence) * deviation * random.nextGaussian();
            values[i] = last;
        }
        return values;
    }

    private static List<Map<Integer, Integer>> emptyBlocks() {
        List<Map<Integer, Integer>> blocks = new ArrayList<>();
        for (int block = 0; block < BLOCKS; block++) {
            blocks.add(new HashMap<>());
        }
        return blocks;
    }

    private static double[] filled(double value) {
        double[] values = new double[BLOCKS];
        Arrays.fill(values, value);
        return values;
    }

    private static BlockRatio ratio(double[] counts, double[] of) {
        return new BlockRatio(counts, of, Math.round(Arrays.stream(counts).sum()), 0.5);
    }

    private static void put(Map<MetricKey, Metric> metrics, String route, Measure measure, Metric metric) {
        metrics.put(new MetricKey(Area.REQUESTS, route, measure), metric);
    }
}
