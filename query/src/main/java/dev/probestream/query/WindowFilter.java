package dev.probestream.query;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A {@link TimeWindow} as conditions over the rows of a table. Beside each exact condition stands a plain comparison with a
 * constant wherever there can be one, by which whole row groups are left out: DuckDB compares it with their statistics.
 */
final class WindowFilter {
    /** Wall-clock times are cut to microseconds. */
    private static final long ROUNDING_NS = 1_000;

    private final TimeWindow window;
    private final List<CaptureStartTime> captures;

    WindowFilter(TimeWindow window, List<CaptureStartTime> captures) {
        this.window = window;
        this.captures = List.copyOf(captures);
    }

    /** The condition that rows of {@code table} are in the window; empty = all are. */
    Optional<String> condition(RecordedTable table) {
        List<String> conditions = switch (table) {
            case EVENTS -> conditions("mono_ns", "ts", "mono_ns", "ts", false);
            case SPANS, REQUESTS -> conditions("(mono_ns + duration_ns)", "end_ts", "mono_ns", "ts", true);
            case LOSSES -> conditions("to_mono_ns", "to_ts", "from_mono_ns", "from_ts", false);
            case REQUEST_EVENTS, STACKS, PROCESSES, THREADS, PROBES, CAPTURES -> List.of();
        };
        return conditions.isEmpty() ? Optional.empty() : Optional.of(String.join(" AND ", conditions));
    }

    /** The first moment that any capture has in the window, Unix time; empty = there is no such limit. */
    Optional<Long> earliestUnixNs() {
        return window.from()
                .flatMap(from -> captures.stream()
                        .map(capture -> unixNs(from, capture))
                        .reduce(Math::min)
                        .map(earliest ->
                                earliest == CaptureStartTime.UNKNOWN ? Long.MIN_VALUE : earliest - roundingNs(from)));
    }

    /** The first moment that is behind the window of every capture, Unix time; empty = there is no such limit. */
    Optional<Long> latestUnixNs() {
        boolean isKnown = captures.stream().allMatch(CaptureStartTime::isDated);
        return window.to()
                .filter(to -> isKnown)
                .flatMap(to -> captures.stream()
                        .map(capture -> unixNs(to, capture))
                        .reduce(Math::max)
                        .map(latest -> latest + roundingNs(to)));
    }

    /** What is counted from the start of a capture is as exact as that start. */
    private static long roundingNs(TimeWindow.Bound bound) {
        return bound.at().isPresent() ? 0 : ROUNDING_NS;
    }

    private List<String> conditions(String endMono, String endTs, String startMono, String startTs, boolean canBeOpen) {
        List<String> conditions = new ArrayList<>();
        window.from().ifPresent(from -> {
            String exact = from.at()
                    .map(at -> endTs + " >= " + moment(unixNs(at)))
                    .orElseGet(() -> relative(endMono, ">=", from.sinceStart().orElseThrow()));
            conditions.add(canBeOpen ? "(" + exact + " OR duration_ns IS NULL)" : exact);
            earliestUnixNs()
                    .filter(earliest -> from.at().isEmpty() && earliest != Long.MIN_VALUE)
                    .ifPresent(earliest ->
                            conditions.add("(" + endTs + " >= " + moment(earliest) + " OR " + endTs + " IS NULL)"));
        });
        window.to().ifPresent(to -> {
            conditions.add(to.at()
                    .map(at -> startTs + " < " + moment(unixNs(at)))
                    .orElseGet(() -> relative(startMono, "<", to.sinceStart().orElseThrow())));
            latestUnixNs()
                    .filter(latest -> to.at().isEmpty())
                    .ifPresent(latest -> conditions.add(startTs + " < " + moment(latest)));
        });
        return conditions;
    }

    private String relative(String column, String comparison, Duration sinceStart) {
        if (captures.isEmpty()) {
            return "false"; // nobody knows when anything began
        }
        String each = captures.stream()
                .map(capture -> "(capture_id = " + capture.captureId() + " AND " + column + " " + comparison + " "
                        + (capture.monotonicNs() + sinceStart.toNanos()) + ")")
                .collect(Collectors.joining(" OR "));
        return "(" + each + ")";
    }

    private static long unixNs(TimeWindow.Bound bound, CaptureStartTime capture) {
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

    /** Cut to microseconds, as DuckDB's moments are. */
    private static String moment(long unixNs) {
        return "make_timestamptz(" + Math.floorDiv(unixNs, ROUNDING_NS) + ")";
    }
}
