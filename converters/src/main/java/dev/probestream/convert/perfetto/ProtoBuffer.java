package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Protobuf's wire format, written into a growing byte array. A nested message gets one byte for its length, which is
 * patched when it ends; the few that are longer than 127 bytes are moved up to make room.
 *
 * <p>A tag is {@code field number << 3 | wire type}, see {@link Tags}.
 */
final class ProtoBuffer {
    private static final int MAX_VARINT_BYTES = 10;
    private static final int MAX_TAG_BYTES = 5;

    private byte[] bytes;
    private int size;

    ProtoBuffer(int capacityBytes) {
        bytes = new byte[capacityBytes];
    }

    /** Borrowed; another array after it has grown. */
    byte[] bytes() {
        return bytes;
    }

    int sizeBytes() {
        return size;
    }

    void clear() {
        size = 0;
    }

    void varint(int tag, long value) {
        ensure(MAX_TAG_BYTES + MAX_VARINT_BYTES);
        putVarint(tag);
        putVarint(value);
    }

    void fixed64(int tag, long value) {
        ensure(MAX_TAG_BYTES + Long.BYTES);
        putVarint(tag);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    void float64(int tag, double value) {
        fixed64(tag, Double.doubleToRawLongBits(value));
    }

    void bytes(int tag, byte[] from, int offset, int lengthBytes) {
        ensure(MAX_TAG_BYTES + MAX_VARINT_BYTES + lengthBytes);
        putVarint(tag);
        putVarint(lengthBytes);
        System.arraycopy(from, offset, bytes, size, lengthBytes);
        size += lengthBytes;
    }

    /** Fields that are written already. */
    void raw(byte[] from, int lengthBytes) {
        ensure(lengthBytes);
        System.arraycopy(from, 0, bytes, size, lengthBytes);
        size += lengthBytes;
    }

    void string(int tag, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        bytes(tag, utf8, 0, utf8.length);
    }

    /** Text that is meant to be UTF-8; what is not is replaced. */
    void text(int tag, byte[] utf8, int offset, int lengthBytes) {
        if (Utf8.isAscii(utf8, offset, lengthBytes)) {
            bytes(tag, utf8, offset, lengthBytes);
            return;
        }
        int message = begin(tag);
        ensure(lengthBytes * Utf8.REPLACEMENT_BYTES);
        int limit = offset + lengthBytes;
        for (int index = offset; index < limit; ) {
            int character = Utf8.characterBytes(utf8, index, limit);
            if (character == 0) {
                size = Utf8.putReplacement(bytes, size);
                index++;
            } else {
                System.arraycopy(utf8, index, bytes, size, character);
                size += character;
                index += character;
            }
        }
        end(message);
    }

    /** Begins a nested message; what it returns is to be given to {@link #end}. */
    int begin(int tag) {
        ensure(MAX_TAG_BYTES + 1);
        putVarint(tag);
        return size++;
    }

    void end(int message) {
        int start = message + 1;
        int lengthBytes = size - start;
        if (lengthBytes < 0x80) {
            bytes[message] = (byte) lengthBytes;
            return;
        }
        int extra = varintBytes(lengthBytes) - 1;
        ensure(extra);
        System.arraycopy(bytes, start, bytes, start + extra, lengthBytes);
        size = message;
        putVarint(lengthBytes);
        size += lengthBytes;
    }

    private static int varintBytes(int value) {
        return (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7;
    }

    private void putVarint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
        }
    }
}
