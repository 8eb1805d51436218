package dev.probestream.collector.dialect;

/** Reads one operand of a language: an argument, a built-in, a literal, with casts. */
interface ValueReader {
    /**
     * Takes an operand from the line.
     *
     * @throws LineSyntaxException when there is none, or one that cannot be translated
     */
    Value read();
}
