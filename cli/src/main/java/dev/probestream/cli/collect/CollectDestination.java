package dev.probestream.cli.collect;

import dev.probestream.broker.BrokerException;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.options.KafkaOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a collection goes.
 *
 * @param properties of the Kafka client, without {@code bootstrap.servers} when {@code embeddedData} is there
 * @param embeddedData data folder of a broker that is to be started for it
 */
record CollectDestination(Map<String, String> properties, Optional<Path> embeddedData) {
    CollectDestination {
        properties = Map.copyOf(properties);
    }

    /** Starts the broker; null, which try-with-resources takes, when it is somebody else's. */
    @Nullable
    EmbeddedBroker start() throws BrokerException {
        return embeddedData.isPresent() ? EmbeddedBroker.start(embeddedData.get(), 0) : null;
    }

    /** The properties with the address of the broker that was started, if one was. */
    Map<String, String> propertiesFor(@Nullable EmbeddedBroker broker) {
        Map<String, String> complete = new HashMap<>(properties);
        if (broker != null) {
            complete.put(KafkaOptions.BOOTSTRAP_SERVERS, broker.bootstrapServers());
        }
        return complete;
    }
}
