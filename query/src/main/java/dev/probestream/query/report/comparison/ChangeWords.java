package dev.probestream.query.report.comparison;

import dev.probestream.query.report.analysis.fact.Amounts;
import java.util.Locale;

/** Changes in words. */
final class ChangeWords {
    /** Smaller differences are not reported. */
    private static final double LEAST_FALSE_SHARE = 0.001;

    private ChangeWords() {}

    /** For example "The median of db.test:5432 SELECT users rose from 2.1 ms to 20 ms". */
    static String sentence(Change change) {
        return "The " + measure(change) + " of " + subject(change)
                + (change.after() > change.before() ? " rose from " : " fell from ") + value(change, change.before())
                + " to " + value(change, change.after());
    }

    /** For example "by a factor of 7.1 to 12 (95 %), confidence > 99.9 %". */
    static String certainty(Change change) {
        double least = Math.min(change.leastFactor(), 1 / change.mostFactor());
        boolean isMore = change.leastFactor() >= 1;
        double low = isMore ? change.leastFactor() : 1 / change.mostFactor();
        double high = isMore ? change.mostFactor() : 1 / change.leastFactor();
        return "by a factor of " + number(low) + (least > 0 && high < 1000 ? " to " + number(high) : " or more")
                + " (95 %), confidence " + confidence(change);
    }

    static String confidence(Change change) {
        return change.falseShare() < LEAST_FALSE_SHARE
                ? "> 99.9 %"
                : String.format(Locale.ROOT, "%.1f %%", 100 * (1 - change.falseShare()));
    }

    static String subject(Change change) {
        String subject = change.key().subject();
        return switch (change.key().area()) {
            case OUTGOING, STATEMENTS, CPU, REQUESTS -> subject;
            case POOL -> "the thread pool's " + subject;
            case GC -> "the garbage collector's " + subject;
            case LOOP -> "the event loop's " + subject;
        };
    }

    static String measure(Change change) {
        return change.key().area() == Area.CPU
                ? "CPU time"
                : change.key().measure().words();
    }

    static String value(Change change, double value) {
        return switch (change.key().measure()) {
            case RATE -> number(value) + " per second";
            case CALLS -> number(value) + " per request";
            case ERRORS -> number(value) + " %";
            case MEDIAN, CPU_MEDIAN, P95, P99 -> Amounts.ofMs(value);
            case TIME_PER_REQUEST -> Amounts.ofMs(value) + " per request";
            case TIME_PER_SECOND -> Amounts.ofMs(value) + " per second";
        };
    }

    /** What would have been seen of the most frequent route; "" if no route was compared. */
    static String seen(Changes changes) {
        return changes.sensitivities().stream()
                .filter(one -> one.key().measure() == Measure.MEDIAN)
                .findFirst()
                .map(one ->
                        "Of the median of " + one.key().subject() + " (" + Amounts.count(one.observations(), "request")
                                + "), a change by " + Amounts.share(one.seenFactor() - 1, 1) + " would have been seen.")
                .orElse("");
    }

    private static String number(double value) {
        return value >= 100 ? Amounts.count(Math.round(value)) : String.valueOf(Amounts.rounded(round(value)));
    }

    /** Two decimals. */
    private static double round(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
