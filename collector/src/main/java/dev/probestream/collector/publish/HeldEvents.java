package dev.probestream.collector.publish;

import dev.probestream.schema.record.EventKind;
import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Events that are not sent yet, because metadata that explains them is not acknowledged: a probe that was hit first while the brokers
 * are away. In the order in which they were published. Not thread-safe.
 */
final class HeldEvents {
    /** On the heap an event takes some 100 bytes more. */
    static final long MAX_BYTES = 32L << 20;

    private final Queue<Held> held = new ArrayDeque<>();
    private long bytes;

    /** An event that may have to wait. */
    static final class Held {
        final byte[] key;
        final byte[] value;
        final Long timestampMs;
        final EventKind kind;
        /** How many records of metadata must be acknowledged before it is sent. */
        final long metadataNeeded;

        /** Keeps the parts of the record: it has objects of its own. Its arrays must not be changed afterwards. */
        Held(ProducerRecord<byte[], byte[]> event, EventKind kind, long metadataNeeded) {
            this.key = event.key();
            this.value = event.value();
            this.timestampMs = event.timestamp();
            this.kind = kind;
            this.metadataNeeded = metadataNeeded;
        }

        private int sizeBytes() {
            return key.length + value.length;
        }
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    int size() {
        return held.size();
    }

    /** Whether it can be held, too. One that is alone always can. */
    boolean hasRoom(Held event) {
        return held.isEmpty() || bytes + event.sizeBytes() <= MAX_BYTES;
    }

    void add(Held event) {
        held.add(event);
        bytes += event.sizeBytes();
    }

    /** The earliest; there is one. */
    Held first() {
        return held.element();
    }

    /** Gives up the earliest. */
    void removeFirst() {
        bytes -= held.remove().sizeBytes();
    }
}
