package dev.probestream.query.report.comparison;

import dev.probestream.query.report.comparison.Measured.MetricKey;

/**
 * What changed.
 *
 * @param before in the measure's unit
 * @param after in the measure's unit
 * @param leastFactor from before to after, at least, with a confidence of 95 %
 * @param mostFactor from before to after, at most
 * @param falseShare the share of changes that are reported with this one, or rather than it, and are none: 1 - confidence
 */
record Change(MetricKey key, double before, double after, double leastFactor, double mostFactor, double falseShare) {
    /** It got slower, fails more often, or needs more. */
    boolean isWorse() {
        return key.measure().isWorseIfMore() && after > before;
    }

    /** How much it changed, whichever way: the logarithm of the factor in the middle of what is probable. */
    double size() {
        return Math.abs(Math.log(leastFactor) + Math.log(mostFactor)) / 2;
    }
}
