package dev.probestream.collector.publish;

/**
 * Settings for topics that have to be created. Existing topics are used unchanged.
 *
 * @param eventPartitions number of partitions of the events topic. A capture uses one partition; the captures of a
 *     fleet are spread over all
 * @param replicationFactor number of replicas of both topics; {@link #DEFAULT_OF_BROKER} = the cluster's default
 */
public record KafkaTopics(int eventPartitions, short replicationFactor) {
    /** For {@link #replicationFactor}: what the cluster is configured for. */
    public static final short DEFAULT_OF_BROKER = -1;

    /** Six partitions can be shared evenly by two, three or six sinks. */
    public static final KafkaTopics DEFAULT = new KafkaTopics(6, DEFAULT_OF_BROKER);

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public KafkaTopics {
        if (eventPartitions < 1) {
            throw new IllegalArgumentException("invalid number of partitions: " + eventPartitions);
        }
        if (replicationFactor < 1 && replicationFactor != DEFAULT_OF_BROKER) {
            throw new IllegalArgumentException("invalid replication factor: " + replicationFactor);
        }
    }
}
