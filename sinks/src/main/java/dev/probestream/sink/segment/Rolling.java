package dev.probestream.sink.segment;

import java.time.Duration;

/**
 * When a slice of a capture is full.
 *
 * @param maxEvents a slice has at most so many events; at least 1
 * @param maxBytes and at most so many bytes of encoded events (but always one event); at least 1
 * @param slice it spans less than this, from its first event's delivery; positive
 * @param gap an event that was delivered this long after the one before it begins another slice; positive
 * @param idle a slice also ends when the topic has been read to its end and has brought nothing of the capture for this
 *     long on the wall clock. Longer than {@code gap}, so that reading again makes the same slices.
 */
public record Rolling(long maxEvents, long maxBytes, Duration slice, Duration gap, Duration idle) {
    /** A minute, 8 million events or 1 GiB. */
    public static final Rolling DEFAULT =
            new Rolling(8_000_000, 1L << 30, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(60));

    public Rolling {
        if (maxEvents < 1 || maxBytes < 1) {
            throw new IllegalArgumentException(
                    "a slice of at most " + maxEvents + " events and " + maxBytes + " bytes can hold nothing");
        }
        if (!isPositive(slice) || !isPositive(gap) || idle.compareTo(gap) <= 0) {
            throw new IllegalArgumentException("a slice of " + slice + " with a gap of " + gap + " and idle after "
                    + idle + ": each must be positive, and idle longer than the gap");
        }
    }

    /** The same with slices of that length, and the other limits out of reach unless they are lower already. */
    public Rolling withSlice(Duration length) {
        return new Rolling(maxEvents, maxBytes, length, gap, idle);
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }
}
