package dev.probestream.sink.finish;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.position.FinishedName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Makes the files of a slice and puts them into their places. */
public final class FileMaker {
    private final SinkFormat format;
    private final StagingFolder stage;
    private final FaultPoints steps;

    /**
     * @param folder where finished files go
     * @param stage a folder of this object's own, on the same file system
     */
    public FileMaker(SinkFormat format, Path folder, Path stage, FaultPoints steps) {
        this.format = format;
        this.stage = new StagingFolder(stage, folder);
        this.steps = steps;
    }

    /** Makes and places; {@code progress} may throw to give up, which leaves nothing in its place. */
    public FinishedFiles finish(SegmentRecordings recordings, ConversionProgress progress) throws IOException {
        steps.before(FaultPoints.Step.CONVERT);
        List<String> remarks = switch (format) {
            case PERFETTO -> new TraceMaker(stage, ".pftrace").make(recordings, progress);
            case CHROME -> new TraceMaker(stage, ".json").make(recordings, progress);
            case PARQUET -> new TableMaker(stage).make(recordings, progress);
        };
        List<Path> files = stage.place(steps).stream()
                .filter(file -> FinishedName.of(file).isPresent())
                .toList();
        long sizeBytes = 0;
        for (Path file : files) {
            sizeBytes += Files.size(file);
        }
        return new FinishedFiles(files, sizeBytes, remarks);
    }

    /** Brings what stands beside the events of a capture up to date, after its last slice. */
    public void finishCapture(MetadataRecording metadata) throws IOException {
        switch (format) {
            case PERFETTO, CHROME -> {}
            case PARQUET -> {
                new TableMaker(stage).makeMetadata(metadata);
                stage.place(FaultPoints.ALL);
            }
        }
    }

    /** Removes what an interrupted conversion has left aside. */
    public void clear() throws IOException {
        stage.clear();
    }
}
