package dev.probestream.sink;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.finish.SegmentRecordings;
import dev.probestream.sink.metadata.CaptureMetadata;
import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.metadata.MetadataStore;
import dev.probestream.sink.metadata.MetadataTopic;
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
    private final MetadataTopic topic;
    private final MetadataStore metadata;
    private final CaptureMetadataSource source;
    private final SinkListener listener;
    private final Counts counts;
    private final FaultPoints faultPoints;
    private final ConversionProgress progress;

    SegmentFinisher(
            SinkRequest request,
            SinkFolder folder,
            FileMaker files,
            MetadataTopic topic,
            CaptureMetadataSource source,
            SinkListener listener,
            Counts counts,
            FaultPoints faultPoints,
            ConversionProgress progress) {
        this.request = request;
        this.folder = folder;
        this.files = files;
        this.topic = topic;
        this.metadata = topic.store();
        this.source = source;
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
        boolean isLast = capture.isEndedBy(segment);
        MetadataRecording recording = writeMetadata(capture, isLast);
        boolean isMetadataNew = capture.tablesUpToOffset() != known.newestOffset();
        FileMaker.FinishedFiles finished = files.finish(
                new SegmentRecordings(segment, recording, closed.spool().finish(), isMetadataNew, isLast), progress);
        Files.deleteIfExists(recording.path());

        capture.setTablesUpToOffset(known.newestOffset());
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
        boolean isForgotten = false;
        for (CaptureReader capture : List.copyOf(partition.captures())) {
            if (capture.isIdle() && capture.isComplete()) {
                long captureId = capture.captureId();
                long newestOffset = topic.newestOffset(captureId);
                if (capture.tablesUpToOffset() != newestOffset) {
                    finishTables(capture);
                    capture.setTablesUpToOffset(newestOffset);
                }
                if (capture.finishedOffset() <= partition.position().lowWater()) {
                    partition.forget(capture);
                    metadata.forget(captureId);
                    isForgotten = true;
                }
            }
        }
        if (isForgotten) {
            writePosition(partition);
        }
    }

    private void finishTables(CaptureReader capture) throws IOException {
        if (!request.format().hasLossesInSegments()) {
            source.load(capture.captureId());
            MetadataRecording recording = writeMetadata(capture, true);
            files.finishCapture(recording);
            Files.deleteIfExists(recording.path());
        }
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
