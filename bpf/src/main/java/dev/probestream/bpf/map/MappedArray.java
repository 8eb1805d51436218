package dev.probestream.bpf.map;

import dev.probestream.bpf.internal.MappedMemory;
import dev.probestream.bpf.internal.PageSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The values of an array, mapped into this process's memory: words are read and exchanged at the same time as programs
 * change them, without a system call. Safe for several threads; whoever maps it closes it.
 */
public final class MappedArray implements AutoCloseable {
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final MapSpec spec;
    private final MappedMemory memory;
    private final ByteBuffer values;

    private MappedArray(MapSpec spec, MappedMemory memory) {
        this.spec = spec;
        this.memory = memory;
        this.values = memory.buffer();
    }

    /**
     * Maps the values. The map stays the caller's; it may be closed before.
     *
     * @param map made of {@link MapSpec#mappableArray}, of at most 1 GiB
     * @return the values; the caller closes them
     * @throws IllegalArgumentException when the map is of another kind, or larger
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static MappedArray map(BpfMap map) {
        MapSpec spec = map.spec();
        long sizeBytes = (long) spec.valueSizeBytes() * spec.maxEntries();
        if (spec.type() != MapType.ARRAY
                || (spec.flags() & MapSpec.BPF_F_MMAPABLE) == 0
                || spec.valueSizeBytes() % Long.BYTES != 0
                || sizeBytes > 1 << 30) {
            throw new IllegalArgumentException(map + " is no mappable array of double words: " + spec);
        }
        int pageBytes = PageSize.bytes();
        int mappedBytes = (int) ((sizeBytes + pageBytes - 1) / pageBytes * pageBytes);
        return new MappedArray(spec, MappedMemory.map(map.descriptorNumber(), 0, mappedBytes, true, map.toString()));
    }

    /**
     * {@return a double word of a value}
     *
     * @param index of the value, from 0
     * @param offset in the value in bytes, a multiple of 8
     */
    public synchronized long get(int index, int offset) {
        return (long) LONG.getVolatile(values, position(index, offset));
    }

    /**
     * Replaces a double word of a value. What programs write at the same time is either returned or stays.
     *
     * @param index of the value, from 0
     * @param offset in the value in bytes, a multiple of 8
     * @param value what is there afterwards
     * @return what was there before
     */
    public synchronized long getAndSet(int index, int offset, long value) {
        return (long) LONG.getAndSet(values, position(index, offset), value);
    }

    private int position(int index, int offset) {
        if (index < 0 || index >= spec.maxEntries() || offset < 0 || offset >= spec.valueSizeBytes()) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + " of value " + index + " of map " + spec.name() + ": " + spec);
        }
        // An unmapped address would end the JVM.
        memory.buffer();
        return index * spec.valueSizeBytes() + offset;
    }

    /** Unmaps the values; a second time does nothing. */
    @Override
    public synchronized void close() {
        memory.close();
    }
}
