package dev.probestream.collector.internal.program.layout;

import java.util.List;

/**
 * The value of {@link MapNames#WINDOW}. One value holds all windows, so that one update opens or closes several of them.
 *
 * <pre>
 *   0      4  1 while the window of probes without a category of their own is open
 *   4      4  the same of the first category
 *   4 n    4  of the n-th
 * </pre>
 *
 * @param categories that have windows of their own
 */
public record Windows(List<String> categories) {
    public Windows {
        categories = List.copyOf(categories);
    }

    /** Of the value, in bytes. */
    public int sizeBytes() {
        return Integer.BYTES * (1 + categories.size());
    }

    /** Where in the value the window of this category is. */
    public int offset(String category) {
        return Integer.BYTES * (1 + categories.indexOf(category));
    }
}
