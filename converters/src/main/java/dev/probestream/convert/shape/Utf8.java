package dev.probestream.convert.shape;

/** Recognises valid UTF-8 (RFC 3629): a viewer must never be handed anything else. */
public final class Utf8 {
    /** How many bytes {@link #putReplacement} writes. */
    public static final int REPLACEMENT_BYTES = 3;

    private Utf8() {}

    /** Writes U+FFFD, which replaces an invalid byte, and returns the index after it. */
    public static int putReplacement(byte[] to, int index) {
        to[index] = (byte) 0xEF;
        to[index + 1] = (byte) 0xBF;
        to[index + 2] = (byte) 0xBD;
        return index + REPLACEMENT_BYTES;
    }

    /**
     * Length in bytes of the character at {@code index}, 1 to 4; 0 if there is no whole valid one before {@code limit}.
     */
    public static int characterBytes(byte[] utf8, int index, int limit) {
        int first = utf8[index] & 0xFF;
        if (first < 0x80) {
            return 1;
        }
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (length == 0 || limit - index < length) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((utf8[index + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        int second = utf8[index + 1] & 0xFF;
        boolean isValid = switch (first) {
            case 0xE0 -> second >= 0xA0; // not overlong
            case 0xED -> second < 0xA0; // no surrogate
            case 0xF0 -> second >= 0x90; // not overlong
            case 0xF4 -> second < 0x90; // not above U+10FFFF
            default -> true;
        };
        return isValid ? length : 0;
    }

    /** Whether all of it is ASCII; the quick way out for most text. */
    public static boolean isAscii(byte[] utf8, int offset, int lengthBytes) {
        int bits = 0;
        for (int i = offset; i < offset + lengthBytes; i++) {
            bits |= utf8[i];
        }
        return bits >= 0;
    }
}
