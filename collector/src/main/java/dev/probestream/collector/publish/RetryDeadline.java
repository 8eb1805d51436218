package dev.probestream.collector.publish;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The deadline for retries while the publisher waits for the brokers. Not thread-safe.
 *
 * <p>It expires if the brokers acknowledge nothing for the delivery timeout, and after the capture is stopped if they
 * acknowledge nothing for 5 s. Every acknowledgement restarts it: brokers that are slow get all the time they need,
 * because a stopped capture has a bounded number of records left.
 */
final class RetryDeadline {
    private static final long STOPPED_RESPONSE_TIMEOUT_NS =
            Duration.ofSeconds(5).toNanos();
    private static final long NEVER = Long.MIN_VALUE;

    private final long responseTimeoutNs;
    private final BooleanSupplier isStopped;
    private final LongSupplier nanoTime;
    private long acknowledgedRecords;
    private long lastResponseNs;
    private long waitStartNs;
    private long stoppedNs = NEVER;

    /** @param nanoTime {@link System#nanoTime}, or a fake clock in tests */
    RetryDeadline(long responseTimeoutNs, BooleanSupplier isStopped, LongSupplier nanoTime) {
        this.responseTimeoutNs = responseTimeoutNs;
        this.isStopped = isStopped;
        this.nanoTime = nanoTime;
        this.lastResponseNs = nanoTime.getAsLong();
        this.waitStartNs = lastResponseNs;
    }

    /** Restarts the deadline if more records are acknowledged. Call it regularly, also while nothing waits. */
    void recordProgress(long acknowledgedRecords) {
        if (acknowledgedRecords != this.acknowledgedRecords) {
            this.acknowledgedRecords = acknowledgedRecords;
            restart();
        }
    }

    /** Restarts the deadline. Call it also when no acknowledgement is outstanding. */
    void restart() {
        lastResponseNs = nanoTime.getAsLong();
    }

    /** Begins a wait: the deadline counts from now at the earliest. */
    void beginWait() {
        waitStartNs = nanoTime.getAsLong();
    }

    /** The time since the last restart. */
    Duration sinceLastResponse() {
        return Duration.ofNanos(nanoTime.getAsLong() - lastResponseNs);
    }

    /** The reason why the deadline has expired; empty if it has not. */
    Optional<String> expiry() {
        long nowNs = nanoTime.getAsLong();
        long unansweredNs = nowNs - Math.max(lastResponseNs, waitStartNs);
        if (stoppedNs == NEVER && isStopped.getAsBoolean()) {
            stoppedNs = nowNs;
        }
        if (unansweredNs >= responseTimeoutNs) {
            return Optional.of(
                    "no response for " + Duration.ofNanos(responseTimeoutNs).toSeconds() + " s");
        }
        if (stoppedNs != NEVER && Math.min(unansweredNs, nowNs - stoppedNs) >= STOPPED_RESPONSE_TIMEOUT_NS) {
            return Optional.of("stopped, then no response for " + STOPPED_RESPONSE_TIMEOUT_NS / 1_000_000_000 + " s");
        }
        return Optional.empty();
    }
}
