package dev.probestream.collector.event;

import java.nio.ByteBuffer;

/** Turns the raw stacks of a sample into the id of a stack record. */
public interface StackSink {
    /**
     * Takes the stacks of one sample: u64 addresses, leaf first. The buffer is borrowed for the call; read it with
     * absolute gets.
     *
     * @param tgid whose user stack it is
     * @param kernelOffset where the kernel's addresses begin
     * @param kernelBytes how many bytes of them there are, a multiple of 8; 0 = none
     * @param userOffset where the program's addresses begin
     * @param userBytes likewise
     * @return the id of the stack, 0 = none
     */
    long stack(int tgid, ByteBuffer buffer, int kernelOffset, int kernelBytes, int userOffset, int userBytes);
}
