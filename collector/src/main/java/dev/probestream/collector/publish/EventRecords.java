package dev.probestream.collector.publish;

import dev.probestream.collector.publish.HeldEvents.Held;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** Makes the Kafka records of one capture's events. What several records have in common is made once. Not thread-safe. */
final class EventRecords {
    private final String topic;
    private final KeyCache keys;
    private final int partition;
    private final byte[] valueHeader;
    private final Map<EventKind, List<Header>> headers = new EnumMap<>(EventKind.class);
    private long monotonicToRealtimeNs;
    /** Kafka's client takes an object; many events happen in one millisecond. */
    private Long timestampMs = 0L;

    EventRecords(String topic, MessageFraming framing, Capture capture, int partitions) {
        this.topic = topic;
        keys = new KeyCache(capture.getCaptureId());
        valueHeader = EventMessage.header(framing);
        partition = Topics.partition(capture.getCaptureId(), partitions);
        for (EventKind kind : EventKind.values()) {
            headers.put(kind, MessageHeaders.of(EventMessage.headers(capture, kind, partition)));
        }
        monotonicToRealtimeNs = capture.getRealtimeNs() - capture.getMonotonicNs();
    }

    /** The clocks were read again: the time of day may have been set. */
    void setClock(Clock clock) {
        monotonicToRealtimeNs = clock.getRealtimeNs() - clock.getMonotonicNs();
    }

    /** The record of an event, whose bytes are copied. */
    ProducerRecord<byte[], byte[]> record(EventEncoder event) {
        long ms = EventMessage.timestampMs(event, monotonicToRealtimeNs);
        if (timestampMs != ms) {
            timestampMs = ms;
        }
        return record(timestampMs, keys.key(event.pid()), EventMessage.value(event, valueHeader), event.kind());
    }

    /** The record of an event that was held. */
    ProducerRecord<byte[], byte[]> record(Held event) {
        return record(event.timestampMs, event.key, event.value, event.kind);
    }

    private ProducerRecord<byte[], byte[]> record(Long timestampMs, byte[] key, byte[] value, EventKind kind) {
        return new ProducerRecord<>(topic, partition, timestampMs, key, value, headers.get(kind));
    }
}
