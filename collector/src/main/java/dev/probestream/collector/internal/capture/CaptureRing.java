package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.bpf.ring.SampleHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** The ring buffer of a capture, which one thread reads: a limited number of samples at a time, and all of them at the end. */
final class CaptureRing {
    /** So many samples before anything else is looked at: a fraction of a millisecond's work. */
    private static final int POLL_LIMIT = 16_384;

    /** Of what is looked on at: a live publisher holds so many events until their stacks have names. */
    private static final int LIVE_POLL_LIMIT = 1024;

    private final RingBuffer ring;
    private final SampleHandler samples;
    private final boolean isLive;
    private final Runnable flush;

    /**
     * @param ring borrowed for the lifetime of this object
     * @param samples takes each sample
     * @param isLive whether events are shown while they are read
     * @param flush shows what was read so far
     */
    CaptureRing(RingBuffer ring, SampleHandler samples, boolean isLive, Runnable flush) {
        this.ring = ring;
        this.samples = samples;
        this.isLive = isLive;
        this.flush = flush;
    }

    int sizeBytes() {
        return ring.sizeBytes();
    }

    /** How much was written and is not read yet. */
    long pendingBytes() {
        return ring.pendingBytes();
    }

    /** How much was read since it was made. */
    long consumedBytes() {
        return ring.consumedBytes();
    }

    /** Reads what there is, up to the limit; how many samples that were. */
    int poll() {
        int count = ring.poll(samples, limit());
        if (isLive && count > 0) {
            flush.run();
        }
        return count;
    }

    /** Whether a poll that read so many samples read all that there were. */
    boolean isEmptyAfter(int count) {
        return count < limit();
    }

    /** Detaching waits for the kernel's grace periods, some 50 ms; hits that happen meanwhile must not fill the ring. */
    void readWhile(Runnable detach) {
        CompletableFuture<Void> detaching =
                CompletableFuture.runAsync(detach, task -> new Thread(task, "detach").start());
        try {
            while (!detaching.isDone()) {
                if (poll() == 0) {
                    LockSupport.parkNanos(ReadingRest.MIN_NS);
                }
            }
        } finally {
            // Also when the publisher accepts no more: no other thread may touch the links meanwhile.
            detaching.join();
        }
    }

    /** What was submitted before the programs were detached is in the ring: all of it is read. */
    void drain() {
        while (poll() > 0) {
            // until it is empty
        }
    }

    private int limit() {
        return isLive ? LIVE_POLL_LIMIT : POLL_LIMIT;
    }
}
