package dev.probestream.sink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A segment whose files are in place and recorded in the position file.
 *
 * @param partition of the events topic
 * @param firstOffset of its first event in the partition
 * @param lastOffset of its last event; events of other captures may lie between
 * @param firstSequence of its first event in the capture; its events have all sequences up to {@code lastSequence}
 * @param files the files with its events; for Parquet several, without the tables of metadata
 * @param sizeBytes of those files together
 * @param took from the close of the segment's last recording to the last rename
 * @param warnings one sentence each (see {@code ConversionOutcome})
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
        List<String> warnings) {
    public FinishedSegment {
        files = List.copyOf(files);
        warnings = List.copyOf(warnings);
    }
}
