package dev.probestream.collector.internal.v8.function;

import java.util.Optional;

/**
 * A function as V8's perf map shows it.
 *
 * @param name its own name, else the one that V8 inferred from an assignment; "" for an anonymous function and for the
 *     code outside of functions
 * @param script empty for functions that V8 or an addon implements in C++
 * @param startPosition of the function in the script's source, in characters from 0; -1 if it is not known
 * @param line where the function begins, from 1; 0 if it is not known
 * @param column from 1; 0 if it is not known
 */
public record FunctionDescription(String name, Optional<Script> script, int startPosition, int line, int column) {}
