package dev.probestream.convert;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a recording begins, found without reading on.
 *
 * @param monotonicNs CLOCK_MONOTONIC at which its first capture started; the time of the first event if there is no Capture
 *     record; 0 if the recording is empty
 * @param capture the first one; empty without a Capture record
 */
record RecordingStart(long monotonicNs, Optional<Capture> capture) {
    static RecordingStart of(Path recording) throws IOException {
        First first = new First();
        try {
            RecordingReader.read(recording, first);
        } catch (Found e) {
            return new RecordingStart(first.monotonicNs, Optional.ofNullable(first.capture));
        }
        return new RecordingStart(0, Optional.empty());
    }

    /** Ends the reading. */
    private static final class Found extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static final class First implements RecordingHandler {
        private long monotonicNs;
        private @Nullable Capture capture;

        @Override
        public void capture(Capture first) throws IOException {
            capture = first;
            monotonicNs = first.getMonotonicNs();
            throw new Found();
        }

        @Override
        public void event(EventView event) throws IOException {
            monotonicNs = event.timestampNs();
            throw new Found();
        }
    }
}
