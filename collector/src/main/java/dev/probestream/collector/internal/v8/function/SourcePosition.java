package dev.probestream.collector.internal.v8.function;

/**
 * A place in a file of source code.
 *
 * @param line from 1
 * @param column in UTF-16 code units, from 1; 0 in text that a loader put before the file's first line
 */
public record SourcePosition(int line, int column) {}
