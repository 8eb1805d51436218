package dev.probestream.bpf.ring;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A ring whose pages a test fills as the kernel would (kernel/bpf/ringbuf.c). The data is written to both of its
 * places, since no page is mapped twice here.
 */
final class PreparedRing {
    private final ByteBuffer consumerPage = page(8);
    private final ByteBuffer producerPage = page(8);
    private final ByteBuffer data;
    private final int sizeBytes;
    private long producerPosition;

    /** @param startPosition where both sides stand at first, a multiple of 8 */
    PreparedRing(int sizeBytes, long startPosition) {
        this.sizeBytes = sizeBytes;
        this.data = page(2 * sizeBytes);
        this.producerPosition = startPosition;
        consumerPage.putLong(0, startPosition);
        producerPage.putLong(0, startPosition);
    }

    RingReader reader() {
        return new RingReader(consumerPage, producerPage, data, sizeBytes);
    }

    /** What the kernel believes to have been read. */
    long consumerPosition() {
        return consumerPage.getLong(0);
    }

    long freeBytes() {
        return sizeBytes - (producerPosition - consumerPosition());
    }

    /**
     * Appends a record whose sample repeats one byte; its header carries the given bits too.
     *
     * @return position of the record, for {@link #submit}
     */
    long append(int lengthBytes, int fill, int headerBits) {
        long position = producerPosition;
        int total = (lengthBytes + RingReader.BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
        if (total > freeBytes()) {
            throw new IllegalStateException("the test overfills its ring");
        }
        putInt(position, lengthBytes | headerBits);
        putInt(position + 4, 0x5aa5_5aa5); // the kernel's own: to be ignored
        for (int i = 0; i < total - RingReader.BPF_RINGBUF_HDR_SZ; i++) {
            put(position + RingReader.BPF_RINGBUF_HDR_SZ + i, i < lengthBytes ? fill : 0xee);
        }
        producerPosition += total;
        producerPage.putLong(0, producerPosition);
        return position;
    }

    long append(int lengthBytes, int fill) {
        return append(lengthBytes, fill, 0);
    }

    /** Sets a record's header again, as a program does when it submits or discards. */
    void submit(long position, int lengthBytes, int headerBits) {
        putInt(position, lengthBytes | headerBits);
    }

    private void putInt(long position, int value) {
        data.putInt(offset(position), value);
        data.putInt(offset(position) + sizeBytes, value);
    }

    private void put(long position, int value) {
        data.put(offset(position), (byte) value);
        data.put(offset(position) + sizeBytes, (byte) value);
    }

    private int offset(long position) {
        return (int) (position % sizeBytes);
    }

    /** Direct: heap arrays are not aligned for the reader's atomic accesses. */
    private static ByteBuffer page(int sizeBytes) {
        return ByteBuffer.allocateDirect(sizeBytes).order(ByteOrder.nativeOrder());
    }
}
