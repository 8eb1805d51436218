package dev.probestream.sink;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.finish.SegmentRecordings;
import dev.probestream.sink.metadata.CaptureMetadata;
import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.metadata.MetadataStore;
import dev.probestream.sink.position.SinkFolder;
import dev.probestream.sink.segment.Segment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Finishes a closed segment in the order of {@link FaultPoints}: first its files, then the position that records them. */
final class SegmentFinisher {
    private final SinkRequest request;
    private final SinkFolder folder;
    private final FileMaker files;
    private final MetadataStore metadata;
    private final SinkListener listener;
    private final Counts counts;
    private final FaultPoints faultPoints;
    private final ConversionProgress progress;

    SegmentFinisher(
            SinkRequest request,
            SinkFolder folder,
            FileMaker files,
            MetadataStore metadata,
            SinkListener listener,
            Counts counts,
            FaultPoints faultPoints,
            ConversionProgress progress) {
        this.request = request;
        this.folder = folder;
        this.files = files;
        this.metadata = metadata;
        this.listener = listener;
        this.counts = counts;
        this.faultPoints = faultPoints;
        this.progress = progress;
    }

    /** Finishes a segment, which must be the oldest closed one of its capture; its partition must be locked. */
    void finish(ClosedSegment closed) throws IOException {
        long startNanos = System.nanoTime();
        Segment segment = closed.segment();
        CaptureReader capture = closed.capture();
        CaptureMetadata known = metadata.of(segment.captureId());
        boolean isLast = known.delivered().isPresent()
                && segment.lastSequence() + 1 >= known.delivered().getAsLong();
        MetadataRecording recording = writeMetadata(capture, isLast);
        boolean isMetadataNew = capture.tablesOfRecords() != known.records();
        FileMaker.FinishedFiles finished = files.finish(
                new SegmentRecordings(segment, recording, closed.spool().finish(), isMetadataNew, isLast), progress);
        Files.deleteIfExists(recording.path());

        capture.setTablesOfRecords(known.records());
        capture.finished(segment, recording.nextMetadataOffset());
        capture.partition().closed().remove(closed);
        writePosition(capture.partition());
        faultPoints.before(FaultPoints.Step.DELETE_SPOOL);
        closed.spool().delete();
        count(segment, finished);
        listener.finished(new FinishedSegment(
                segment.partition(),
                segment.captureId(),
                segment.firstOffset(),
                segment.lastOffset(),
                segment.firstSequence(),
                segment.lastSequence(),
                segment.events(),
                finished.files(),
                finished.sizeBytes(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                warnings(closed, known, finished)));
    }

    /** Completes captures that have ended and whose events are all in finished files. */
    void finishCaptures(PartitionReader partition) throws IOException {
        for (CaptureReader capture : List.copyOf(partition.captures())) {
            if (capture.isIdle() && isComplete(capture)) {
                if (capture.tablesOfRecords()
                        != metadata.of(capture.captureId()).records()) {
                    MetadataRecording recording = writeMetadata(capture, true);
                    files.finishCapture(recording);
                    Files.deleteIfExists(recording.path());
                }
                if (capture.finishedOffset() <= partition.position().lowWater()) {
                    partition.forget(capture);
                    metadata.forget(capture.captureId());
                    writePosition(partition);
                } else {
                    capture.setTablesOfRecords(metadata.of(capture.captureId()).records());
                }
            }
        }
    }

    /** Whether the capture has ended and all its events were read. */
    boolean isComplete(CaptureReader capture) {
        CaptureMetadata known = metadata.of(capture.captureId());
        return known.delivered().isPresent()
                && capture.nextSequence() >= known.delivered().getAsLong();
    }

    private MetadataRecording writeMetadata(CaptureReader capture, boolean isLast) throws IOException {
        Path path = folder.instanceFolder().resolve("metadata.avro");
        return request.format().hasLossesInSegments()
                ? metadata.write(capture.captureId(), path, capture.shownLossesOffset(), isLast)
                : metadata.write(capture.captureId(), path, 0, true);
    }

    private void writePosition(PartitionReader partition) throws IOException {
        faultPoints.before(FaultPoints.Step.WRITE_POSITION);
        if (request.mode() != SinkRequest.Mode.WINDOW) {
            folder.positionFile(partition.partition()).write(partition.position());
        }
    }

    private void count(Segment segment, FileMaker.FinishedFiles finished) {
        counts.segmentsFinished++;
        counts.eventsFinished += segment.events();
        counts.filesFinished += finished.files().size();
    }

    private static List<String> warnings(
            ClosedSegment closed, CaptureMetadata known, FileMaker.FinishedFiles finished) {
        List<String> warnings = new ArrayList<>(finished.warnings());
        if (!known.isDescribed()) {
            warnings.add(
                    "the metadata topic has no Capture record of the capture: host and wall-clock time are unknown");
        }
        int missingStacks = MetadataWait.missingStacks(closed, known);
        if (missingStacks > 0) {
            warnings.add(missingStacks + " stacks of its events did not arrive in the metadata topic in time");
        }
        return warnings;
    }
}
