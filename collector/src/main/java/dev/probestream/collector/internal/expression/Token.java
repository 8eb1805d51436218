package dev.probestream.collector.internal.expression;

/**
 * A token of an expression.
 *
 * @param text of a string or a character its value, without quotes; else as written
 * @param position in the line
 */
public record Token(Kind kind, String text, int position) {
    public enum Kind {
        /** A name, including a leading {@code $} or {@code @}. */
        WORD,
        NUMBER,
        STRING,
        CHARACTER,
        SIGN,
        END
    }

    public boolean is(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }

    public boolean isWord(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    /** The token as shown in messages. */
    public String shown() {
        return kind == Kind.END ? "the end of the line" : "'" + text + "'";
    }
}
