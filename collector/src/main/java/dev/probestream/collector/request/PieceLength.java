package dev.probestream.collector.request;

import java.time.Duration;

/**
 * After how much a collection publishes the next Keyframe, where a reader can begin, if its publisher takes Keyframes. It is
 * looked at once a second.
 *
 * @param duration after this time, more than 0
 * @param bytes or after so many bytes that the publisher has published, more than 0
 */
public record PieceLength(Duration duration, long bytes) {
    /** A minute, or 16 MiB. */
    public static final PieceLength DEFAULT = new PieceLength(Duration.ofMinutes(1), 16 << 20);

    /** Checks the values. */
    public PieceLength {
        if (duration.isNegative() || duration.isZero() || bytes <= 0) {
            throw new IllegalArgumentException(
                    "a piece of " + duration + " or " + bytes + " bytes: both must be more than 0");
        }
    }

    /**
     * {@return whether a piece is long enough}
     *
     * @param ageNs since it began, in nanoseconds
     * @param sizeBytes of what was published since
     */
    public boolean isReached(long ageNs, long sizeBytes) {
        return ageNs >= duration.toNanos() || sizeBytes >= bytes;
    }
}
