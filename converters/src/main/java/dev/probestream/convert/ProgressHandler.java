package dev.probestream.convert;

import dev.probestream.schema.EventView;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import org.apache.avro.specific.SpecificRecord;

/** Forwards records, and reports the number of events every {@value #INTERVAL} events. */
final class ProgressHandler implements RecordingHandler {
    private static final int INTERVAL = 1 << 16;

    private final RecordingHandler next;
    private final ConversionProgress progress;
    private final int pass;
    private long events;

    ProgressHandler(RecordingHandler next, ConversionProgress progress, int pass) {
        this.next = next;
        this.progress = progress;
        this.pass = pass;
    }

    @Override
    public void event(EventView event) throws IOException {
        if (++events % INTERVAL == 0) {
            progress.reached(pass, events);
        }
        next.event(event);
    }

    @Override
    public void record(SpecificRecord record) throws IOException {
        RecordVisitor.visit(record, next);
    }
}
