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

    /** The number of messages, in all partitions. */
    static long size(EmbeddedBroker broker, String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(broker)) {
            return size(consumer, partitions(consumer, topic));
        }
    }

    private static long size(KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
        return consumer.endOffsets(partitions).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(found -> new TopicPartition(found.topic(), found.partition()))
                .toList();
    }

    private static KafkaConsumer<byte[], byte[]> consumer(EmbeddedBroker broker) {
        return new KafkaConsumer<>(
                new HashMap<>(broker.clientProperties()), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** The keys of all events, partition by partition. */
    static List<String> eventKeys(EmbeddedBroker broker) {
        List<String> keys = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(broker)) {
            List<TopicPartition> partitions = partitions(consumer, Topics.EVENTS);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long expected = size(consumer, partitions);
            while (keys.size() < expected) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    keys.add(new String(record.key(), StandardCharsets.UTF_8));
                }
            }
        }
        return keys;
    }
}
