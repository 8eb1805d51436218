package dev.probestream.collector.publish;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How long the brokers may be silent while something waits for them. For one thread.
 *
 * <p>They may be silent for the delivery timeout. A capture that is stopped waits less: as long as acknowledgements come,
 * and not for ever.
 */
final class RetryDeadline {
    private static final long STOPPED_SILENCE_NS = Duration.ofSeconds(5).toNanos();
    private static final long STOPPED_ALTOGETHER_NS = Duration.ofSeconds(30).toNanos();
    private static final long NEVER = Long.MIN_VALUE;

    private final long maxSilenceNs;
    private final BooleanSupplier isStopped;
    private final LongSupplier nanoTime;
    private long acknowledgedRecords;
    private long silentSinceNs;
    private long waitingSinceNs;
    private long stoppedNs = NEVER;

    /** {@code nanoTime} is {@link System#nanoTime} but in tests. */
    RetryDeadline(long maxSilenceNs, BooleanSupplier isStopped, LongSupplier nanoTime) {
        this.maxSilenceNs = maxSilenceNs;
        this.isStopped = isStopped;
        this.nanoTime = nanoTime;
        this.silentSinceNs = nanoTime.getAsLong();
        this.waitingSinceNs = silentSinceNs;
    }

    /** Notes how many records are acknowledged; due now and then, also while nobody waits. */
    void recordProgress(long acknowledgedRecords) {
        if (acknowledgedRecords != this.acknowledgedRecords) {
            this.acknowledgedRecords = acknowledgedRecords;
            restart();
        }
    }

    /** Notes that the brokers owe nothing at the moment, so that their silence says nothing. */
    void restart() {
        silentSinceNs = nanoTime.getAsLong();
    }

    /** Somebody waits from now on. */
    void beginWait() {
        waitingSinceNs = nanoTime.getAsLong();
    }

    /** How long the brokers have owed an acknowledgement. */
    Duration sinceLastResponse() {
        return Duration.ofNanos(nanoTime.getAsLong() - silentSinceNs);
    }

    /** Why there is no use in waiting longer, or empty. */
    Optional<String> expiry() {
        long nowNs = nanoTime.getAsLong();
        long silenceNs = nowNs - Math.max(silentSinceNs, waitingSinceNs);
        if (stoppedNs == NEVER && isStopped.getAsBoolean()) {
            stoppedNs = nowNs;
        }
        if (silenceNs >= maxSilenceNs) {
            return Optional.of("no answer for " + Duration.ofNanos(maxSilenceNs).toSeconds() + " s");
        }
        if (stoppedNs != NEVER && Math.min(silenceNs, nowNs - stoppedNs) >= STOPPED_SILENCE_NS) {
            return Optional.of("stopped, and then no answer for " + STOPPED_SILENCE_NS / 1_000_000_000 + " s");
        }
        if (stoppedNs != NEVER && nowNs - stoppedNs >= STOPPED_ALTOGETHER_NS) {
            return Optional.of("stopped, and not all was taken within " + STOPPED_ALTOGETHER_NS / 1_000_000_000 + " s");
        }
        return Optional.empty();
    }
}
