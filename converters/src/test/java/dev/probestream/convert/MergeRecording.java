package dev.probestream.convert;

import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small recording beside which traces are merged: process 100 with a span from 1 to 9 ms after the start. */
final class MergeRecording {
    /** When it starts, in the unit of Chrome's format. */
    static final long START_US = TestRecording.START_NS / 1000;

    private MergeRecording() {}

    static Path write(Path file) throws IOException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .capture()
                    .probe(1, "uv_run", "node-loop", EventKind.SPAN)
                    .process(100, "node", TestRecording.START_NS, "node", "app.js")
                    .thread(100, 100, "node")
                    .on(100, 100)
                    .span(1, TestRecording.START_NS + 1_000_000, TestRecording.START_NS + 9_000_000)
                    .end(TestRecording.START_NS + 10_000_000, 0);
            return recording.file();
        }
    }

    /** A trace file in JSON, as it stands. */
    static Path json(Path file, String text) throws IOException {
        return Files.writeString(file, text);
    }

    static ConversionOutcome merge(Path folder, Path output, RecordingRange slice, Path... traces) throws IOException {
        Path recording = write(folder.resolve("recording.avro"));
        return Conversion.run(List.of(recording), List.of(traces), output, slice, ConversionProgress.NONE);
    }
}
