package dev.probestream.bpf.internal;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Memory for the arguments of system calls: initially zero, in the machine's byte order, freed by the garbage
 * collector. Memory that it points to ({@link #putPointer}) is kept alive with it. All offsets are bytes.
 */
public final class NativeMemory {
    private final ByteBuffer bytes;
    private final long address;
    private final List<NativeMemory> pointees = new ArrayList<>();

    private NativeMemory(int sizeBytes) {
        bytes = ByteBuffer.allocateDirect(sizeBytes).order(ByteOrder.nativeOrder());
        address = JnrFfi.address(bytes);
    }

    public static NativeMemory allocate(int sizeBytes) {
        return new NativeMemory(sizeBytes);
    }

    /** A C string: UTF-8 with a terminating zero. */
    public static NativeMemory ofString(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return ofBytes(Arrays.copyOf(utf8, utf8.length + 1));
    }

    public static NativeMemory ofBytes(byte[] values) {
        NativeMemory memory = allocate(values.length);
        memory.bytes.put(0, values);
        return memory;
    }

    public static NativeMemory ofLongs(long[] values) {
        NativeMemory memory = allocate(values.length * Long.BYTES);
        memory.bytes.asLongBuffer().put(values);
        return memory;
    }

    public NativeMemory putByte(int offset, int value) {
        bytes.put(offset, (byte) value);
        return this;
    }

    public NativeMemory putInt(int offset, int value) {
        bytes.putInt(offset, value);
        return this;
    }

    public NativeMemory putLong(int offset, long value) {
        bytes.putLong(offset, value);
        return this;
    }

    /** Stores the target's address as 64 bits and keeps the target alive. */
    public NativeMemory putPointer(int offset, NativeMemory target) {
        pointees.add(target);
        return putLong(offset, target.address);
    }

    /** Stores at most {@code fieldSizeBytes - 1} bytes of the text and a terminating zero. */
    public NativeMemory putString(int offset, int fieldSizeBytes, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, fieldSizeBytes - 1);
        bytes.put(offset, utf8, 0, length).put(offset + length, (byte) 0);
        return this;
    }

    public int getInt(int offset) {
        return bytes.getInt(offset);
    }

    public long getLong(int offset) {
        return bytes.getLong(offset);
    }

    /** The text from {@code offset} up to its zero or the end of the field. */
    public String getString(int offset, int fieldSizeBytes) {
        int length = 0;
        while (length < fieldSizeBytes && bytes.get(offset + length) != 0) {
            length++;
        }
        byte[] utf8 = new byte[length];
        bytes.get(offset, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** The same memory as a buffer from 0 to its size, valid as long as this object or the buffer is reachable. */
    public ByteBuffer buffer() {
        return bytes.duplicate().clear().order(ByteOrder.nativeOrder());
    }

    public int sizeBytes() {
        return bytes.capacity();
    }

    /** Passes the address to a system call and keeps the memory reachable until the call returns. */
    public long lend(LongUnaryOperator systemCall) {
        try {
            return systemCall.applyAsLong(address);
        } finally {
            Reference.reachabilityFence(this);
        }
    }
}
