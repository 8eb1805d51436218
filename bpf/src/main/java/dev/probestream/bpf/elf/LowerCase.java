package dev.probestream.bpf.elf;

import java.util.Arrays;

/** A short text in lower case (ASCII), reused for name after name. */
final class LowerCase {
    private final byte[] bytes;
    private int length;
    private boolean isTooLong;

    LowerCase(int maxBytes) {
        this.bytes = new byte[maxBytes];
    }

    void clear() {
        length = 0;
        isTooLong = false;
    }

    void append(byte[] source, int start, int end) {
        if (end - start > bytes.length - length) {
            isTooLong = true;
            return;
        }
        for (int i = start; i < end; i++) {
            byte next = source[i];
            bytes[length++] = next >= 'A' && next <= 'Z' ? (byte) (next + 'a' - 'A') : next;
        }
    }

    boolean isTooLong() {
        return isTooLong;
    }

    int length() {
        return length;
    }

    /** Valid up to {@link #length}. */
    byte[] bytes() {
        return bytes;
    }

    /** Whether {@code other} is in this, or this is more than half of {@code other}. */
    boolean containsOrIsIn(byte[] other) {
        return length >= other.length
                ? isIn(other, other.length, bytes, length)
                : length > other.length / 2 && isIn(bytes, length, other, other.length);
    }

    /** Whether the last component of a qualified name is {@code last}. */
    boolean endsWith(byte[] last) {
        int start = length - last.length;
        return start >= 2 && bytes[start - 1] == ':' && Arrays.equals(bytes, start, length, last, 0, last.length);
    }

    private static boolean isIn(byte[] part, int partLength, byte[] whole, int wholeLength) {
        for (int at = 0; at <= wholeLength - partLength; at++) {
            if (whole[at] == part[0] && Arrays.equals(whole, at, at + partLength, part, 0, partLength)) {
                return true;
            }
        }
        return false;
    }
}
