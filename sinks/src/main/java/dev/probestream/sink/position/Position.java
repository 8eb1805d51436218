package dev.probestream.sink.position;

import java.util.List;
import java.util.Optional;

/**
 * What the finished files hold of a partition.
 *
 * @param lowWater every event at a lower offset is in finished files, or was skipped for good
 * @param captures those of which finished files hold more than that, or of which more events may arrive
 */
public record Position(long lowWater, List<CapturePosition> captures) {
    /**
     * What the finished files hold of a capture that is not complete.
     *
     * @param nextOffset its events below are in finished files, or were skipped for good
     * @param nextSequence the expected sequence of its next event
     * @param nextMetadataOffset its losses, sums, gaps and costs below this offset of the metadata topic are in a finished trace
     * @param lastPublishMs the timestamp of the message of the last event in a file, Unix time
     */
    public record CapturePosition(
            long captureId, long nextOffset, long nextSequence, long nextMetadataOffset, long lastPublishMs) {}

    public Position {
        captures = List.copyOf(captures);
    }

    /** What the files hold of one capture; empty if it is complete or has no files. */
    public Optional<CapturePosition> of(long captureId) {
        return captures.stream()
                .filter(capture -> capture.captureId() == captureId)
                .findFirst();
    }

    /** The capture's events at lower offsets are in finished files. */
    long finishedUpTo(long captureId) {
        return of(captureId).map(CapturePosition::nextOffset).orElse(lowWater);
    }
}
