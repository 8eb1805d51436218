package dev.probestream.cli.demo;

import dev.probestream.schema.EventView;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads back all records from the topics of the demo's broker. */
final class TopicReading {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

    private TopicReading() {}

    /** Passes all metadata, then all events, to {@code handler}. */
    public static void read(Map<String, String> clients, RecordingHandler handler) throws IOException {
        Map<String, Object> properties = new HashMap<>(clients);
        properties.putAll(Map.of(
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties)) {
            read(
                    consumer,
                    Topics.METADATA,
                    value -> MetadataMessage.read(value, MessageFraming.SINGLE_OBJECT, handler));
            EventView event = new EventView();
            read(consumer, Topics.EVENTS, value -> {
                event.wrap(value, EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT), value.length);
                handler.event(event);
            });
        } catch (KafkaException e) {
            throw new IOException(
                    "read back the demo's topics at " + clients.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG) + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static void read(KafkaConsumer<byte[], byte[]> consumer, String topic, ValueHandler handler)
            throws IOException {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(READ_TIMEOUT);
            if (records.isEmpty()) {
                throw new IOException("read back " + topic + ": the broker sent nothing for " + READ_TIMEOUT.toSeconds()
                        + " s, although it has more");
            }
            for (ConsumerRecord<byte[], byte[]> record : records) {
                handler.value(record.value());
            }
        }
    }

    private interface ValueHandler {
        void value(byte[] value) throws IOException;
    }
}
