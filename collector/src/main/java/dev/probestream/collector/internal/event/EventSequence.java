package dev.probestream.collector.internal.event;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;

/**
 * Numbers the events of a capture in the order in which they reach the consumer, whatever they are made of. Allocates nothing per
 * event. Used only by the thread that reads the ring.
 */
final class EventSequence {
    private final long captureId;
    private final EventDecoder.Consumer consumer;
    private final EventEncoder encoder = new EventEncoder();
    private long delivered;
    private long lastNs;

    EventSequence(long captureId, EventDecoder.Consumer consumer) {
        this.captureId = captureId;
        this.consumer = consumer;
    }

    /** The number of events so far. */
    long delivered() {
        return delivered;
    }

    /** The latest time that an event has had so far, CLOCK_MONOTONIC; 0 without events. */
    long lastNs() {
        return lastNs;
    }

    /**
     * Begins the next event, which {@link #end} completes.
     *
     * @param durationNs -1 = it has none
     * @return takes the numbers of the arguments, then their texts; valid until the event is ended
     */
    EventEncoder begin(long timestampNs, long durationNs, int pid, int tid, int cpu, int probeId, EventKind kind) {
        lastNs = Math.max(lastNs, timestampNs + Math.max(0, durationNs));
        encoder.begin(captureId, delivered, timestampNs, durationNs, pid, tid, cpu, probeId, kind);
        return encoder;
    }

    /** Passes the event to the consumer. */
    void end(long returnValue, long stackId, long unavailable) {
        encoder.end(returnValue, stackId, unavailable);
        delivered++;
        consumer.event(encoder);
    }
}
