package dev.probestream.sink.segment;

import java.time.Duration;

/**
 * When a segment of a capture is full.
 *
 * @param maxEvents a segment has at most this many events; at least 1
 * @param maxBytes a segment has at most this many bytes of encoded events, but always one event; at least 1
 * @param maxSpan it spans less than this, from its first event's delivery; positive
 * @param gap an event that was delivered this long after the previous one begins another segment; positive
 * @param idle a segment also ends when the topic has been read to its end and has brought nothing of the capture for this
 *     long on the wall clock. Longer than {@code gap}, so that reading again makes the same segments.
 */
public record Rolling(long maxEvents, long maxBytes, Duration maxSpan, Duration gap, Duration idle) {
    /** A minute, 8 million events or 1 GiB. */
    public static final Rolling DEFAULT =
            new Rolling(8_000_000, 1L << 30, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(60));

    public Rolling {
        if (maxEvents < 1 || maxBytes < 1) {
            throw new IllegalArgumentException(
                    "a segment of at most " + maxEvents + " events and " + maxBytes + " bytes holds no event");
        }
        if (!isPositive(maxSpan) || !isPositive(gap) || idle.compareTo(gap) <= 0) {
            throw new IllegalArgumentException("a segment of " + maxSpan + " with a gap of " + gap + " and idle after "
                    + idle + ": each must be positive, and idle longer than the gap");
        }
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }
}
