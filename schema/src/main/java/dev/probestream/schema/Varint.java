package dev.probestream.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Avro's numbers (specification 1.12, "Binary Encoding"): zig-zag, then seven bits a byte, lowest first, the top bit set
 * on all bytes but the last.
 */
public final class Varint {
    /** A long needs at most this many bytes. */
    public static final int MAX_BYTES = 10;

    private static final VarHandle LONG_AT =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Varint() {}

    /** Writes {@code value} and returns the position after it; needs {@link #MAX_BYTES} of room, and may soil them all. */
    static int write(byte[] buffer, int position, long value) {
        long bits = (value << 1) ^ (value >> 63);
        if ((bits & ~0x7FL) == 0) {
            buffer[position] = (byte) bits;
            return position + 1;
        }
        if ((bits & ~0x3FFFL) == 0) {
            buffer[position] = (byte) (bits | 0x80);
            buffer[position + 1] = (byte) (bits >>> 7);
            return position + 2;
        }
        return writeLong(buffer, position, bits);
    }

    /** Spreads the lower 56 bits over eight bytes at once; what is above them follows byte by byte. */
    private static int writeLong(byte[] buffer, int position, long bits) {
        long spread = (bits & 0x0FFFFFFFL) | ((bits & 0x00FFFFFFF0000000L) << 4);
        spread = (spread & 0x00003FFF00003FFFL) | ((spread & 0x0FFFC0000FFFC000L) << 2);
        spread = (spread & 0x007F007F007F007FL) | ((spread & 0x3F803F803F803F80L) << 1);
        if (bits >>> 56 == 0) {
            int lastByte = (63 - Long.numberOfLeadingZeros(spread)) >>> 3;
            long marks = 0x8080808080808080L & ((1L << (8 * lastByte)) - 1);
            LONG_AT.set(buffer, position, spread | marks);
            return position + lastByte + 1;
        }
        LONG_AT.set(buffer, position, spread | 0x8080808080808080L);
        long rest = bits >>> 56;
        if (rest < 0x80) {
            buffer[position + 8] = (byte) rest;
            return position + 9;
        }
        buffer[position + 8] = (byte) (rest | 0x80);
        buffer[position + 9] = (byte) (rest >>> 7);
        return position + 10;
    }
}
