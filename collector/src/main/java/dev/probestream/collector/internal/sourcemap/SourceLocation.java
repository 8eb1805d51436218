package dev.probestream.collector.internal.sourcemap;

/**
 * A line of what a script was made from.
 *
 * @param file path, or URL if it is not of the scheme {@code file:}
 * @param line from 1
 */
public record SourceLocation(String file, int line) {}
