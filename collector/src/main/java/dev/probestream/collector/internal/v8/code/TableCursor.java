package dev.probestream.collector.internal.v8.code;

/**
 * A place in one of V8's tables of numbers of variable length: each byte holds 7 bits, the lowest first; a set highest
 * bit means that more follow (v8/src/base/vlq.h).
 */
final class TableCursor {
    private static final int MORE = 0x80;
    private static final int BITS = 7;

    private final String table;
    private final byte[] bytes;
    private int offset;

    TableCursor(String table, byte[] bytes, int offset) throws CodeFormatException {
        this.table = table;
        this.bytes = bytes;
        moveTo(offset);
    }

    int offset() {
        return offset;
    }

    void moveTo(int newOffset) throws CodeFormatException {
        if (newOffset < 0 || newOffset > bytes.length) {
            throw new CodeFormatException(table, newOffset, "outside of its " + bytes.length + " bytes");
        }
        offset = newOffset;
    }

    boolean hasMore() {
        return offset < bytes.length;
    }

    int unsignedByte() throws CodeFormatException {
        if (!hasMore()) {
            throw malformed("ends too early");
        }
        return bytes[offset++] & 0xff;
    }

    /** Little-endian, as tables of safepoints have it. */
    int unsignedBytes(int count) throws CodeFormatException {
        int value = 0;
        for (int i = 0; i < count; i++) {
            value |= unsignedByte() << (Byte.SIZE * i);
        }
        return value;
    }

    /** VLQDecodeUnsigned. */
    int unsigned() throws CodeFormatException {
        return (int) number(Integer.SIZE);
    }

    /** VLQDecode: the sign is the lowest bit. */
    int signed() throws CodeFormatException {
        int bits = unsigned();
        int value = bits >>> 1;
        return (bits & 1) == 0 ? value : -value;
    }

    /** DecodeInt of v8/src/codegen/source-position-table.cc: zigzag. */
    long zigzag() throws CodeFormatException {
        long bits = number(Long.SIZE);
        return bits >>> 1 ^ -(bits & 1);
    }

    private long number(int maxBits) throws CodeFormatException {
        long value = 0;
        for (int shift = 0; shift < maxBits; shift += BITS) {
            int part = unsignedByte();
            value |= (long) (part & ~MORE) << shift;
            if ((part & MORE) == 0) {
                return value;
            }
        }
        throw malformed("a number is longer than " + maxBits + " bits");
    }

    CodeFormatException malformed(String problem) {
        return new CodeFormatException(table, offset, problem);
    }
}
