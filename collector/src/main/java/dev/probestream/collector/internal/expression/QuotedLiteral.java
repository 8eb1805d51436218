package dev.probestream.collector.internal.expression;

/** Parses a quoted string or character with the escapes of C. */
final class QuotedLiteral {
    private final LineScanner line;
    private final String text;

    QuotedLiteral(LineScanner line, String text) {
        this.line = line;
        this.text = text;
    }

    /** Reads from the opening quote at the current position to after the closing quote. */
    String read() {
        int start = line.position();
        char quote = text.charAt(start);
        StringBuilder value = new StringBuilder();
        int at = start + 1;
        while (at < text.length() && text.charAt(at) != quote) {
            char c = text.charAt(at);
            at = c == '\\' ? escape(at, value) : plain(at, c, value);
        }
        if (at >= text.length()) {
            throw line.failAt(start, "unterminated " + quote);
        }
        line.moveTo(at + 1);
        return value.toString();
    }

    private static int plain(int at, char c, StringBuilder value) {
        value.append(c);
        return at + 1;
    }

    private int escape(int backslash, StringBuilder value) {
        char c = backslash + 1 < text.length() ? text.charAt(backslash + 1) : ' ';
        if (c == 'x') {
            return coded(backslash, backslash + 2, 2, 16, value);
        }
        if (c >= '0' && c <= '7') {
            return coded(backslash, backslash + 1, 3, 8, value);
        }
        int index = "ntr\"'\\abfve".indexOf(c);
        if (index < 0) {
            throw line.failAt(backslash, "expected one of \\n \\t \\r \\\" \\\\ \\xHH or \\OOO");
        }
        value.append("\n\t\r\"'\\\u0007\b\f\u000b\u001b".charAt(index));
        return backslash + 2;
    }

    private int coded(int backslash, int start, int mostDigits, int radix, StringBuilder value) {
        int end = start;
        int code = 0;
        while (end < text.length() && end < start + mostDigits && Character.digit(text.charAt(end), radix) >= 0) {
            code = code * radix + Character.digit(text.charAt(end), radix);
            end++;
        }
        if (end == start || code > 127) {
            throw line.failAt(backslash, "expected the code of an ASCII character");
        }
        value.append((char) code);
        return end;
    }
}
