package dev.probestream.collector.internal.expression;

import dev.probestream.collector.internal.expression.Token.Kind;
import dev.probestream.collector.probe.LineSyntaxException;
import java.util.List;
import java.util.function.IntPredicate;

/** Scans the text of a line: by characters in a probe, by tokens of C elsewhere. */
public final class LineScanner {
    private static final List<String> SIGNS = List.of("->", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--");

    private static final int MAX_DEPTH = 32;

    private final String text;
    private final boolean withComments;
    private int position;
    private int depth;

    /** @param withComments whether {@code //} and C comments, and {@code #!} at the beginning, are skipped */
    public LineScanner(String text, boolean withComments) {
        this.text = text;
        this.withComments = withComments;
    }

    public int position() {
        return position;
    }

    public void moveTo(int newPosition) {
        position = newPosition;
    }

    public boolean atEnd() {
        return position >= text.length();
    }

    public boolean at(char wanted) {
        return !atEnd() && text.charAt(position) == wanted;
    }

    /** Reads the longest run of matching characters; may be empty. */
    public String run(IntPredicate wanted) {
        int start = position;
        while (!atEnd() && wanted.test(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    public void skipBlanks() {
        boolean again = true;
        while (again) {
            run(Character::isWhitespace);
            again = withComments && (skipInterpreter() || skipComment("//", "\n") || skipComment("/*", "*/"));
        }
    }

    /** Returns the next token without consuming it. */
    public Token peek() {
        int start = position;
        Token token = next();
        position = start;
        return token;
    }

    /** Reads the next token. */
    public Token next() {
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

    /** Consumes the sign if it is the next token. */
    public boolean take(String sign) {
        int start = position;
        boolean isThere = next().is(sign);
        if (!isThere) {
            position = start;
        }
        return isThere;
    }

    public void expect(String sign, String where) {
        Token token = peek();
        if (!take(sign)) {
            throw failAt(token.position(), "expected '" + sign + "' " + where + ", not " + token.shown());
        }
    }

    /** Enters a nested expression. The depth is limited to avoid a stack overflow. */
    public void enter(Token token) {
        if (++depth > MAX_DEPTH) {
            throw failAt(token.position(), "expression is nested too deeply");
        }
    }

    public void leave() {
        depth--;
    }

    public LineSyntaxException failAt(int where, String problem) {
        return new LineSyntaxException(text, where, problem);
    }

    /** The first line of a script names the program that runs it. */
    private boolean skipInterpreter() {
        return position == 0 && skipComment("#!", "\n");
    }

    private boolean skipComment(String begin, String end) {
        if (!text.startsWith(begin, position)) {
            return false;
        }
        int found = text.indexOf(end, position + begin.length());
        if (found < 0 && begin.equals("/*")) {
            throw failAt(position, "unterminated comment");
        }
        position = found < 0 ? text.length() : found + end.length();
        return true;
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    public static boolean isWordCharacter(int c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
}
