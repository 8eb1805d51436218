package dev.probestream.cli.collect;

import dev.probestream.broker.BrokerAccess;
import dev.probestream.broker.BrokerException;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.options.KafkaOptions;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.collector.publish.KafkaTopics;
import dev.probestream.schema.message.RegistryFraming;
import dev.probestream.schema.message.RegistryFraming.Subjects;
import dev.probestream.schema.registry.SchemaRegistry;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka cluster to which a collection is sent.
 *
 * @param properties of the Kafka client, without {@code bootstrap.servers} if {@code embeddedData} is set
 * @param topics how to create missing topics
 * @param registry where the schemas of messages are registered; empty = nowhere
 * @param subjects under which they are registered
 * @param embeddedData data folder of an embedded broker to start
 * @param access who may use the embedded broker
 */
record CollectDestination(
        Map<String, String> properties,
        KafkaTopics topics,
        Optional<SchemaRegistry> registry,
        Subjects subjects,
        Optional<Path> embeddedData,
        BrokerAccess access) {
    CollectDestination {
        properties = Map.copyOf(properties);
    }

    /** The topics, whose schemas are registered now if there is a registry. */
    KafkaTopics registeredTopics(ServiceLog log) throws SchemaRegistryException {
        if (registry.isEmpty()) {
            return topics;
        }
        RegistryFraming framing = RegistryFraming.registered(registry.get(), topics.names(), subjects);
        log.log("schemas are registered in " + registry.get().url());
        return topics.framed(framing);
    }

    /** Starts the embedded broker; null if there is none (try-with-resources accepts null). */
    @Nullable
    EmbeddedBroker start() throws BrokerException {
        return embeddedData.isPresent() ? EmbeddedBroker.start(embeddedData.get(), 0, access) : null;
    }

    /** The properties, with the address of the embedded broker if one was started; else waits for a broker of this user. */
    Map<String, String> propertiesFor(@Nullable EmbeddedBroker broker, ServiceLog log) {
        if (broker == null) {
            return KafkaOptions.withSecretOfOwnBroker(properties, log);
        }
        Map<String, String> complete = new HashMap<>(properties);
        complete.putAll(broker.clientProperties());
        return complete;
    }
}
