package dev.probestream.collector.dialect;

import dev.probestream.collector.dialect.Token.Kind;
import java.util.List;
import java.util.function.IntPredicate;

/** The text of a line and how far it has been read: by characters where a probe stands, by tokens of C elsewhere. */
final class LineScanner {
    private static final List<String> SIGNS = List.of("->", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--");

    private static final int MAX_DEPTH = 32;

    private final String text;
    private final boolean withComments;
    private int position;
    private int depth;

    /** @param withComments whether {@code //} and C comments are blanks */
    LineScanner(String text, boolean withComments) {
        this.text = text;
        this.withComments = withComments;
    }

    int position() {
        return position;
    }

    void moveTo(int newPosition) {
        position = newPosition;
    }

    boolean atEnd() {
        return position >= text.length();
    }

    boolean at(char wanted) {
        return !atEnd() && text.charAt(position) == wanted;
    }

    /** Takes the longest run of characters of a kind; may be empty. */
    String run(IntPredicate wanted) {
        int start = position;
        while (!atEnd() && wanted.test(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    void skipBlanks() {
        boolean again = true;
        while (again) {
            run(Character::isWhitespace);
            again = withComments && (skipComment("//", "\n") || skipComment("/*", "*/"));
        }
    }

    /** The token that comes next, without taking it. */
    Token peek() {
        int start = position;
        Token token = next();
        position = start;
        return token;
    }

    /** Takes the next token. */
    Token next() {
        skipBlanks();
        int start = position;
        if (atEnd()) {
            return new Token(Kind.END, "", start);
        }
        char c = text.charAt(start);
        if (c == '"' || c == '\'') {
            String value = new QuotedLiteral(this, text).read();
            return new Token(c == '"' ? Kind.STRING : Kind.CHARACTER, value, start);
        }
        if (isDigit(c)) {
            return new Token(Kind.NUMBER, run(LineScanner::isWordCharacter), start);
        }
        if (isWordCharacter(c) || c == '$' || c == '@') {
            position++;
            return new Token(Kind.WORD, c + run(LineScanner::isWordCharacter), start);
        }
        String sign = SIGNS.stream()
                .filter(candidate -> text.startsWith(candidate, start))
                .findFirst()
                .orElse(String.valueOf(c));
        position += sign.length();
        return new Token(Kind.SIGN, sign, start);
    }

    /** Takes the sign if it comes next. */
    boolean take(String sign) {
        int start = position;
        boolean isThere = next().is(sign);
        if (!isThere) {
            position = start;
        }
        return isThere;
    }

    void expect(String sign, String where) {
        Token token = peek();
        if (!take(sign)) {
            throw failAt(token.position(), "expected '" + sign + "' " + where + ", not " + token.shown());
        }
    }

    /** Says that something within something begins: nesting is bounded, as our stack is. */
    void enter(Token token) {
        if (++depth > MAX_DEPTH) {
            throw failAt(token.position(), "this is nested too deeply");
        }
    }

    void leave() {
        depth--;
    }

    LineSyntaxException failAt(int where, String problem) {
        return new LineSyntaxException(text, where, problem);
    }

    private boolean skipComment(String begin, String end) {
        if (!text.startsWith(begin, position)) {
            return false;
        }
        int found = text.indexOf(end, position + begin.length());
        if (found < 0 && begin.equals("/*")) {
            throw failAt(position, "this comment has no end");
        }
        position = found < 0 ? text.length() : found + end.length();
        return true;
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isWordCharacter(int c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
}
