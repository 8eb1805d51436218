package dev.probestream.broker;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The properties of a Kafka server that is broker and controller in one node and listens only on loopback. */
final class BrokerProperties {
    static final String HOST = "127.0.0.1";
    static final int NODE_ID = 1;
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    private BrokerProperties() {}

    private static final String CLIENT_LISTENER = "CLIENT";

    /** The names are defined in kafka.server.KafkaConfig and org.apache.kafka.raft.QuorumConfig. */
    static Map<String, String> of(
            Path dataFolder, int port, int controllerPort, BrokerSecret secret, BrokerAccess access) {
        Map<String, String> properties = new HashMap<>();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", String.valueOf(NODE_ID));
        // Static voters: their address is not stored on disk, so the port may differ at each start.
        properties.put("controller.quorum.voters", NODE_ID + "@" + HOST + ":" + controllerPort);
        properties.put("controller.listener.names", CONTROLLER_LISTENER);
        String clients = CLIENT_LISTENER + "://" + HOST + ":" + port;
        properties.put("listeners", clients + "," + CONTROLLER_LISTENER + "://" + HOST + ":" + controllerPort);
        properties.put("advertised.listeners", clients);
        properties.put("inter.broker.listener.name", CLIENT_LISTENER);
        properties.putAll(security(secret, access));
        properties.put("log.dirs", dataFolder.toString());
        for (String topic : new String[] {"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"}) {
            properties.put(topic + ".replication.factor", "1");
            properties.put(topic + ".num.partitions", "1");
        }
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("share.coordinator.state.topic.min.isr", "1");
        // A misspelled topic is an error, not a new topic.
        properties.put("auto.create.topics.enable", "false");
        properties.put("group.initial.rebalance.delay.ms", "0");
        // The default of 128 MB is allocated at the start; the compacted topic here is small.
        properties.put("log.cleaner.dedupe.buffer.size", "2097152");
        return properties;
    }

    /**
     * The controller's port is never open to others, because a controller accepts requests of each client: only the
     * broker in this process uses it.
     */
    private static Map<String, String> security(BrokerSecret secret, BrokerAccess access) {
        Map<String, String> properties = new HashMap<>();
        String clientProtocol = access == BrokerAccess.OWNER ? "SASL_PLAINTEXT" : "PLAINTEXT";
        properties.put(
                "listener.security.protocol.map",
                CLIENT_LISTENER + ":" + clientProtocol + "," + CONTROLLER_LISTENER + ":SASL_PLAINTEXT");
        properties.put("sasl.enabled.mechanisms", BrokerSecret.MECHANISM);
        // Clients that have no SCRAM, or a broken one. PLAIN sends the password: the listener is on loopback only.
        String plain = "listener.name." + CLIENT_LISTENER.toLowerCase(Locale.ROOT) + ".";
        properties.put(plain + "sasl.enabled.mechanisms", BrokerSecret.MECHANISM + "," + BrokerSecret.PLAIN_MECHANISM);
        properties.put(
                plain + BrokerSecret.PLAIN_MECHANISM.toLowerCase(Locale.ROOT) + ".sasl.jaas.config",
                secret.plainServerJaas());
        properties.put("sasl.mechanism.inter.broker.protocol", BrokerSecret.MECHANISM);
        properties.put("sasl.mechanism.controller.protocol", BrokerSecret.MECHANISM);
        for (String listener : List.of(CLIENT_LISTENER, CONTROLLER_LISTENER)) {
            String prefix = "listener.name." + listener.toLowerCase(Locale.ROOT) + "."
                    + BrokerSecret.MECHANISM.toLowerCase(Locale.ROOT) + ".";
            properties.put(prefix + "sasl.jaas.config", secret.jaas());
            properties.put(prefix + "sasl.server.callback.handler.class", ScramCredentials.class.getName());
        }
        if (access == BrokerAccess.OWNER) {
            // Without an entry for a resource, only super users may use it.
            properties.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
            properties.put("allow.everyone.if.no.acl.found", "false");
            properties.put("super.users", "User:" + BrokerSecret.USER);
        }
        return properties;
    }
}
