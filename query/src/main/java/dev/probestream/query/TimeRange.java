package dev.probestream.query;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The time range of a query: rows that ended before {@code from} or started at {@code to} or later are left out. Spans and
 * requests that overlap it are kept whole.
 */
public record TimeRange(Optional<Bound> from, Optional<Bound> to) {
    /** No limits. */
    public static final TimeRange ALL = new TimeRange(Optional.empty(), Optional.empty());

    /** Whether a bound is counted from the start of each capture. */
    boolean isRelative() {
        return from.flatMap(Bound::sinceStart).isPresent()
                || to.flatMap(Bound::sinceStart).isPresent();
    }

    /**
     * A point in time.
     *
     * @param sinceStart counted from the start of each capture; empty if {@code at} is given
     * @param at in UTC; no row of a capture without wall-clock time is before or after it
     */
    public record Bound(Optional<Duration> sinceStart, Optional<Instant> at) {
        /** A point in time of each capture. */
        public static Bound sinceStart(Duration duration) {
            return new Bound(Optional.of(duration), Optional.empty());
        }

        /** One point in time for all captures. */
        public static Bound at(Instant instant) {
            return new Bound(Optional.empty(), Optional.of(instant));
        }
    }
}
