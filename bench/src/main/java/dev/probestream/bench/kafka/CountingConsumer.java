package dev.probestream.bench.kafka;

import dev.probestream.schema.message.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic of events from its beginning to its end and does nothing with it. */
final class CountingConsumer {
    private static final Duration POLL = Duration.ofSeconds(1);

    private CountingConsumer() {}

    /** How many events there are. */
    static long count(Map<String, String> kafka) {
        Map<String, Object> properties = new HashMap<>(kafka);
        properties.put("max.poll.records", "10000"); // as a sink asks
        long events = 0;
        long bytes = 0;
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(Topics.EVENTS).stream()
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> message : records) {
                    events++;
                    bytes += message.value().length;
                }
            }
        }
        if (bytes == 0) {
            throw new IllegalStateException("the topic " + Topics.EVENTS + " is empty");
        }
        return events;
    }
}
