package dev.probestream.collector.catalog;

import java.nio.file.Path;

/**
 * A file that contains probes.
 *
 * @param shownPath the path as the process sees it, or as given by the user; absolute
 * @param file a path that opens it
 * @param isDeleted whether the path no longer leads to the file, or never did (memfd): a spec must use its last
 *     component
 */
public record CatalogFile(String shownPath, Path file, boolean isDeleted) {
    /** The name of the file in a spec. */
    String module() {
        return isDeleted ? shownPath.substring(shownPath.lastIndexOf('/') + 1) : shownPath;
    }
}
