package dev.probestream.collector.dialect;

/**
 * One word of an expression.
 *
 * @param text of a string or a character what it stands for, without quotes; else as written
 * @param position in the line
 */
record Token(Kind kind, String text, int position) {
    enum Kind {
        /** A name; a leading {@code $} or {@code @} belongs to it. */
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

    /** For a message: what stands there. */
    String shown() {
        return kind == Kind.END ? "the end" : "'" + text + "'";
    }
}
