package dev.probestream.bpf.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Follows the records of a ring (kernel/bpf/ringbuf.c). For one thread at a time.
 *
 * <pre>
 * consumer page   0  8  position up to which we have read: ours to write
 * producer page   0  8  position up to which programs have reserved
 * data            position p lies at p modulo the ring's size, and the ring follows itself in memory, so that a
 *                 record that wraps around lies in one piece
 * record          0  4  length of the sample; bit 31 BUSY: not submitted yet; bit 30 DISCARD: to be skipped
 *                 4  4  the kernel's own
 *                 8     the sample, and padding up to a multiple of 8
 * </pre>
 */
final class RingReader {
    // linux/bpf.h
    static final int BPF_RINGBUF_BUSY_BIT = 1 << 31;
    static final int BPF_RINGBUF_DISCARD_BIT = 1 << 30;
    static final int BPF_RINGBUF_HDR_SZ = 8;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /**
     * How much of the ring is read before its room is given back. Each release makes the producing CPU fetch the
     * consumer page again, so not after every record; but soon enough that a long poll does not starve the programs.
     */
    private static final int RELEASES_PER_RING = 16;

    private final ByteBuffer consumerPage;
    private final ByteBuffer producerPage;
    private final ByteBuffer data;
    private final long sizeBytes;
    private final long releaseEveryBytes;

    /** Our own copy of the consumer position: no other thread writes it. */
    private long consumerPosition;

    /** The consumer position that the kernel reads. */
    private long releasedPosition;

    /**
     * @param data the ring twice in a row
     * @param sizeBytes of the ring, a power of two
     */
    RingReader(ByteBuffer consumerPage, ByteBuffer producerPage, ByteBuffer data, int sizeBytes) {
        this.consumerPage = consumerPage;
        this.producerPage = producerPage;
        this.data = data;
        this.sizeBytes = sizeBytes;
        this.releaseEveryBytes = Math.max(1, sizeBytes / RELEASES_PER_RING);
        this.consumerPosition = (long) LONG.getAcquire(consumerPage, 0);
        this.releasedPosition = consumerPosition;
    }

    /**
     * Hands over the samples that wait, up to the first that is still being written. Never waits.
     *
     * @param limit how many samples at most; discarded records do not count
     * @return how many samples were handed over; less than {@code limit} means the ring is drained for now
     */
    int poll(SampleHandler handler, int limit) {
        int count = 0;
        try {
            // acquire: what lies below the producer position was reserved before it was moved
            long producerPosition = (long) LONG.getAcquire(producerPage, 0);
            while (count < limit && consumerPosition < producerPosition) {
                int offset = (int) (consumerPosition & (sizeBytes - 1));
                // acquire: the kernel clears BUSY only after the sample is written
                int header = (int) INT.getAcquire(data, offset);
                if ((header & BPF_RINGBUF_BUSY_BIT) != 0) {
                    break;
                }
                int lengthBytes = header & ~BPF_RINGBUF_DISCARD_BIT;
                consumerPosition += (lengthBytes + BPF_RINGBUF_HDR_SZ + 7) & ~7;
                if ((header & BPF_RINGBUF_DISCARD_BIT) == 0) {
                    count++;
                    handler.sample(data, offset + BPF_RINGBUF_HDR_SZ, lengthBytes);
                }
                if (consumerPosition - releasedPosition >= releaseEveryBytes) {
                    release();
                }
            }
        } finally {
            // A sample whose handler threw counts as read: the next poll goes on behind it.
            release();
        }
        return count;
    }

    /** Bytes between what was read and what was reserved, headers and discarded records included. */
    long pendingBytes() {
        return (long) LONG.getAcquire(producerPage, 0) - consumerPosition;
    }

    /** Bytes that were read since the ring was made. */
    long consumedBytes() {
        return consumerPosition;
    }

    private void release() {
        if (releasedPosition != consumerPosition) {
            // release: programs may overwrite the samples only after we are done reading them
            LONG.setRelease(consumerPage, 0, consumerPosition);
            releasedPosition = consumerPosition;
        }
    }
}
