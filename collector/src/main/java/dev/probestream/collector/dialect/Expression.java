package dev.probestream.collector.dialect;

/**
 * A part of a condition that has been translated.
 *
 * @param text in our grammar; of a {@link Kind#COMPARISON_OF_TEXT} the condition that holds when the texts are equal
 * @param negated of a {@link Kind#COMPARISON_OF_TEXT} the condition that holds when they differ; else ""
 * @param position in the line
 */
record Expression(Kind kind, String text, String negated, int position) {
    enum Kind {
        /** A number of the probe. */
        NUMBER,
        /** Text of the probe. */
        TEXT,
        /** A number that stands in the line. */
        CONSTANT,
        /** Text that stands in the line. */
        LITERAL,
        /** Some bits of a number, which can be compared with a constant. */
        BITS,
        /** What strcmp and strncmp return: 0 when the texts are equal. */
        COMPARISON_OF_TEXT,
        /** True or false. */
        CONDITION
    }

    Expression(Kind kind, String text, int position) {
        this(kind, text, "", position);
    }
}
