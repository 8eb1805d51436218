package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * Copies SQL with every literal replaced by {@code ***} and every comment emptied (PostgreSQL's lexical structure):
 * {@code select 'ann', 42 -- x} becomes {@code select ***, *** --}. Literals are {@code 'text'}, also behind {@code E},
 * {@code B}, {@code X}, {@code N} and {@code U&}, {@code $tag$text$tag$}, and numbers. Parameters ({@code $1}) and
 * identifiers stay. What may belong to a literal is masked: everything behind a literal, a comment or a quoted
 * identifier without an end (the text may be cut), and behind a backslash before the quote that ends {@code 'text'},
 * whose meaning depends on the server's setting standard_conforming_strings.
 */
final class SqlMask {
    private static final int MAX_TAG_BYTES = 64;

    private final ByteBuffer out;
    private final boolean isMySql;

    /** @param out receives the copy; its capacity must be twice the length of the text plus the mask */
    SqlMask(ByteBuffer out) {
        this(out, false);
    }

    private SqlMask(ByteBuffer out, boolean isMySql) {
        this.out = out;
        this.isMySql = isMySql;
    }

    /** For MySQL's language: literals may stand in double quotes, identifiers in backquotes, and {@code #} begins a comment. */
    static SqlMask ofMySql(ByteBuffer out) {
        return new SqlMask(out, true);
    }

    void copy(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end) {
            byte b = source.get(at);
            if (b == '\'') {
                at = maskString(
                        source,
                        at,
                        end,
                        !isMySql && at > start && (source.get(at - 1) | 0x20) == 'e' && isAlone(source, start, at - 1));
            } else if (b == '"') {
                at = isMySql ? maskString(source, at, end, false) : copyIdentifier(source, at, end);
            } else if (b == '`' && isMySql) {
                at = copyIdentifier(source, at, end);
            } else if (b == '#' && isMySql) {
                out.put((byte) '#');
                at = lineEnd(source, at, end);
            } else if (b == '$') {
                at = dollar(source, at, end);
            } else if (isPair(source, at, end, '-', '-')) {
                at = emptyLineComment(source, at, end);
            } else if (isPair(source, at, end, '/', '*')) {
                at = emptyBlockComment(source, at, end);
            } else if (isDigit(b) || (b == '.' && at + 1 < end && isDigit(source.get(at + 1)))) {
                at = maskNumber(source, at, end);
            } else if (isOfWord(b)) {
                at = copyWord(source, at, end);
            } else {
                out.put(b);
                at++;
            }
        }
    }

    /** Whether the letter at this position is a word of its own. */
    private static boolean isAlone(ByteBuffer source, int start, int at) {
        return at == start || !(isOfWord(source.get(at - 1)) || source.get(at - 1) == '$');
    }

    /** Returns the index behind the literal whose quote is at {@code at}. */
    private int maskString(ByteBuffer source, int at, int end, boolean hasEscapes) {
        Mask.write(out);
        char quote = (char) source.get(at);
        int i = at + 1;
        while (i < end) {
            byte b = source.get(i);
            if (b == '\\' && hasEscapes) {
                i += 2;
            } else if (b == quote && !hasEscapes && source.get(i - 1) == '\\') {
                return end;
            } else if (isPair(source, i, end, quote, quote)) {
                i += 2;
            } else if (b == quote) {
                return i + 1;
            } else {
                i++;
            }
        }
        return end;
    }

    private int copyIdentifier(ByteBuffer source, int at, int end) {
        byte quote = source.get(at);
        int i = at + 1;
        while (i < end && source.get(i) != quote) {
            i++;
        }
        if (i == end) {
            Mask.write(out);
            return end;
        }
        copyPlain(source, at, i + 1);
        return i + 1;
    }

    /** {@code $1} is a parameter, {@code $tag$} begins a literal; a lone dollar is neither. */
    private int dollar(ByteBuffer source, int at, int end) {
        int i = at + 1;
        if (i < end && isDigit(source.get(i))) {
            while (i < end && isDigit(source.get(i))) {
                i++;
            }
            copyPlain(source, at, i);
            return i;
        }
        while (i < end && i - at <= MAX_TAG_BYTES && isOfWord(source.get(i))) {
            i++;
        }
        if (i < end && source.get(i) == '$') {
            Mask.write(out);
            return behindTag(source, at, i + 1, end);
        }
        if (i == end || i - at > MAX_TAG_BYTES) {
            Mask.write(out); // a tag that is cut, or longer than any
            return end;
        }
        out.put((byte) '$');
        return at + 1;
    }

    /** Index behind the next occurrence of the tag from {@code at} to {@code body}; the end if there is none. */
    private static int behindTag(ByteBuffer source, int at, int body, int end) {
        int length = body - at;
        for (int i = body; i + length <= end; i++) {
            int same = 0;
            while (same < length && source.get(i + same) == source.get(at + same)) {
                same++;
            }
            if (same == length) {
                return i + length;
            }
        }
        return end;
    }

    private int emptyLineComment(ByteBuffer source, int at, int end) {
        copyPlain(source, at, at + 2);
        return lineEnd(source, at, end);
    }

    private static int lineEnd(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end && source.get(i) != '\n' && source.get(i) != '\r') {
            i++;
        }
        return i;
    }

    /** Block comments are nested. */
    private int emptyBlockComment(ByteBuffer source, int at, int end) {
        int depth = 0;
        int i = at;
        while (i < end) {
            if (isPair(source, i, end, '/', '*')) {
                depth++;
                i += 2;
            } else if (isPair(source, i, end, '*', '/')) {
                depth--;
                i += 2;
            } else {
                i++;
            }
            if (depth == 0) {
                break;
            }
        }
        out.put((byte) '/').put((byte) '*').put((byte) '*').put((byte) '/');
        return Math.min(i, end);
    }

    /** {@code 1}, {@code .5}, {@code 1.5e-3}, {@code 0x1f}, {@code 1_000}. */
    private int maskNumber(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end) {
            byte b = source.get(i);
            boolean isSign = (b == '-' || b == '+')
                    && (source.get(i - 1) | 0x20) == 'e'
                    && i + 1 < end
                    && isDigit(source.get(i + 1));
            if (i > at && !isOfWord(b) && b != '.' && !isSign) {
                break;
            }
            i++;
        }
        Mask.write(out);
        return i;
    }

    /** Identifiers may have dollars and digits in them. */
    private int copyWord(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end && (isOfWord(source.get(i)) || (source.get(i) == '$' && i > at))) {
            i++;
        }
        copyPlain(source, at, i);
        return i;
    }

    private static boolean isPair(ByteBuffer source, int at, int end, char first, char second) {
        return at + 1 < end && source.get(at) == first && source.get(at + 1) == second;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static boolean isOfWord(byte b) {
        int lower = b | 0x20;
        return b < 0 || b == '_' || isDigit(b) || (lower >= 'a' && lower <= 'z');
    }

    private void copyPlain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }
}
