package dev.probestream.cli.live;

import dev.probestream.collector.dialect.PrintfConversion;

/** Prints numbers and text as printf(3) does. */
public final class Printf {
    private final LineBuffer out;

    public Printf(LineBuffer out) {
        this.out = out;
    }

    public void number(long value, PrintfConversion conversion) {
        int start = out.length();
        switch (conversion.letter()) {
            case 'c' -> out.character((int) value & 0xff);
            case 'p' -> out.text("0x").inBase(value, 4, false);
            default -> integer(value, conversion);
        }
        out.padSince(start, conversion.width(), conversion.leftAligned());
    }

    /**
     * Text from the traced process, in UTF-8.
     *
     * @param mostBytes what is longer is cut behind its last whole character; the ellipsis of a text that was cut before goes
     *     first
     */
    public void text(byte[] utf8, int offset, int lengthBytes, long mostBytes, PrintfConversion conversion) {
        int start = out.length();
        int length = lengthBytes;
        while (length > mostBytes || (length < lengthBytes && isContinued(utf8[offset + length]))) {
            length--;
        }
        out.escaped(utf8, offset, cut(utf8, offset, length, conversion.precision()), false);
        out.padSince(start, conversion.width(), conversion.leftAligned());
    }

    public void text(String text, PrintfConversion conversion) {
        int start = out.length();
        int precision = conversion.precision();
        out.escaped(precision >= 0 && precision < text.length() ? text.substring(0, precision) : text);
        out.padSince(start, conversion.width(), conversion.leftAligned());
    }

    /** What stands in a line for itself. */
    public void literal(String text, PrintfConversion conversion) {
        int start = out.length();
        out.text(text).padSince(start, conversion.width(), conversion.leftAligned());
    }

    private void integer(long value, PrintfConversion conversion) {
        boolean isSigned = conversion.letter() == 'd';
        int shift = Long.SIZE - Byte.SIZE * conversion.sizeBytes();
        long number = isSigned ? value << shift >> shift : value << shift >>> shift;
        int start = out.length();
        if (isSigned && number < 0) {
            out.ascii('-');
        } else if (isSigned && conversion.sign() != '\0') {
            out.ascii(conversion.sign());
        }
        if (conversion.alternate() && number != 0) {
            out.text(prefix(conversion.letter()));
        }
        int digits = out.length();
        switch (conversion.letter()) {
            case 'x' -> out.inBase(number, 4, false);
            case 'X' -> out.inBase(number, 4, true);
            case 'o' -> out.inBase(number, 3, false);
            default -> out.unsigned(isSigned && number < 0 ? -number : number);
        }
        boolean isZeroPadded = conversion.zeroPadded() && !conversion.leftAligned() && conversion.precision() < 0;
        int least = isZeroPadded ? conversion.width() - (digits - start) : conversion.precision();
        int missing = least - (out.length() - digits);
        if (missing > 0) {
            out.fill(digits, missing, '0');
        }
    }

    private static String prefix(char letter) {
        return switch (letter) {
            case 'x' -> "0x";
            case 'X' -> "0X";
            case 'o' -> "0";
            default -> "";
        };
    }

    /** Whether a byte is 10xxxxxx, which continues a character. */
    private static boolean isContinued(byte utf8) {
        return (utf8 & 0xc0) == 0x80;
    }

    /** How many bytes the first so many characters have. */
    private static int cut(byte[] utf8, int offset, int lengthBytes, int mostCharacters) {
        if (mostCharacters < 0) {
            return lengthBytes;
        }
        int characters = 0;
        for (int i = 0; i < lengthBytes; i++) {
            if (!isContinued(utf8[offset + i]) && characters++ == mostCharacters) {
                return i;
            }
        }
        return lengthBytes;
    }
}
