package dev.probestream.collector.internal.expression;

/**
 * A translated part of a condition.
 *
 * @param text in the syntax of probe specs; for {@link Kind#COMPARISON_OF_TEXT} the condition that the texts are equal
 * @param alternative for {@link Kind#COMPARISON_OF_TEXT} the condition that the texts differ; for a field of a tracepoint
 *     the field as text; else ""
 * @param position in the line
 */
record Expression(Kind kind, String text, String alternative, int position) {
    enum Kind {
        /** A number of the probe. */
        NUMBER,
        /** Text of the probe. */
        TEXT,
        /** A number literal of the line. */
        CONSTANT,
        /** A text literal of the line. */
        LITERAL,
        /** A masked number, which can be compared with a constant. */
        BITS,
        /** The result of strcmp and strncmp: 0 if the texts are equal. */
        COMPARISON_OF_TEXT,
        /** Whether another probe kept a value. */
        KEPT,
        /** True or false. */
        CONDITION
    }

    Expression(Kind kind, String text, int position) {
        this(kind, text, "", position);
    }
}
