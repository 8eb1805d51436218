package dev.probestream.sink.finish;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.position.FinishedName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes the files of a segment in a staging folder and moves them into place. */
public final class FileMaker {
    /**
     * The files of a segment, in place.
     *
     * @param files those with its events
     * @param warnings one sentence each
     */
    public record FinishedFiles(List<Path> files, long sizeBytes, List<String> warnings) {
        public FinishedFiles {
            files = List.copyOf(files);
            warnings = List.copyOf(warnings);
        }
    }

    private final SinkFormat format;
    private final String topic;
    private final StagingFolder staging;
    private final FaultPoints faultPoints;

    /**
     * @param topic of the events; tables name it
     * @param folder where finished files go
     * @param staging a folder that only this object uses, on the same file system
     */
    public FileMaker(SinkFormat format, String topic, Path folder, Path staging, FaultPoints faultPoints) {
        this.format = format;
        this.topic = topic;
        this.staging = new StagingFolder(staging, folder);
        this.faultPoints = faultPoints;
    }

    /** Writes and moves the files; {@code progress} may throw to abort, in which case no file is in place. */
    public FinishedFiles finish(SegmentRecordings recordings, ConversionProgress progress) throws IOException {
        faultPoints.before(FaultPoints.Step.CONVERT);
        List<String> warnings = switch (format) {
            case PERFETTO -> new TraceMaker(staging, ".pftrace").make(recordings, progress);
            case CHROME -> new TraceMaker(staging, ".json").make(recordings, progress);
            case PARQUET -> new TableMaker(topic, staging).make(recordings, progress);
        };
        List<Path> files = staging.place(faultPoints).stream()
                .filter(file -> FinishedName.of(file).isPresent())
                .toList();
        long sizeBytes = 0;
        for (Path file : files) {
            sizeBytes += Files.size(file);
        }
        return new FinishedFiles(files, sizeBytes, warnings);
    }

    /** Updates the metadata tables of a capture after its last segment. */
    public void finishCapture(MetadataRecording metadata) throws IOException {
        switch (format) {
            case PERFETTO, CHROME -> {}
            case PARQUET -> {
                new TableMaker(topic, staging).makeMetadata(metadata);
                staging.place(FaultPoints.NONE);
            }
        }
    }

    /** Deletes what an interrupted conversion has left in the staging folder. */
    public void clear() throws IOException {
        staging.clear();
    }
}
