package dev.probestream.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies text of unknown quality as valid UTF-8: malformed sequences become U+FFFD, one for each that
 * {@link java.nio.charset.CharsetDecoder} replaces. Text read by a BPF program ends where its limit was, often in the
 * middle of a character.
 */
final class Utf8Text {
    private static final VarHandle LONG_AT =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long TOP_BITS = 0x8080808080808080L;
    private static final int REPLACEMENT_BYTES = 3;

    private Utf8Text() {}

    /** Copies {@code lengthBytes} bytes and returns whether all are ASCII. */
    static boolean copyAscii(ByteBuffer source, int offset, int lengthBytes, byte[] target, int position) {
        if (lengthBytes < Long.BYTES) {
            return copyFewAscii(source, offset, lengthBytes, target, position);
        }
        boolean isSwapped = source.order() != ByteOrder.LITTLE_ENDIAN;
        int last = lengthBytes - Long.BYTES;
        long seen = 0;
        for (int done = 0; done < last; done += Long.BYTES) {
            seen |= copyEight(source, offset + done, isSwapped, target, position + done);
        }
        // The last eight overlap the ones before, unless the length is a multiple of eight.
        seen |= copyEight(source, offset + last, isSwapped, target, position + last);
        return (seen & TOP_BITS) == 0;
    }

    private static long copyEight(ByteBuffer source, int from, boolean isSwapped, byte[] target, int to) {
        long eight = source.getLong(from);
        LONG_AT.set(target, to, isSwapped ? Long.reverseBytes(eight) : eight);
        return eight;
    }

    private static boolean copyFewAscii(ByteBuffer source, int offset, int lengthBytes, byte[] target, int position) {
        int seen = 0;
        for (int i = 0; i < lengthBytes; i++) {
            byte one = source.get(offset + i);
            seen |= one;
            target[position + i] = one;
        }
        return (seen & 0x80) == 0;
    }

    /** How many bytes {@link #copyRepaired} writes. */
    static int repairedLength(ByteBuffer source, int offset, int lengthBytes) {
        int end = offset + lengthBytes;
        int length = 0;
        for (int at = offset; at < end; ) {
            int sequence = sequenceAt(source, at, end);
            length += sequence > 0 ? sequence : REPLACEMENT_BYTES;
            at += Math.abs(sequence);
        }
        return length;
    }

    static void copyRepaired(ByteBuffer source, int offset, int lengthBytes, byte[] target, int position) {
        int end = offset + lengthBytes;
        int to = position;
        for (int at = offset; at < end; ) {
            int sequence = sequenceAt(source, at, end);
            if (sequence > 0) {
                for (int i = 0; i < sequence; i++) {
                    target[to++] = source.get(at + i);
                }
            } else {
                target[to++] = (byte) 0xEF;
                target[to++] = (byte) 0xBF;
                target[to++] = (byte) 0xBD;
            }
            at += Math.abs(sequence);
        }
    }

    /**
     * The bytes of the character at {@code at}, or, negative, those of the malformed sequence there: as many as could
     * have begun a character (Unicode 15, 3.9, "maximal subpart"), except that an encoded surrogate counts whole.
     */
    private static int sequenceAt(ByteBuffer source, int at, int end) {
        int first = source.get(at) & 0xFF;
        if (first < 0x80) {
            return 1;
        }
        if (first < 0xC2 || first > 0xF4) {
            return -1;
        }
        int length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (at + 1 == end || !isSecond(first, source.get(at + 1) & 0xFF)) {
            return -1;
        }
        for (int i = 2; i < length; i++) {
            if (at + i == end || !isContinuation(source.get(at + i) & 0xFF)) {
                return -i;
            }
        }
        boolean isSurrogate = first == 0xED && (source.get(at + 1) & 0xFF) >= 0xA0;
        return isSurrogate ? -length : length;
    }

    /** Whether {@code second} may follow {@code first}: overlong forms and values above U+10FFFF end here. */
    private static boolean isSecond(int first, int second) {
        return switch (first) {
            case 0xE0 -> second >= 0xA0 && second <= 0xBF;
            case 0xF0 -> second >= 0x90 && second <= 0xBF;
            case 0xF4 -> second >= 0x80 && second <= 0x8F;
            default -> isContinuation(second);
        };
    }

    private static boolean isContinuation(int next) {
        return (next & 0xC0) == 0x80;
    }
}
