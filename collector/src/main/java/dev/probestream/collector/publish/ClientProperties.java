package dev.probestream.collector.publish;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The properties of the Kafka clients: defaults, overridden by the user's properties, overridden by what correctness
 * requires.
 */
final class ClientProperties {
    /** Maximum time that Kafka's client blocks the publishing thread, which then checks whether to stop. */
    private static final int MAX_BLOCK_MS = 250;
    /** Default maximum time that brokers may be unavailable. */
    private static final int DELIVERY_TIMEOUT_MS = 120_000;
    /**
     * Maximum time of the first requests, unless the user sets how long brokers may be unavailable. A busy machine is
     * slow.
     */
    private static final int FIRST_CONTACT_MS = 30_000;

    private static final int BATCH_BYTES = 128 * 1024;
    private static final int LINGER_MS = 20;
    private static final int BUFFER_BYTES = 32 << 20;
    private final Map<String, String> ofUser;
    private final SecretWords secrets;

    ClientProperties(Map<String, String> ofUser) {
        this.ofUser = Map.copyOf(ofUser);
        this.secrets = new SecretWords(ofUser);
    }

    /** The addresses of the brokers, for messages. */
    String servers() {
        return ofUser.getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "(no bootstrap.servers)");
    }

    /**
     * The maximum time that brokers may be unavailable.
     *
     * @throws org.apache.kafka.common.config.ConfigException if the value of a property is invalid
     */
    Duration deliveryTimeout() {
        return Duration.ofMillis(
                new ProducerConfig(ofEventProducer()).getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG));
    }

    /** Properties for events: large batches and bounded memory. */
    Map<String, Object> ofEventProducer() {
        Map<String, Object> properties = producerDefaults();
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        properties.putAll(ofUser);
        return withNeeded(properties);
    }

    /** Properties for metadata: no linger, because events wait for metadata. */
    Map<String, Object> ofMetadataProducer() {
        Map<String, Object> properties = producerDefaults();
        properties.putAll(ofUser);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, TopicSetup.MAX_METADATA_BYTES);
        properties.put(ProducerConfig.CLIENT_ID_CONFIG, properties.get(ProducerConfig.CLIENT_ID_CONFIG) + "-metadata");
        return withNeeded(properties);
    }

    Map<String, Object> ofAdmin() {
        Map<String, Object> properties = new HashMap<>();
        String deliveryTimeout = ofUser.get(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
        Object firstContact = deliveryTimeout == null ? FIRST_CONTACT_MS : deliveryTimeout;
        // The API's timeout must not be less than that of a request (KafkaAdminClient).
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, firstContact);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, firstContact);
        ofUser.forEach((name, value) -> {
            if (AdminClientConfig.configNames().contains(name)) {
                properties.put(name, value);
            }
        });
        return properties;
    }

    /** Replaces the secrets of the properties, or parts of them, in a client's message. */
    String withoutSecrets(String message) {
        return secrets.hiddenIn(message);
    }

    private static Map<String, Object> producerDefaults() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.CLIENT_ID_CONFIG, "probestream-collect");
        properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS);
        // By default a client that finds no broker forgets the topics (KIP-899), and takes no record until one is there
        // again.
        properties.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, MetadataRecoveryStrategy.NONE.name);
        return properties;
    }

    private static Map<String, Object> withNeeded(Map<String, Object> properties) {
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        properties.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return properties;
    }
}
