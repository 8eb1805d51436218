package dev.probestream.collector.dialect;

/**
 * How one value is printed, as printf(3) says it.
 *
 * @param letter one of d u x X o c s p
 * @param sizeBytes of the number: 1, 2, 4 or 8; what is wider is cut, as C's cast does
 * @param leftAligned the flag -
 * @param zeroPadded the flag 0
 * @param sign the flag + or blank as the character itself; NUL = neither
 * @param alternate the flag #
 * @param width the least number of characters; 0 = as many as there are
 * @param precision the most characters of text, the least digits of a number; -1 = not given
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

    /** Whether it is for text. */
    public boolean isText() {
        return letter == 's';
    }

    /** How the probe is to read a number that is printed so. */
    String type() {
        return switch (letter) {
            case 'd' -> "s" + 8 * sizeBytes;
            case 'c' -> "u8";
            case 'p' -> "ptr";
            default -> "u" + 8 * sizeBytes;
        };
    }
}
