package dev.probestream.query;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The part of recordings that is asked about: what ended before {@code from}, and what began at {@code to} or later, is
 * left out. Spans and requests that lie partly in it are kept whole.
 */
public record TimeWindow(Optional<Bound> from, Optional<Bound> to) {
    /** Everything. */
    public static final TimeWindow ALL = new TimeWindow(Optional.empty(), Optional.empty());

    boolean isAll() {
        return from.isEmpty() && to.isEmpty();
    }

    /**
     * A moment.
     *
     * @param sinceStart counted from the start of each capture; empty = {@code at} says it
     * @param at in UTC; a capture whose wall-clock time is unknown has nothing before or after it
     */
    public record Bound(Optional<Duration> sinceStart, Optional<Instant> at) {
        /** Another moment in each capture. */
        public static Bound sinceStart(Duration duration) {
            return new Bound(Optional.of(duration), Optional.empty());
        }

        /** One moment for all captures. */
        public static Bound at(Instant instant) {
            return new Bound(Optional.empty(), Optional.of(instant));
        }
    }
}
