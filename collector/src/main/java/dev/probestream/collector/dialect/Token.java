package dev.probestream.collector.dialect;

/**
 * A token of an expression.
 *
 * @param text of a string or a character its value, without quotes; else as written
 * @param position in the line
 */
record Token(Kind kind, String text, int position) {
    enum Kind {
        /** A name, including a leading {@code $} or {@code @}. */
        WORD,
        NUMBER,
        STRING,
        CHARACTER,
        SIGN,
        END
    }

    boolean is(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }

    boolean isWord(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    /** The token as shown in messages. */
    String shown() {
        return kind == Kind.END ? "the end of the line" : "'" + text + "'";
    }
}
