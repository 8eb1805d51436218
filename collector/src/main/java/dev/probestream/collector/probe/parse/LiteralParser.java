package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.FilterOperand;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** Reads the numbers and texts of a filter: {@code 12 -3 0xff 'c' "text"}. */
final class LiteralParser {
    private static final int LONG_BITS = 64;

    private final SpecText text;

    LiteralParser(SpecText text) {
        this.text = text;
    }

    /** A number of 64 bits, with a sign or without. */
    FilterOperand number(String what) {
        text.skipBlanks();
        int start = text.position();
        if (text.at('\'')) {
            return FilterOperand.number(character(), false);
        }
        boolean isNegative = text.take('-');
        text.skipBlanks();
        String digits = text.run(SpecText::isWordCharacter);
        BigInteger magnitude;
        try {
            boolean isHex = digits.startsWith("0x") || digits.startsWith("0X");
            magnitude = isHex ? new BigInteger(digits.substring(2), 16) : new BigInteger(digits);
        } catch (NumberFormatException e) {
            throw text.failAt(start, "expected " + what + ", such as 16, -1, 0x10 or 'c'");
        }
        BigInteger number = isNegative ? magnitude.negate() : magnitude;
        boolean isUnsigned = number.bitLength() == LONG_BITS && !isNegative;
        if (number.bitLength() >= LONG_BITS && !isUnsigned) {
            throw text.failAt(start, "expected " + what + " of at most 64 bits");
        }
        return FilterOperand.number(number.longValue(), isUnsigned);
    }

    private int character() {
        int start = text.position();
        text.next();
        if (text.atEnd() || text.at('\'')) {
            throw text.failAt(start, "expected a character between ' and '");
        }
        int character = character('\'');
        if (!text.at('\'')) {
            throw text.failAt(start, "expected one character between ' and '");
        }
        text.next();
        return character;
    }

    /** A text in double quotes. */
    FilterOperand text() {
        int start = text.position();
        StringBuilder literal = new StringBuilder();
        text.next();
        while (!text.atEnd() && !text.at('"')) {
            literal.appendCodePoint(character('"'));
        }
        if (text.atEnd()) {
            throw text.failAt(start, "expected another \" behind the text");
        }
        text.next();
        if (literal.indexOf("\0") >= 0) {
            throw text.failAt(start, "a text cannot hold a NUL, which ends it");
        }
        int sizeBytes = literal.toString().getBytes(StandardCharsets.UTF_8).length;
        if (sizeBytes > FilterOperand.MAX_TEXT_BYTES) {
            throw text.failAt(
                    start,
                    "a text of " + sizeBytes + " bytes is too long to compare: at most "
                            + FilterOperand.MAX_TEXT_BYTES);
        }
        return FilterOperand.text(literal.toString());
    }

    /** The next character; behind a backslash one of n, t, r, the backslash and the quote. */
    private int character(char quote) {
        int start = text.position();
        char first = text.next();
        if (first == '\\' && !text.atEnd()) {
            char escaped = text.next();
            return switch (escaped) {
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'r' -> '\r';
                case '\\' -> '\\';
                default -> {
                    if (escaped != quote) {
                        throw text.failAt(start, "expected \\n \\t \\r \\\\ or \\" + quote);
                    }
                    yield escaped;
                }
            };
        }
        boolean isPair = Character.isHighSurrogate(first)
                && !text.rest().isEmpty()
                && Character.isLowSurrogate(text.rest().charAt(0));
        return isPair ? Character.toCodePoint(first, text.next()) : first;
    }
}
