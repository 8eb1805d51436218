package dev.probestream.collector.dialect;

/**
 * A conversion of printf(3).
 *
 * @param letter one of d u x X o c s p
 * @param sizeBytes size of the number: 1, 2, 4 or 8; larger values are truncated, as by a cast in C
 * @param leftAligned the flag -
 * @param zeroPadded the flag 0
 * @param sign the flag + or blank as the character itself; NUL = neither
 * @param alternate the flag #
 * @param width the minimum number of characters; 0 = none
 * @param precision the maximum number of characters of text, the minimum number of digits of a number; -1 = not given
 */
public record PrintfConversion(
        char letter,
        int sizeBytes,
        boolean leftAligned,
        boolean zeroPadded,
        char sign,
        boolean alternate,
        int width,
        int precision) {
    static final int MAX_WIDTH = 4096;

    /** {@return whether the conversion is for text} */
    public boolean isText() {
        return letter == 's';
    }

    /** The argument type to record for this conversion. */
    String type() {
        return switch (letter) {
            case 'd' -> "s" + 8 * sizeBytes;
            case 'c' -> "u8";
            case 'p' -> "ptr";
            default -> "u" + 8 * sizeBytes;
        };
    }
}
