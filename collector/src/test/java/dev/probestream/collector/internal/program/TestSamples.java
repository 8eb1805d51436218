package dev.probestream.collector.internal.program;

import dev.probestream.bpf.ring.RingBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** What functions in C take of threads, and the samples that they send. */
final class TestSamples {
    private TestSamples() {}

    /** A struct thread_ids. */
    static long ids(int tid, int tgid) {
        return (long) tgid << Integer.SIZE | Integer.toUnsignedLong(tid);
    }

    /** Reads all that are in the ring; each is a copy. */
    static List<ByteBuffer> read(RingBuffer ring) {
        List<ByteBuffer> samples = new ArrayList<>();
        ring.poll(
                (buffer, offset, length) -> {
                    ByteBuffer copy = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
                    for (int i = 0; i < length; i++) {
                        copy.put(i, buffer.get(offset + i));
                    }
                    samples.add(copy);
                },
                Integer.MAX_VALUE);
        return samples;
    }
}
