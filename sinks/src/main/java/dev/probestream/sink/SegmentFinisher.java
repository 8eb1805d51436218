package dev.probestream.sink;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.finish.FinishedFiles;
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

/** Takes a closed slice through the steps of {@link FaultPoints}: its files first, then the position that speaks of them. */
final class SegmentFinisher {
    private final SinkRequest request;
    private final SinkFolder folder;
    private final FileMaker files;
    private final MetadataStore metadata;
    private final SinkListener listener;
    private final Counts counts;
    private final FaultPoints steps;
    private final ConversionProgress progress;

    SegmentFinisher(
            SinkRequest request,
            SinkFolder folder,
            FileMaker files,
            MetadataStore metadata,
            SinkListener listener,
            Counts counts,
            FaultPoints steps,
            ConversionProgress progress) {
        this.request = request;
        this.folder = folder;
        this.files = files;
        this.metadata = metadata;
        this.listener = listener;
        this.counts = counts;
        this.steps = steps;
        this.progress = progress;
    }

    /** Finishes a slice, which must be the oldest closed one of its capture; its partition must be locked. */
    void finish(ClosedSegment closed) throws IOException {
        long startNanos = System.nanoTime();
        Segment slice = closed.slice();
        CaptureReader capture = closed.capture();
        CaptureMetadata known = metadata.of(slice.captureId());
        boolean isLast = known.delivered().isPresent()
                && slice.lastSequence() + 1 >= known.delivered().getAsLong();
        MetadataRecording described = describe(capture, isLast);
        boolean isMetadataNew = capture.tablesOfRecords() != known.records();
        FinishedFiles finished = files.finish(
                new SegmentRecordings(slice, described, closed.spool().finish(), isMetadataNew, isLast), progress);
        Files.deleteIfExists(described.path());

        capture.setTablesOfRecords(known.records());
        capture.finished(slice, described.nextMetadataOffset());
        capture.partition().closed().remove(closed);
        writePosition(capture.partition());
        steps.before(FaultPoints.Step.DELETE_SPOOL);
        closed.spool().delete();
        count(slice, finished);
        listener.finished(new FinishedSegment(
                slice.partition(),
                slice.captureId(),
                slice.firstOffset(),
                slice.lastOffset(),
                slice.firstSequence(),
                slice.lastSequence(),
                slice.events(),
                finished.files(),
                finished.sizeBytes(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                remarks(closed, known, finished)));
    }

    /** Says the last word on captures that have ended and whose every event is in a finished file. */
    void finishCaptures(PartitionReader partition) throws IOException {
        for (CaptureReader capture : List.copyOf(partition.captures())) {
            if (capture.isIdle() && isComplete(capture)) {
                if (capture.tablesOfRecords()
                        != metadata.of(capture.captureId()).records()) {
                    MetadataRecording described = describe(capture, true);
                    files.finishCapture(described);
                    Files.deleteIfExists(described.path());
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

    /** Whether the capture has ended and all that it delivered was read. */
    boolean isComplete(CaptureReader capture) {
        CaptureMetadata known = metadata.of(capture.captureId());
        return known.delivered().isPresent()
                && capture.nextSequence() >= known.delivered().getAsLong();
    }

    private MetadataRecording describe(CaptureReader capture, boolean isLast) throws IOException {
        Path path = folder.instanceFolder().resolve("metadata.avro");
        return request.format().hasLossesInSlices()
                ? metadata.write(capture.captureId(), path, capture.shownLossesOffset(), isLast)
                : metadata.write(capture.captureId(), path, 0, true);
    }

    private void writePosition(PartitionReader partition) throws IOException {
        steps.before(FaultPoints.Step.WRITE_POSITION);
        if (request.mode() != SinkMode.WINDOW) {
            folder.positionFile(partition.partition()).write(partition.position());
        }
    }

    private void count(Segment slice, FinishedFiles finished) {
        counts.slicesFinished++;
        counts.eventsFinished += slice.events();
        counts.filesFinished += finished.files().size();
    }

    private static List<String> remarks(ClosedSegment closed, CaptureMetadata known, FinishedFiles finished) {
        List<String> remarks = new ArrayList<>(finished.remarks());
        if (!known.isDescribed()) {
            remarks.add(
                    "the metadata topic has no record that describes the capture: host and wall-clock time are unknown");
        }
        int missingStacks = MetadataWait.missingStacks(closed, known);
        if (missingStacks > 0) {
            remarks.add(missingStacks + " of the stacks that its events name were not in the metadata topic in time");
        }
        return remarks;
    }
}
