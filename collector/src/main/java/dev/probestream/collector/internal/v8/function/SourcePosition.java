package dev.probestream.collector.internal.v8.function;

/**
 * A place in a file of source code.
 *
 * @param line from 1
 * @param column in UTF-16 code units, from 1
 */
public record SourcePosition(int line, int column) {}
