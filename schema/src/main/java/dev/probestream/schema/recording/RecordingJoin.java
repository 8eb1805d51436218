package dev.probestream.schema.recording;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Keyframe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;

/**
 * Makes one recording of several that follow each other, each of which begins with a Capture or with a Keyframe. Where a
 * capture begins with a Keyframe, what is in it stands there as records.
 */
public final class RecordingJoin {
    private RecordingJoin() {}

    /**
     * Writes the joined recording.
     *
     * @param parts recordings, in the order of time; one that is damaged is read around the damage
     * @param output the file; an existing one is replaced
     * @return what was read of each part
     * @throws IOException if a part cannot be read, or the output cannot be written
     */
    public static List<ReadOutcome> join(List<Path> parts, Path output) throws IOException {
        try (RecordingWriter writer = RecordingWriter.create(output)) {
            Copy copy = new Copy(writer);
            List<ReadOutcome> outcomes = new ArrayList<>();
            for (Path part : parts) {
                outcomes.add(RecordingReader.read(part, copy));
            }
            return outcomes;
        }
    }

    private static final class Copy implements RecordingHandler {
        private final RecordingWriter writer;
        private final Set<Long> begun = new HashSet<>();
        /** Whether what comes is repeated by a Keyframe, and was written before. */
        private boolean isRepeated;

        Copy(RecordingWriter writer) {
            this.writer = writer;
        }

        @Override
        public void event(EventView view) throws IOException {
            isRepeated = false;
            writer.appendEncodedEvent(view.buffer(), view.offset(), view.lengthBytes());
        }

        @Override
        public void capture(Capture capture) throws IOException {
            isRepeated = !begun.add(capture.getCaptureId());
            record(capture);
        }

        @Override
        public void keyframe(Keyframe keyframe) throws IOException {
            isRepeated = false;
            record(keyframe);
        }

        @Override
        public void record(SpecificRecord record) throws IOException {
            if (!isRepeated) {
                writer.append(record);
            }
        }
    }
}
