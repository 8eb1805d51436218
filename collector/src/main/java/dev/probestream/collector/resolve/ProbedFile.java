package dev.probestream.collector.resolve;

import java.nio.file.Path;

/**
 * A file of a process, found.
 *
 * @param shownPath what the process calls it
 * @param file a path that opens it
 */
record ProbedFile(String shownPath, Path file, FileId id) {}
