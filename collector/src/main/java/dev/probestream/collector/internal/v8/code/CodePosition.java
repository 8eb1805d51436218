package dev.probestream.collector.internal.v8.code;

/**
 * A function that is executing.
 *
 * @param sharedFunctionInfo tagged
 * @param sourcePosition of the call or of the point where it is: characters from the start of its script's source; -1 if
 *     that is not known
 */
public record CodePosition(long sharedFunctionInfo, int sourcePosition) {}
