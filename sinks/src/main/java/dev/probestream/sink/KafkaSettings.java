package dev.probestream.sink;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The properties of a sink's Kafka clients. */
final class KafkaSettings {
    /** Bounds the work between two checks of the stop signal to some milliseconds. */
    private static final int MAX_POLL_RECORDS = 10_000;

    private static final int MAX_PARTITION_FETCH_BYTES = 4 << 20;
    private static final int MAX_FETCH_BYTES = 16 << 20;
    /** One segment is converted between two polls, and a disk may be slow. */
    private static final int MAX_POLL_INTERVAL_MS = 15 * 60 * 1000;
    /** How long the others wait for a killed instance. Kafka's default, 45 s, is for clients with less regular heartbeats. */
    private static final int SESSION_TIMEOUT_MS = 15_000;
    /**
     * How long the broker keeps a request for messages that are still to come. It answers the requests of a connection in
     * their order: a query for the end of the topic, or for messages further back, waits as long. Kafka's default is 500 ms.
     */
    private static final int SHORT_FETCH_WAIT_MS = 25;

    private final SinkRequest request;

    KafkaSettings(SinkRequest request) {
        this.request = request;
    }

    /**
     * Fails if the value of a property is wrong.
     *
     * @throws org.apache.kafka.common.config.ConfigException with its name
     */
    void check() {
        new ConsumerConfig(events());
        new ConsumerConfig(metadata());
        new ProducerConfig(producer());
        new AdminClientConfig(admin());
    }

    Properties events() {
        Properties settings = consumer();
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        if (!request.group().isEmpty()) {
            settings.put(ConsumerConfig.GROUP_ID_CONFIG, request.group());
        }
        if (request.mode() == SinkRequest.Mode.CATCH_UP) {
            // Each partition is queried after the one before was read, and asked for more, to its end.
            settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, SHORT_FETCH_WAIT_MS);
        }
        if (request.mode() == SinkRequest.Mode.FOLLOW) {
            settings.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CLASSIC.name.toLowerCase(Locale.ROOT));
            settings.putIfAbsent(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_TIMEOUT_MS);
            settings.put(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        return settings;
    }

    Properties metadata() {
        Properties settings = consumer();
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, SHORT_FETCH_WAIT_MS);
        return settings;
    }

    /** For tombstones in the metadata topic. */
    Properties producer() {
        Properties settings = new Properties();
        settings.putAll(request.kafka());
        settings.putAll(Map.of(
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                5_000,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                5_000,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                10_000,
                ProducerConfig.LINGER_MS_CONFIG,
                5,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class));
        settings.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        return settings;
    }

    Properties admin() {
        Properties settings = new Properties();
        settings.putAll(request.kafka());
        return settings;
    }

    /** Our defaults, overridden by the user's properties, overridden by those that exactly-once requires. */
    private Properties consumer() {
        Properties settings = new Properties();
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MAX_PARTITION_FETCH_BYTES);
        settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_FETCH_BYTES);
        settings.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MS);
        settings.putAll(request.kafka());
        settings.putAll(Map.of(
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class));
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        settings.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        return settings;
    }
}
