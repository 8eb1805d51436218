package dev.probestream.query;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A {@link TimeRange} as conditions on the rows of a table. If possible, a comparison with a constant is added to each exact
 * condition: DuckDB compares it with the statistics of row groups and skips those that cannot match.
 */
final class TimeRangeFilter {
    /** Wall-clock times are truncated to microseconds. */
    private static final long ROUNDING_NS = 1_000;

    private final TimeRange timeRange;
    private final List<CaptureStartTime> captures;

    TimeRangeFilter(TimeRange timeRange, List<CaptureStartTime> captures) {
        this.timeRange = timeRange;
        this.captures = List.copyOf(captures);
    }

    /** The condition that rows of {@code table} are in the time range; empty if all are. */
    Optional<String> condition(RecordedTable table) {
        List<String> conditions = switch (table) {
            case EVENTS -> conditions("mono_ns", "ts", "mono_ns", "ts", false);
            case SPANS, REQUESTS -> conditions("(mono_ns + duration_ns)", "end_ts", "mono_ns", "ts", true);
            case LOSSES, HIT_SUMMARIES, GAPS, COSTS ->
                conditions("to_mono_ns", "to_ts", "from_mono_ns", "from_ts", false);
            case REQUEST_EVENTS, STACKS, PROCESSES, THREADS, PROBES, CAPTURES -> List.of();
        };
        return conditions.isEmpty() ? Optional.empty() : Optional.of(String.join(" AND ", conditions));
    }

    /** The earliest start of the time range over all captures, Unix time; empty if there is no limit. */
    Optional<Long> earliestUnixNs() {
        return timeRange
                .from()
                .flatMap(from -> captures.stream()
                        .map(capture -> unixNs(from, capture))
                        .reduce(Math::min)
                        .map(earliest ->
                                earliest == CaptureStartTime.UNKNOWN ? Long.MIN_VALUE : earliest - roundingNs(from)));
    }

    /** The latest end of the time range over all captures, Unix time; empty if there is no limit. */
    Optional<Long> latestUnixNs() {
        boolean isKnown = captures.stream().allMatch(CaptureStartTime::isDated);
        return timeRange
                .to()
                .filter(to -> isKnown)
                .flatMap(to -> captures.stream()
                        .map(capture -> unixNs(to, capture))
                        .reduce(Math::max)
                        .map(latest -> latest + roundingNs(to)));
    }

    /** A time since the start of a capture is as exact as that start. */
    private static long roundingNs(TimeRange.Bound bound) {
        return bound.at().isPresent() ? 0 : ROUNDING_NS;
    }

    private List<String> conditions(String endMono, String endTs, String startMono, String startTs, boolean canBeOpen) {
        List<String> conditions = new ArrayList<>();
        timeRange.from().ifPresent(from -> {
            String exact = from.at()
                    .map(at -> endTs + " >= " + timestamp(unixNs(at)))
                    .orElseGet(() -> relative(endMono, ">=", from.sinceStart().orElseThrow()));
            conditions.add(canBeOpen ? "(" + exact + " OR duration_ns IS NULL)" : exact);
            earliestUnixNs()
                    .filter(earliest -> from.at().isEmpty() && earliest != Long.MIN_VALUE)
                    .ifPresent(earliest ->
                            conditions.add("(" + endTs + " >= " + timestamp(earliest) + " OR " + endTs + " IS NULL)"));
        });
        timeRange.to().ifPresent(to -> {
            conditions.add(to.at()
                    .map(at -> startTs + " < " + timestamp(unixNs(at)))
                    .orElseGet(() -> relative(startMono, "<", to.sinceStart().orElseThrow())));
            latestUnixNs()
                    .filter(latest -> to.at().isEmpty())
                    .ifPresent(latest -> conditions.add(startTs + " < " + timestamp(latest)));
        });
        return conditions;
    }

    private String relative(String column, String comparison, Duration sinceStart) {
        if (captures.isEmpty()) {
            return "false"; // no capture has a known start
        }
        String each = captures.stream()
                .map(capture -> "(capture_id = " + capture.captureId() + " AND " + column + " " + comparison + " "
                        + (capture.monotonicNs() + sinceStart.toNanos()) + ")")
                .collect(Collectors.joining(" OR "));
        return "(" + each + ")";
    }

    private static long unixNs(TimeRange.Bound bound, CaptureStartTime capture) {
        if (bound.at().isPresent()) {
            return unixNs(bound.at().get());
        }
        return capture.isDated()
                ? capture.unixNs() + bound.sinceStart().orElseThrow().toNanos()
                : CaptureStartTime.UNKNOWN;
    }

    private static long unixNs(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    /** Truncated to microseconds, the resolution of DuckDB's timestamps. */
    private static String timestamp(long unixNs) {
        return "make_timestamptz(" + Math.floorDiv(unixNs, ROUNDING_NS) + ")";
    }
}
