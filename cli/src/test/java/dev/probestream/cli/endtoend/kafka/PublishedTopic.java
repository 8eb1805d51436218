package dev.probestream.cli.endtoend.kafka;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.schema.message.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What a topic holds, read to its end by a plain consumer. */
final class PublishedTopic {
    private PublishedTopic() {}

    /** The keys of all events, partition by partition. */
    static List<String> eventKeys(EmbeddedBroker broker) {
        List<String> keys = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                new HashMap<>(broker.clientProperties()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(Topics.EVENTS).stream()
                    .map(found -> new TopicPartition(found.topic(), found.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long expected = consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            while (keys.size() < expected) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    keys.add(new String(record.key(), StandardCharsets.UTF_8));
                }
            }
        }
        return keys;
    }
}
