package dev.probestream.collector.internal.expression;

/** Parses numbers in the syntax of C. */
public final class NumberLiteral {
    private NumberLiteral() {}

    /** A number such as 10, 0x10, 010 or 10UL. */
    public static long read(LineScanner line, Token token) {
        String digits = token.text().replaceAll("[uUlL]+$", "");
        try {
            if (digits.startsWith("0x") || digits.startsWith("0X")) {
                return Long.parseUnsignedLong(digits.substring(2), 16);
            }
            boolean isOctal = digits.length() > 1 && digits.startsWith("0");
            return Long.parseLong(digits, isOctal ? 8 : 10);
        } catch (NumberFormatException e) {
            throw line.failAt(token.position(), "expected a number such as 10 or 0x10");
        }
    }

    /** Reads a number with an optional sign. */
    public static Operand signed(LineScanner line, Token first) {
        boolean isNegative = first.is("-");
        Token digits = isNegative ? line.next() : first;
        if (digits.kind() != Token.Kind.NUMBER) {
            throw line.failAt(digits.position(), "expected a number, not " + digits.shown());
        }
        long number = read(line, digits);
        return Operand.number(isNegative ? -number : number, first.position());
    }

    /** The code of a character in single quotes. */
    public static Operand character(LineScanner line, Token token) {
        if (token.text().length() != 1) {
            throw line.failAt(token.position(), "expected exactly one character in quotes");
        }
        return Operand.number(token.text().charAt(0), token.position());
    }
}
