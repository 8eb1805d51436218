package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The metadata of captures whose events retention has deleted. */
@Tag("deep")
@Timeout(300)
class MetadataTombstonesTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private SinkThread sink(SinkTopics topics) {
        return SinkThread.start(SinkRequest.follow(
                SinkFormat.PERFETTO, folder.resolve("out"), topics.kafka(), "group", SinkTest.SECONDS));
    }

    @Test
    void onlyCapturesWithoutEventsLoseTheirMetadata() throws Exception {
        try (SinkTopics topics = SinkTopics.start(folder.resolve("broker")).make(1)) {
            topics.capture(1, 10).begin(2).events(2, 0, 10).begin(3).flush();
            try (SinkThread first = sink(topics)) {
                first.await("it has read all", LONG, () -> first.log.eventsRead == 20);
            }
            topics.end(2, 10).capture(4, 5);
            deleteEvents(topics, 20);
            try (SinkThread second = sink(topics)) {
                second.await("it has removed", LONG, () -> second.log.lines.contains("removed 3"));
            }
            assertThat(living(topics)).containsExactlyInAnyOrder("2", "3", "4");

            try (SinkThread third = sink(topics)) { // takes the next checkpoint
                Path checkpoint = folder.resolve("out/.probestream/metadata-0/checkpoint.json");
                third.await("it has taken a checkpoint", LONG, () -> Files.exists(checkpoint));
            }
            try (SinkThread fourth = sink(topics)) {
                topics.capture(5, 5);
                fourth.await("it has written the next", LONG, () -> !fourth.log.finished.isEmpty());
            }
            assertThat(living(topics)).containsExactlyInAnyOrder("2", "3", "4", "5");
        }
    }

    private static void deleteEvents(SinkTopics topics, long before) throws Exception {
        try (Admin admin = topics.admin()) {
            admin.deleteRecords(Map.of(new TopicPartition(Topics.EVENTS, 0), RecordsToDelete.beforeOffset(before)))
                    .all()
                    .get();
        }
    }

    /** The captures that have a key whose newest message is no tombstone. */
    private static Set<String> living(SinkTopics topics) {
        TopicPartition partition = new TopicPartition(Topics.METADATA, 0);
        Set<String> keys = new HashSet<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.copyOf(topics.kafka()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofMillis(100))) {
                    String key = new String(message.key(), StandardCharsets.US_ASCII);
                    if (message.value() == null) {
                        keys.remove(key);
                    } else {
                        keys.add(key);
                    }
                }
            }
        }
        Set<String> captures = new HashSet<>();
        keys.forEach(key -> captures.add(key.substring(0, key.indexOf('/'))));
        return captures;
    }
}
