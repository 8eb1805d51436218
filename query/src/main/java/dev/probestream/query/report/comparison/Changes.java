package dev.probestream.query.report.comparison;

import dev.probestream.query.report.comparison.Measured.MetricKey;
import java.util.List;
import java.util.Optional;

/**
 * The result of a comparison.
 *
 * @param changes of the program, causes before what they may lead to, the largest first
 * @param byMachine changes that the machine may explain
 * @param conditions what else differed between the recordings, in sentences
 * @param compared how many pairs of measures were compared
 * @param sensitivities what would have been seen of the durations of routes, the most frequent route first
 */
record Changes(
        Measured before,
        Measured after,
        List<Change> changes,
        List<Change> byMachine,
        List<String> conditions,
        int compared,
        List<Sensitivity> sensitivities) {
    /** The function that makes the route of a change slower; empty if the change is none of a route's time, or it is not known. */
    Optional<FunctionGrowth> function(Change change) {
        RouteStacks then = before.stacks().get(change.key().subject());
        RouteStacks now = after.stacks().get(change.key().subject());
        return isOfRoute(change.key()) && change.isWorse() && then != null && now != null
                ? FunctionGrowth.of(change.key().subject(), then, now)
                : Optional.empty();
    }

    /** Those of durations of a route, which have a bound of their own: what is compared first. */
    static boolean isOfRoute(MetricKey key) {
        return key.area() == Area.REQUESTS
                && switch (key.measure()) {
                    case MEDIAN, CPU_MEDIAN, P95 -> true;
                    case RATE, CALLS, ERRORS, P99, TIME_PER_REQUEST, TIME_PER_SECOND -> false;
                };
    }

    /**
     * What a comparison can see.
     *
     * @param observations in the recording with fewer
     * @param seenFactor a change by this factor is listed in 95 of 100 cases
     */
    record Sensitivity(MetricKey key, double before, double after, long observations, double seenFactor) {}
}
