package dev.probestream.bench.kafka;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** The topic that our peers send to. */
final class KafkaTopic {
    static final String NAME = "bench";

    /** What KafkaPublisher asks of Kafka's producer, beside what is Kafka's default (acks=all, idempotence). */
    static final Map<String, String> OUR_PROPERTIES = Map.of(
            "batch.size",
            Integer.toString(128 * 1024),
            "linger.ms",
            "20",
            "compression.type",
            "lz4",
            "buffer.memory",
            Integer.toString(32 << 20));

    private KafkaTopic() {}

    /** Makes it. */
    static void create(String address, int partitions) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            admin.createTopics(List.of(new NewTopic(NAME, Optional.of(partitions), Optional.empty())))
                    .all()
                    .get();
        }
    }
}
