package dev.probestream.collector.resolve;

import java.nio.file.Path;

/**
 * One instruction in one file: what a uprobe is attached to.
 *
 * @param symbol the function as the file names it (mangled, for C++)
 * @param file a path that opens the file the process runs; may lead through /proc/PID, and then ends with the process
 * @param fileId of that file: locations of several processes with one FileId and offset take one uprobe
 * @param fileOffset of the instruction, in bytes from the start of the file
 */
public record UprobeLocation(String symbol, Path file, FileId fileId, long fileOffset) {}
