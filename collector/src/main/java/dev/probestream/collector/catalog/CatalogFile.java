package dev.probestream.collector.catalog;

import java.nio.file.Path;

/**
 * A file that holds probes.
 *
 * @param shownPath what the process calls it, or the user did; absolute
 * @param file a path that opens it
 * @param isDeleted the path leads to it no more, or never did (memfd): a spec must name it by its last component
 */
public record CatalogFile(String shownPath, Path file, boolean isDeleted) {
    /** What a spec calls it. */
    String module() {
        return isDeleted ? shownPath.substring(shownPath.lastIndexOf('/') + 1) : shownPath;
    }
}
