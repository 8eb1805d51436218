package dev.probestream.convert;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;

/** Finds when the first capture of a recording started, without reading on. */
final class FirstCaptureStart implements RecordingHandler {
    /** Ends the reading. */
    private static final class Found extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private long monotonicNs;

    private FirstCaptureStart() {}

    /** CLOCK_MONOTONIC; the time of the first event if there is no Capture record; 0 if the recording is empty. */
    static long monotonicNs(Path recording) throws IOException {
        FirstCaptureStart start = new FirstCaptureStart();
        try {
            RecordingReader.read(recording, start);
        } catch (Found e) {
            return start.monotonicNs;
        }
        return 0;
    }

    @Override
    public void capture(Capture capture) throws IOException {
        monotonicNs = capture.getMonotonicNs();
        throw new Found();
    }

    @Override
    public void event(EventView event) throws IOException {
        monotonicNs = event.timestampNs();
        throw new Found();
    }
}
