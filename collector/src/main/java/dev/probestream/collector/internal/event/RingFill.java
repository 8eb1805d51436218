package dev.probestream.collector.internal.event;

import java.util.OptionalLong;

/**
 * Since when the ring buffer may have been full: before, each hit found room. Programs move its end forward and its reader the begin,
 * so between two looks it never held more than from the begin at the first to the end at the second. Not thread-safe.
 */
public final class RingFill {
    /** No sample is larger: an instruction of a program reaches 32 KiB behind a register. */
    static final long MAX_SAMPLE_BYTES = 32L << 10;

    private static final long NEVER = Long.MAX_VALUE;

    private final long sizeBytes;
    private long lookedNs;
    private long consumedBytes;
    private boolean wasFull;
    private long fullSinceNs = NEVER;

    /**
     * @param sizeBytes of the ring
     * @param startNs CLOCK_MONOTONIC, and the first look; nothing was read yet
     */
    public RingFill(long sizeBytes, long startNs) {
        this.sizeBytes = sizeBytes;
        this.lookedNs = startNs;
    }

    /**
     * Takes in a look at the ring.
     *
     * @param nowNs CLOCK_MONOTONIC, read before the following
     * @param consumed how many bytes were read so far
     * @param pending how many were not read yet
     */
    public void look(long nowNs, long consumed, long pending) {
        wasFull = consumed + pending - consumedBytes > sizeBytes - MAX_SAMPLE_BYTES;
        if (wasFull) {
            fullSinceNs = Math.min(fullSinceNs, lookedNs);
        }
        lookedNs = nowNs;
        consumedBytes = consumed;
    }

    /** Whether it may have been full since the losses were counted. */
    public boolean mayHaveBeenFull() {
        return fullSinceNs != NEVER;
    }

    /** Since when; empty: it was not. */
    public OptionalLong sinceNs() {
        return mayHaveBeenFull() ? OptionalLong.of(fullSinceNs) : OptionalLong.empty();
    }

    /**
     * The losses were counted, and the last look was later.
     *
     * @param nowNs CLOCK_MONOTONIC, read before the counts
     */
    public void counted(long nowNs) {
        fullSinceNs = wasFull ? nowNs : NEVER;
    }
}
