package dev.probestream.sink.finish;

import java.nio.file.Path;
import java.util.List;

/**
 * The files of a slice, in their places.
 *
 * @param files those that hold its events
 * @param remarks what a person should know about them, one sentence each
 */
public record FinishedFiles(List<Path> files, long sizeBytes, List<String> remarks) {
    public FinishedFiles {
        files = List.copyOf(files);
        remarks = List.copyOf(remarks);
    }
}
