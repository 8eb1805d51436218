package dev.probestream.sink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A slice whose files are in their places for good: the position file says so too.
 *
 * @param partition of the events topic
 * @param firstOffset of its first event in the partition
 * @param lastOffset of its last event; events of other captures may lie between
 * @param firstSequence of its first event in the capture; its events have every sequence up to {@code lastSequence}
 * @param files those that hold its events; for Parquet several, and the tables of metadata are not among them
 * @param sizeBytes of those files together
 * @param took from the close of the slice's last recording to the last rename
 * @param remarks what a person should know, one sentence each (see {@code ConversionOutcome})
 */
public record FinishedSegment(
        int partition,
        long captureId,
        long firstOffset,
        long lastOffset,
        long firstSequence,
        long lastSequence,
        long events,
        List<Path> files,
        long sizeBytes,
        Duration took,
        List<String> remarks) {
    public FinishedSegment {
        files = List.copyOf(files);
        remarks = List.copyOf(remarks);
    }
}
