package dev.probestream.broker;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The properties of a Kafka server that is broker and controller in one node and listens only on loopback. */
final class BrokerProperties {
    static final String HOST = "127.0.0.1";
    static final int NODE_ID = 1;
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    private BrokerProperties() {}

    /** The names are defined in kafka.server.KafkaConfig and org.apache.kafka.raft.QuorumConfig. */
    static Map<String, String> of(Path dataFolder, int port, int controllerPort) {
        Map<String, String> properties = new HashMap<>();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", String.valueOf(NODE_ID));
        // Static voters: their address is not stored on disk, so the port may differ at each start.
        properties.put("controller.quorum.voters", NODE_ID + "@" + HOST + ":" + controllerPort);
        properties.put("controller.listener.names", CONTROLLER_LISTENER);
        properties.put(
                "listeners",
                "PLAINTEXT://" + HOST + ":" + port + "," + CONTROLLER_LISTENER + "://" + HOST + ":" + controllerPort);
        properties.put("advertised.listeners", "PLAINTEXT://" + HOST + ":" + port);
        properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
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
}
