package dev.probestream.cli.endtoend.kafka;

import dev.probestream.schema.message.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A Kafka client that knows an address and no password. Tries to list, to read and to delete, and says what happens. */
final class Stranger {
    private Stranger() {}

    public static void main(String... arguments) {
        Map<String, Object> properties =
                Map.of("bootstrap.servers", arguments[0], "default.api.timeout.ms", 4_000, "request.timeout.ms", 4_000);
        try (Admin admin = Admin.create(properties);
                KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            attempt("list", () -> admin.listTopics().names().get());
            attempt("read", () -> consumer.partitionsFor(Topics.EVENTS));
            attempt(
                    "delete",
                    () -> admin.deleteTopics(List.of(Topics.EVENTS)).all().get());
        }
    }

    private static void attempt(String what, Callable<?> action) {
        try {
            System.out.println(what + " succeeded: " + action.call());
        } catch (Exception e) {
            System.out.println(what + " refused");
        }
    }
}
