package dev.probestream.cli.demo;

/**
 * One file operation.
 *
 * @param name the function of libuv that was called
 * @param path "" where it has none, such as a read from a descriptor
 * @param startNs CLOCK_MONOTONIC
 * @param durationNs from the call to the end of its callback
 */
record FileOperation(String name, String path, long startNs, long durationNs) {}
