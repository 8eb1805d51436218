package dev.probestream.collector.internal.capture;

/**
 * How long the reader rests between two looks at the ring buffer. A wake-up would cost the target some
 * 7 us, so only hits after which the process may end wake it. Each look costs the reader some 30 us, so it rests as long as
 * the ring has room for what may come meanwhile.
 *
 * <p>For one thread.
 */
final class ReadingRest {
    /** Also the rest while the ring fills quickly. */
    static final long MIN_NS = 500_000;

    /** While many hits come, or stacks: functions of JavaScript are named from memory that V8 moves. */
    static final long MAX_NS = 5_000_000;

    /** While few hits come, or none, and no stacks came for {@link #STACKS_NS}. */
    static final long IDLE_NS = 50_000_000;

    /** 320 hits a second are not few any more. */
    private static final int FEW_HITS = 16;

    /** 250 MB/s: more than a million hits of 200 bytes in a second. */
    private static final long NS_PER_BYTE = 4;

    private static final long STACKS_NS = 1_000_000_000;

    private final long ringBytes;
    private final long idleNs;
    private long lastReadNs;
    private long userStacks;
    private long lastStackNs = Long.MIN_VALUE / 2;

    ReadingRest(long ringBytes, long nowNs) {
        this.ringBytes = ringBytes;
        this.idleNs = Math.max(MAX_NS, Math.min(IDLE_NS, ringBytes * NS_PER_BYTE));
        this.lastReadNs = nowNs;
    }

    /**
     * {@return how long to rest, in ns}
     *
     * @param pendingBytes how much was in the ring before it was read last
     * @param count how many samples were read
     * @param userStacksRead how many stacks of programs were read so far
     * @param nowNs CLOCK_MONOTONIC
     */
    long after(long pendingBytes, int count, long userStacksRead, long nowNs) {
        long elapsedNs = Math.max(1, nowNs - lastReadNs);
        lastReadNs = nowNs;
        if (userStacksRead != userStacks) {
            userStacks = userStacksRead;
            lastStackNs = nowNs;
        }
        long fewNs = nowNs - lastStackNs < STACKS_NS ? MAX_NS : idleNs;
        if (count == 0) {
            return fewNs;
        }
        double untilAnEighthNs = (double) elapsedNs * ringBytes / 8 / Math.max(1, pendingBytes);
        return (long) Math.max(MIN_NS, Math.min((double) (count < FEW_HITS ? fewNs : MAX_NS), untilAnEighthNs));
    }
}
