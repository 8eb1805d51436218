package dev.probestream.query.session;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits an SQL text at its semicolons, except for those in strings, names and comments: {@code '...'}, {@code "..."},
 * {@code $$...$$}, {@code $tag$...$tag$}, {@code -- ...}, nested block comments.
 */
public final class SqlText {
    private final String text;
    private final List<Piece> pieces = new ArrayList<>();
    private int at;
    private int start;
    private boolean hasWords;

    private SqlText(String text) {
        this.text = text;
    }

    /**
     * A statement.
     *
     * @param text without its semicolon
     * @param line where it starts, from 1
     * @param isEnded whether a semicolon ends it
     */
    public record Piece(String text, int line, boolean isEnded) {}

    /** The statements in order; comments and spaces alone are not a statement. */
    public static List<Piece> split(String text) {
        SqlText split = new SqlText(text);
        while (split.at < text.length()) {
            split.step();
        }
        split.end(false);
        return List.copyOf(split.pieces);
    }

    private void step() {
        char character = text.charAt(at);
        if (character == ';') {
            end(true);
            at++;
            start = at;
        } else if (text.startsWith("--", at)) {
            skipTo("\n");
        } else if (text.startsWith("/*", at)) {
            skipBlockComment();
        } else if (Character.isWhitespace(character)) {
            at++;
        } else {
            hasWords = true;
            skipWord(character);
        }
    }

    private void skipWord(char character) {
        boolean isName = at > start && Character.isJavaIdentifierPart(text.charAt(at - 1));
        if (character == '\'') {
            skipQuoted('\'', isName && (text.charAt(at - 1) == 'e' || text.charAt(at - 1) == 'E'));
        } else if (character == '"') {
            skipQuoted('"', false);
        } else if (character == '$' && !isName) {
            skipDollars();
        } else {
            at++;
        }
    }

    private void skipQuoted(char quote, boolean hasEscapes) {
        for (at++; at < text.length(); at++) {
            if (hasEscapes && text.charAt(at) == '\\') {
                at++;
            } else if (text.charAt(at) == quote) {
                at++; // a doubled quote starts another string, with the same effect
                return;
            }
        }
    }

    /** {@code $1} is a parameter, not the start of a string. */
    private void skipDollars() {
        int end = at + 1;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        boolean isTag = end < text.length()
                && text.charAt(end) == '$'
                && (end == at + 1 || !Character.isDigit(text.charAt(at + 1)));
        if (isTag) {
            String tag = text.substring(at, end + 1);
            at = end + 1;
            skipTo(tag);
        } else {
            at++;
        }
    }

    private void skipBlockComment() {
        int depth = 0;
        while (at < text.length()) {
            if (text.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (text.startsWith("*/", at)) {
                at += 2;
                if (--depth == 0) {
                    return;
                }
            } else {
                at++;
            }
        }
    }

    private void skipTo(String end) {
        int found = text.indexOf(end, at);
        at = found < 0 ? text.length() : found + end.length();
    }

    private void end(boolean isEnded) {
        if (hasWords) {
            String piece = text.substring(start, at);
            int begin = start + (piece.length() - piece.stripLeading().length());
            int line = 1
                    + (int) text.substring(0, begin)
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            pieces.add(new Piece(piece.strip(), line, isEnded));
        }
        hasWords = false;
    }
}
