package dev.probestream.bpf.elf;

/**
 * Finds the end of {@code I…E}, the template arguments in a mangled C++ name, by counting opening and closing letters
 * (Itanium C++ ABI, section 5.1.5). Lambdas and unknown constructs are not supported.
 */
final class TemplateArguments {
    private static final int UNKNOWN = -1;

    private TemplateArguments() {}

    /** The position after the E that closes the I at {@code start}, or -1. */
    static int skip(byte[] name, int start, int end) {
        int depth = 0;
        int at = start;
        while (at >= 0 && at < end) {
            switch (name[at]) {
                case 'I', 'N', 'J', 'X', 'F', 'Z' -> {
                    depth++;
                    at++;
                }
                case 'E' -> {
                    depth--;
                    at++;
                    if (depth == 0) {
                        return at;
                    }
                }
                case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> at = skipIdentifier(name, at, end);
                case 'L' -> at = skipLiteral(name, at, end);
                case 'S', 'T' -> at = skipSubstitution(name, at, end);
                case 'A' -> at = skipPast(name, at, end, '_');
                case 'D' -> {
                    int kind = at + 1 < end ? name[at + 1] : 0;
                    depth += kind == 'T' || kind == 't' || kind == 'O' ? 1 : 0;
                    at = kind == 'v' ? skipPast(name, at, end, '_') : at + 2;
                }
                case 'U', 0 -> at = UNKNOWN;
                default -> at++;
            }
        }
        return UNKNOWN;
    }

    /** The position after {@code <length><name>}, or -1. */
    static int skipIdentifier(byte[] name, int start, int end) {
        int at = start;
        int length = 0;
        while (at < end && name[at] >= '0' && name[at] <= '9' && length < end) {
            length = length * 10 + name[at++] - '0';
        }
        return length == 0 || length > end - at ? UNKNOWN : at + length;
    }

    /** {@code L<type><value>E}: the digits of the value are not a length. */
    private static int skipLiteral(byte[] name, int start, int end) {
        int at = start + 1;
        if (at >= end || name[at] == '_') {
            return UNKNOWN;
        }
        if (name[at] == 'N') {
            at = skipNested(name, at, end);
        } else if (name[at] >= '0' && name[at] <= '9') {
            at = skipIdentifier(name, at, end);
        } else if (name[at] == 'S' || name[at] == 'T') {
            at = skipSubstitution(name, at, end);
        }
        return at < 0 ? UNKNOWN : skipPast(name, at, end, 'E');
    }

    private static int skipNested(byte[] name, int start, int end) {
        int at = start + 1;
        while (at >= 0 && at < end && name[at] != 'E') {
            if (name[at] >= '0' && name[at] <= '9') {
                at = skipIdentifier(name, at, end);
            } else if (name[at] == 'I') {
                at = skip(name, at, end);
            } else if (name[at] == 'S') {
                at = skipSubstitution(name, at, end);
            } else {
                at++;
            }
        }
        return at < 0 ? UNKNOWN : at + 1;
    }

    /** {@code S_ S0_ SA_ T_ T0_}, or two letters as in {@code St Ss Te}. */
    private static int skipSubstitution(byte[] name, int start, int end) {
        boolean isTwoLetters = start + 1 < end && name[start + 1] >= 'a' && name[start + 1] <= 'z';
        return isTwoLetters ? start + 2 : skipPast(name, start, end, '_');
    }

    private static int skipPast(byte[] name, int start, int end, char last) {
        int at = start;
        while (at < end && name[at] != last && name[at] != 0) {
            at++;
        }
        return at < end && name[at] == last ? at + 1 : UNKNOWN;
    }
}
