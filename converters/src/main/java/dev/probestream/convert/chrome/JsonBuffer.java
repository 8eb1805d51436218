package dev.probestream.convert.chrome;

import dev.probestream.convert.shape.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * JSON text, written into a growing byte array. Text stays raw UTF-8: an escaped surrogate pair is fatal in some
 * viewers. The caller writes commas and brackets.
 */
final class JsonBuffer {
    /** Integers beyond it do not survive a reader that has only doubles: JavaScript's Number.MAX_SAFE_INTEGER. */
    private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final int MAX_NUMBER_BYTES = 22;

    private byte[] bytes;
    private int size;

    JsonBuffer(int capacityBytes) {
        bytes = new byte[capacityBytes];
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
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

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    /** JSON that is written already. */
    void raw(byte[] json) {
        ensure(json.length);
        System.arraycopy(json, 0, bytes, size, json.length);
        size += json.length;
    }

    void raw(char ascii) {
        ensure(1);
        bytes[size++] = (byte) ascii;
    }

    /** Nanoseconds as microseconds with three decimals. */
    void microseconds(long ns) {
        ensure(MAX_NUMBER_BYTES);
        if (ns < 0) {
            bytes[size++] = '-';
        }
        long positive = Math.abs(ns);
        putDigits(positive / 1000);
        int rest = (int) (positive % 1000);
        bytes[size++] = '.';
        bytes[size++] = (byte) ('0' + rest / 100);
        bytes[size++] = (byte) ('0' + rest / 10 % 10);
        bytes[size++] = (byte) ('0' + rest % 10);
    }

    /** A plain number, whatever its size. */
    void number(long value) {
        ensure(MAX_NUMBER_BYTES);
        if (value == Long.MIN_VALUE) {
            raw(ascii("-9223372036854775808"));
            return;
        }
        if (value < 0) {
            bytes[size++] = '-';
        }
        putDigits(Math.abs(value));
    }

    /** A number if every reader gets it right, else its digits as text. */
    void safeNumber(long value) {
        if (value >= -MAX_SAFE_INTEGER && value <= MAX_SAFE_INTEGER) {
            number(value);
        } else {
            raw('"');
            number(value);
            raw('"');
        }
    }

    /** As {@link #safeNumber}, of an unsigned 64-bit number. */
    void safeUnsigned(long value) {
        if (value >= 0) {
            safeNumber(value);
        } else {
            raw('"');
            raw(ascii(Long.toUnsignedString(value)));
            raw('"');
        }
    }

    /** "0x1f" as text. */
    void hexText(long value) {
        ensure(MAX_NUMBER_BYTES);
        bytes[size++] = '"';
        bytes[size++] = '0';
        bytes[size++] = 'x';
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 3) / 4);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            bytes[size++] = HEX[(int) (value >>> shift) & 0xF];
        }
        bytes[size++] = '"';
    }

    void text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        text(utf8, 0, utf8.length);
    }

    /** Text that is meant to be UTF-8; what is not is replaced. */
    void text(byte[] utf8, int offset, int lengthBytes) {
        // One byte becomes at most six: a control character.
        ensure(Math.addExact(Math.multiplyExact(lengthBytes, 6), 2));
        bytes[size++] = '"';
        int limit = offset + lengthBytes;
        int index = offset;
        while (index < limit) {
            byte value = utf8[index];
            if (value < 0) {
                index += putCharacter(utf8, index, limit);
            } else {
                putAscii(value);
                index++;
            }
        }
        bytes[size++] = '"';
    }

    private void putAscii(byte value) {
        if (value >= 0x20 && value != '"' && value != '\\') {
            bytes[size++] = value;
            return;
        }
        bytes[size++] = '\\';
        switch (value) {
            case '"', '\\' -> bytes[size++] = value;
            case '\n' -> bytes[size++] = 'n';
            case '\r' -> bytes[size++] = 'r';
            case '\t' -> bytes[size++] = 't';
            default -> {
                bytes[size++] = 'u';
                bytes[size++] = '0';
                bytes[size++] = '0';
                bytes[size++] = HEX[value >>> 4];
                bytes[size++] = HEX[value & 0xF];
            }
        }
    }

    /** @return how many bytes it took */
    private int putCharacter(byte[] utf8, int index, int limit) {
        int length = Utf8.characterBytes(utf8, index, limit);
        if (length == 0) {
            size = Utf8.putReplacement(bytes, size);
            return 1;
        }
        System.arraycopy(utf8, index, bytes, size, length);
        size += length;
        return length;
    }

    /** From the last digit to the first; as soon as it fits into an int, whose division is much cheaper. */
    private void putDigits(long positive) {
        int digits = digits(positive);
        int at = size + digits;
        size = at;
        long rest = positive;
        while (rest > Integer.MAX_VALUE) {
            long quotient = rest / 100;
            at = putPair(at, (int) (rest - quotient * 100));
            rest = quotient;
        }
        int small = (int) rest;
        while (small >= 100) {
            int quotient = small / 100;
            at = putPair(at, small - quotient * 100);
            small = quotient;
        }
        bytes[--at] = (byte) ('0' + small % 10);
        if (small >= 10) {
            bytes[--at] = (byte) ('0' + small / 10);
        }
    }

    private int putPair(int at, int pair) {
        bytes[at - 1] = (byte) ('0' + pair % 10);
        bytes[at - 2] = (byte) ('0' + pair / 10);
        return at - 2;
    }

    private static int digits(long positive) {
        int digits = 1;
        for (long power = 10; digits < 19 && positive >= power; power *= 10) {
            digits++;
        }
        return digits;
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
        }
    }
}
