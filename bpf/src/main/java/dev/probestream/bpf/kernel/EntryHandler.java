package dev.probestream.bpf.kernel;

import java.nio.ByteBuffer;

/** Is shown the entries of a map, one by one. */
@FunctionalInterface
public interface EntryHandler {
    /**
     * One entry. Both buffers are borrowed for the call, in the machine's byte order, from position to limit.
     *
     * @param value for per-CPU maps the values of all possible CPUs, each padded to 8 bytes
     */
    void entry(ByteBuffer key, ByteBuffer value);
}
