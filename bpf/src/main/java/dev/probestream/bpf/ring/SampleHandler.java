package dev.probestream.bpf.ring;

import java.nio.ByteBuffer;

/** Is handed the samples of a ring, one by one, in the order in which programs reserved them. */
@FunctionalInterface
public interface SampleHandler {
    /**
     * One sample: the bytes from {@code offset} to {@code offset + lengthBytes}, valid only inside the call. Read them
     * with absolute gets; do not change the buffer's position, limit or order.
     *
     * @param buffer read-only memory of the kernel, in the machine's byte order
     * @param offset a multiple of 8
     * @param lengthBytes of the sample
     */
    void sample(ByteBuffer buffer, int offset, int lengthBytes);
}
