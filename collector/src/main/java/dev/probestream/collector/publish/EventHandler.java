package dev.probestream.collector.publish;

import dev.probestream.schema.RecordVisitor;

/**
 * Takes the events of a collection one by one, as values with names; a lambda is enough for that. The other
 * methods take the records that describe the events; each ignores its records unless it is overridden.
 *
 * <p>All methods are called by the thread in {@link dev.probestream.collector.Collector#run}, in this order: the Capture
 * when all probes are in place, each Probe before its first event, the Stack of an event up to a second after it (in a
 * live collection after the same reading of the ring), Losses about once a second, CaptureEnd last. Events come in the
 * order in which the ring was read, which is nearly that of their time.
 *
 * <p>A method may block. The ring buffer is not read meanwhile; when it is full, further hits are counted as lost, and
 * the traced processes are never delayed. What a method throws ends the collection and leaves {@code run} as it is.
 */
@FunctionalInterface
public interface EventHandler extends RecordVisitor<RuntimeException> {
    /**
     * Takes one event.
     *
     * @param event borrowed: valid during this call only, and the same object in each call
     */
    void event(CollectedEvent event);
}
