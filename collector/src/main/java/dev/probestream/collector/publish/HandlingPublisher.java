package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.record.Probe;
import org.apache.avro.specific.SpecificRecord;

/** Calls an {@link EventHandler}; stores nothing. */
final class HandlingPublisher implements EventPublisher {
    private final EventHandler handler;
    private final CollectedEvent view = new CollectedEvent();
    private long bytes;

    HandlingPublisher(EventHandler handler) {
        this.handler = handler;
    }

    @Override
    public void publish(EventEncoder event) {
        view.wrap(event);
        bytes += event.length();
        try {
            handler.event(view);
        } finally {
            view.release();
        }
    }

    @Override
    public void publish(SpecificRecord metadata) {
        if (metadata instanceof Probe probe) {
            view.describe(probe);
        }
        RecordVisitor.visit(metadata, handler);
    }

    @Override
    public void flush() {
        // Nothing is buffered.
    }

    @Override
    public void complete() {
        // The handler has everything.
    }

    @Override
    public long publishedBytes() {
        return bytes;
    }

    @Override
    public void close() {
        // The handler is the caller's.
    }
}
