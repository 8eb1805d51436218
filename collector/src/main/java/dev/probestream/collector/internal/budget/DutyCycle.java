package dev.probestream.collector.internal.budget;

import java.util.random.RandomGenerator;

/**
 * The schedule of categories that are watched for a part of the time only. Time is divided into cycles. All categories
 * of a cycle begin with it, so that what is watched for longer is watched whenever the rest is. The length of a cycle
 * varies, so that periodic work of the target is observed in all its phases.
 */
public final class DutyCycle {
    /** Attaching and detaching a category takes some 100 ms and 30 ms of the collector's CPU time. */
    static final long MIN_LENGTH_NS = 2_000_000_000L;

    static final long MAX_LENGTH_NS = 4_000_000_000L;

    /** A category with less in a cycle is watched in some of the cycles only. */
    static final long MIN_WATCHED_NS = 200_000_000L;

    private final RandomGenerator random;

    /**
     * One cycle.
     *
     * @param lengthNs its length
     * @param chance up to 1; categories with a larger share of cycles are watched
     */
    public record Cycle(long lengthNs, double chance) {
        /** How long a category is watched from the beginning of the cycle on, if its part of the time is this. */
        public long watchedNs(double part) {
            if (part >= 1) {
                return Long.MAX_VALUE;
            }
            double ns = part * lengthNs;
            if (ns >= MIN_WATCHED_NS) {
                return Math.round(ns);
            }
            return chance < ns / MIN_WATCHED_NS ? MIN_WATCHED_NS : 0;
        }
    }

    /** @param random makes the lengths */
    public DutyCycle(RandomGenerator random) {
        this.random = random;
    }

    /** The next cycle. */
    public Cycle next() {
        return new Cycle(random.nextLong(MIN_LENGTH_NS, MAX_LENGTH_NS + 1), random.nextDouble());
    }
}
