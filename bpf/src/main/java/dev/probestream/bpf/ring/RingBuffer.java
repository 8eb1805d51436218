package dev.probestream.bpf.ring;

import dev.probestream.bpf.internal.MappedMemory;
import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapType;
import java.nio.ByteOrder;

/**
 * A ring buffer map in our memory. Reading and closing exclude each other, so closing while another thread reads is
 * safe: it waits for the end of that poll, and later polls are refused.
 *
 * <pre>
 * offset in the map's file      what                                    we may
 *          0                    consumer page                           read and write
 *   one page                    producer page                           read
 *  two pages                    the data, and the same data once more   read
 * </pre>
 */
public final class RingBuffer implements AutoCloseable {
    private final String name;
    private final int sizeBytes;
    private final MappedMemory consumerPage;
    private final MappedMemory producerPageAndData;
    private final RingReader reader;
    private boolean isPolling;
    private boolean isClosed;

    private RingBuffer(String name, int sizeBytes, MappedMemory consumerPage, MappedMemory producerPageAndData) {
        this.name = name;
        this.sizeBytes = sizeBytes;
        this.consumerPage = consumerPage;
        this.producerPageAndData = producerPageAndData;
        int pageBytes = PageSize.bytes();
        this.reader = new RingReader(
                consumerPage.buffer(),
                producerPageAndData.buffer(),
                producerPageAndData.buffer().slice(pageBytes, 2 * sizeBytes).order(ByteOrder.nativeOrder()),
                sizeBytes);
    }

    /**
     * Maps the ring. The map stays the caller's; it may be closed before the ring.
     *
     * @param map of type RINGBUF
     * @return the reader; the caller closes it
     * @throws IllegalArgumentException when the map is not a ring buffer, or larger than 512 MiB
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static RingBuffer map(BpfMap map) {
        int sizeBytes = map.spec().maxEntries();
        if (map.spec().type() != MapType.RINGBUF || sizeBytes > 1 << 29) {
            throw new IllegalArgumentException(map + " is not a ring buffer of at most 512 MiB: " + map.spec());
        }
        int pageBytes = PageSize.bytes();
        MappedMemory consumerPage = MappedMemory.map(map.descriptorNumber(), 0, pageBytes, true, map.toString());
        try {
            MappedMemory rest = MappedMemory.map(
                    map.descriptorNumber(), pageBytes, pageBytes + 2 * sizeBytes, false, map.toString());
            return new RingBuffer(map.spec().name(), sizeBytes, consumerPage, rest);
        } catch (RuntimeException e) {
            consumerPage.close();
            throw e;
        }
    }

    /**
     * Hands over the samples that wait, up to the first that a program is still writing. Never waits.
     *
     * @param handler called by this thread during this call
     * @param limit how many samples at most
     * @return how many samples were handed over; less than {@code limit} means the ring is drained for now
     * @throws IllegalStateException when the ring is closed
     */
    public synchronized int poll(SampleHandler handler, int limit) {
        checkOpen();
        if (isPolling) {
            throw new IllegalStateException("ring buffer " + name + " cannot be polled by the handler of its samples");
        }
        isPolling = true;
        try {
            return reader.poll(handler, limit);
        } finally {
            isPolling = false;
        }
    }

    /**
     * {@return how much of the ring is reserved and not read yet, headers and discarded records included; up to its
     * size}
     */
    public synchronized long pendingBytes() {
        checkOpen();
        return reader.pendingBytes();
    }

    /** {@return how much of the ring was read since it was made, headers and discarded records included} */
    public synchronized long consumedBytes() {
        checkOpen();
        return reader.consumedBytes();
    }

    /** {@return how many bytes of samples the ring has room for} */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** Unmaps the ring; a second time does nothing. Not from inside a {@link SampleHandler}. */
    @Override
    public synchronized void close() {
        if (isPolling) {
            throw new IllegalStateException("ring buffer " + name + " cannot be closed by the handler of its samples");
        }
        isClosed = true;
        try (consumerPage;
                producerPageAndData) {
            // both are closed, also if closing the other fails
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("ring buffer " + name + " was closed");
        }
    }
}
