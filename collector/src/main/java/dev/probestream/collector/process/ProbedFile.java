package dev.probestream.collector.process;

import java.nio.file.Path;

/**
 * A file of a process, found.
 *
 * @param shownPath what the process calls it
 * @param file a path that opens it
 */
public record ProbedFile(String shownPath, Path file, FileId id) {
    /** Whether it is what a spec's word without a slash means: its file name, or a library's short name. */
    public boolean isNamed(String name) {
        return LibraryName.matches(name, shownPath.substring(shownPath.lastIndexOf('/') + 1));
    }
}
