package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.SpecSyntaxException;
import java.util.function.IntPredicate;

/** The text of a spec and how far it has been read. */
final class SpecText {
    private final String text;
    private int position;

    SpecText(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    int position() {
        return position;
    }

    boolean atEnd() {
        return position >= text.length();
    }

    boolean at(char expected) {
        return !atEnd() && text.charAt(position) == expected;
    }

    boolean atDigit() {
        return !atEnd() && isDigit(text.charAt(position));
    }

    /** Whether the rest begins so. */
    boolean startsWith(String expected) {
        return text.startsWith(expected, position);
    }

    /** Takes the next character, whatever it is; there must be one. */
    char next() {
        return text.charAt(position++);
    }

    void skipBlanks() {
        while (!atEnd() && Character.isWhitespace(text.charAt(position))) {
            position++;
        }
    }

    /** Skips blanks, then takes the character if it comes next. */
    boolean take(char expected) {
        skipBlanks();
        if (at(expected)) {
            position++;
            return true;
        }
        return false;
    }

    /** Skips blanks, then takes the characters if they come next. */
    boolean takeAll(String expected) {
        skipBlanks();
        boolean isNext = startsWith(expected);
        position += isNext ? expected.length() : 0;
        return isNext;
    }

    void expect(char expected, String where) {
        if (!take(expected)) {
            throw fail("expected '" + expected + "' " + where);
        }
    }

    /** Takes the longest run of characters of a kind; may be empty. */
    String run(IntPredicate expected) {
        int start = position;
        while (!atEnd() && expected.test(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    /** Skips blanks, then takes an identifier: letters, digits and underscores, no digit first; may be empty. */
    String word() {
        skipBlanks();
        if (!atEnd() && isDigit(text.charAt(position))) {
            return "";
        }
        return run(SpecText::isWordCharacter);
    }

    /** Skips blanks, then takes a number, decimal or 0x hex. */
    long number(String what) {
        skipBlanks();
        int start = position;
        String digits = run(SpecText::isWordCharacter);
        try {
            return digits.startsWith("0x") || digits.startsWith("0X")
                    ? Long.parseLong(digits.substring(2), 16)
                    : Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw failAt(start, "expected " + what + ", a number such as 16 or 0x10");
        }
    }

    /** What is left from the position on. */
    String rest() {
        return text.substring(position);
    }

    void moveTo(int newPosition) {
        position = newPosition;
    }

    SpecSyntaxException fail(String problem) {
        return failAt(position, problem);
    }

    SpecSyntaxException failAt(int where, String problem) {
        return new SpecSyntaxException(text, where, problem);
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isWordCharacter(int c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
}
