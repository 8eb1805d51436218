package dev.probestream.query.report.comparison;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one recording gives to compare.
 *
 * @param path of the recording
 * @param programs names of the recorded programs
 * @param times when it was recorded
 * @param machine the conditions on which times depend
 * @param metrics what was measured
 * @param truncated areas with so many subjects that some are left out: one that is missing there may have been seen
 * @param statementsByOperation which texts of statements each peer's operation had
 * @param seconds by block
 * @param served requests by block
 * @param stacks CPU samples by route
 */
@SuppressWarnings("ArrayRecordComponent") // rows of numbers; nothing compares two of these
record Measured(
        String path,
        Set<String> programs,
        Times times,
        Machine machine,
        Map<MetricKey, Metric> metrics,
        Set<Area> truncated,
        Map<String, Set<String>> statementsByOperation,
        double[] seconds,
        double[] served,
        Map<String, RouteStacks> stacks) {
    /** Identifies a metric in both recordings. {@code subject}: a route, a peer with an operation, a function. */
    record MetricKey(Area area, String subject, Measure measure) implements Comparable<MetricKey> {
        private static final Comparator<MetricKey> ORDER = Comparator.comparing(MetricKey::area)
                .thenComparing(MetricKey::subject)
                .thenComparing(MetricKey::measure);

        @Override
        public int compareTo(MetricKey other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A measure of a subject.
     *
     * @param factor from the statistic's unit to that of the measure
     * @param leastDifference a smaller difference does not matter; in the measure's unit
     * @param leastObservations with fewer nothing is compared
     */
    record Metric(BlockStatistic statistic, double factor, double leastDifference, long leastObservations) {
        boolean isEnough() {
            return statistic.observations() >= leastObservations;
        }

        /** In the measure's unit, never 0: "none" is half a hit. */
        double value() {
            int[] once = new int[statistic.blocks()];
            Arrays.fill(once, 1);
            return statistic.of(once) * factor;
        }

        /** In the measure's unit, for people. */
        double plain() {
            return statistic.plain() * factor;
        }
    }

    /**
     * When it was recorded.
     *
     * @param began for people, UTC
     * @param fromMs Unix time
     * @param toMs Unix time
     */
    record Times(String began, long fromMs, long toMs, Set<String> hosts) {
        boolean overlaps(Times other) {
            return fromMs < other.toMs && other.fromMs < toMs;
        }
    }

    /**
     * The machine's share in what took how long.
     *
     * @param stretch how much longer the processes' work took because they had to wait for a CPU: 1 = no wait; NaN = not known
     * @param programNs the mean time of each probe's program, by probe, a measure of how fast the CPU was
     * @param description kernel and CPUs
     * @param sets the recorded probe sets
     */
    record Machine(double stretch, Map<String, Double> programNs, String description, List<String> sets) {}
}
