package dev.probestream.convert;

import java.util.Optional;
import java.util.Set;

/**
 * The part of a recording that a trace is to show.
 *
 * <p>Spans that only partly lie between {@code from} and {@code to} are kept whole, so that a time range never shows a
 * duration that was not measured; {@link ConversionOutcome} counts them.
 *
 * @param from the first moment shown; empty = from the start
 * @param to the first moment no longer shown; empty = to the end
 * @param pids the processes shown; empty = all
 */
public record RecordingRange(Optional<Bound> from, Optional<Bound> to, Set<Integer> pids) {
    /** Everything. */
    public static final RecordingRange ALL = new RecordingRange(Optional.empty(), Optional.empty(), Set.of());

    public RecordingRange {
        pids = Set.copyOf(pids);
    }

    /** What {@link Bound#ns} counts from. */
    public enum Origin {
        /** The start of the first capture among the inputs. */
        CAPTURE_START,
        /** CLOCK_MONOTONIC of the host of the first capture. */
        MONOTONIC
    }

    /** A moment, {@code ns} nanoseconds after its origin. */
    public record Bound(long ns, Origin origin) {
        /** {@code ns} nanoseconds after the start of the first capture. */
        public static Bound sinceStart(long ns) {
            return new Bound(ns, Origin.CAPTURE_START);
        }

        /** CLOCK_MONOTONIC = {@code ns}. */
        public static Bound monotonic(long ns) {
            return new Bound(ns, Origin.MONOTONIC);
        }
    }
}
