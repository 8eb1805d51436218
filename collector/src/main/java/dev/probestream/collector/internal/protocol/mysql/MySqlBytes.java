package dev.probestream.collector.internal.protocol.mysql;

/** Numbers of MySQL's packets. */
final class MySqlBytes {
    /** What stands where there is no number. */
    static final long NONE = -1;

    private MySqlBytes() {}

    static long littleEndian(byte[] bytes, int at, int size) {
        long value = 0;
        for (int i = size - 1; i >= 0; i--) {
            value = (value << Byte.SIZE) | (bytes[at + i] & 0xff);
        }
        return value;
    }

    /** How many bytes the length-encoded number at {@code at} takes; 0 if there is none. */
    static int encodedSize(byte[] bytes, int at, int end) {
        if (at >= end) {
            return 0;
        }
        int size = switch (bytes[at] & 0xff) {
            case 0xfc -> 3;
            case 0xfd -> 4;
            case 0xfe -> 9;
            case 0xfb, 0xff -> 0;
            default -> 1;
        };
        return at + size <= end ? size : 0;
    }

    /** The length-encoded number at {@code at}. */
    static long encoded(byte[] bytes, int at, int end) {
        int size = encodedSize(bytes, at, end);
        return size == 0 ? NONE : size == 1 ? bytes[at] & 0xff : littleEndian(bytes, at + 1, size - 1);
    }
}
