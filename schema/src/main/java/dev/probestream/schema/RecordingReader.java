package dev.probestream.schema;

import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Recording;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.specific.SpecificDatumReader;

/** Reads a recording from its first record to its last. */
public final class RecordingReader {
    private RecordingReader() {}

    /** Hands every record of {@code file} to {@code handler}. */
    public static ReadOutcome read(Path file, RecordingHandler handler) throws IOException {
        SpecificDatumReader<Recording> datums =
                new SpecificDatumReader<>(Recording.SCHEMA$, Recording.SCHEMA$, RecordData.INSTANCE);
        EventView view = new EventView();
        EventEncoder encoder = new EventEncoder();
        long events = 0;
        long others = 0;
        List<Damage> damages = new ArrayList<>();
        long sizeBytes = Files.size(file);
        try (DataFileReader<Recording> container = new DataFileReader<>(file.toFile(), datums)) {
            while (true) {
                Recording recording;
                try {
                    if (!container.hasNext()) {
                        break;
                    }
                    recording = container.next();
                } catch (AvroRuntimeException e) {
                    damages.add(new Damage(container.previousSync(), 0, "broken: " + e.getMessage()));
                    break;
                }
                Object content = recording.getContent();
                if (content instanceof Event event) {
                    events++;
                    encode(event, encoder);
                    view.wrap(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
                    handler.event(view);
                } else {
                    others++;
                    deliver(content, handler);
                }
            }
        }
        return new ReadOutcome(file, events, others, 0, sizeBytes, 0, damages.size(), damages);
    }

    private static void encode(Event event, EventEncoder encoder) {
        encoder.begin(
                event.getCaptureId(),
                event.getSequence(),
                event.getTimestampNs(),
                event.getDurationNs(),
                event.getPid(),
                event.getTid(),
                event.getCpu(),
                event.getProbeId(),
                event.getKind());
        encoder.beginNumbers(event.getNumbers().size());
        event.getNumbers().forEach(encoder::number);
        encoder.beginStrings(event.getStrings().size());
        event.getStrings().forEach(encoder::string);
        encoder.end(event.getReturnValue(), event.getStackId(), event.getUnavailable());
    }

    private static void deliver(Object content, RecordingHandler handler) throws IOException {
        if (content instanceof Capture capture) {
            handler.capture(capture);
        } else if (content instanceof Probe probe) {
            handler.probe(probe);
        } else if (content instanceof Process process) {
            handler.process(process);
        } else if (content instanceof Thread thread) {
            handler.thread(thread);
        } else if (content instanceof Stack stack) {
            handler.stack(stack);
        } else if (content instanceof Clock clock) {
            handler.clock(clock);
        } else if (content instanceof Loss loss) {
            handler.loss(loss);
        } else if (content instanceof CaptureEnd captureEnd) {
            handler.captureEnd(captureEnd);
        } else {
            throw new IllegalStateException("a record of an unknown kind: " + content);
        }
    }
}
