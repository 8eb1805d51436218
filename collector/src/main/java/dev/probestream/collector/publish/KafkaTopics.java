package dev.probestream.collector.publish;

/**
 * How topics are made that are missing; those that exist are used as they are.
 *
 * @param eventPartitions partitions of the topic of events; a capture is in one of them, a fleet spreads over all
 * @param replicationFactor copies that the cluster keeps of both topics; {@link #DEFAULT_OF_BROKER} = as it is set up
 */
public record KafkaTopics(int eventPartitions, short replicationFactor) {
    public static final short DEFAULT_OF_BROKER = -1;

    /** Six partitions: two, three and six sinks share them evenly. */
    public static final KafkaTopics DEFAULT = new KafkaTopics(6, DEFAULT_OF_BROKER);

    public KafkaTopics {
        if (eventPartitions < 1) {
            throw new IllegalArgumentException("a topic of " + eventPartitions + " partitions");
        }
        if (replicationFactor < 1 && replicationFactor != DEFAULT_OF_BROKER) {
            throw new IllegalArgumentException("a topic of " + replicationFactor + " copies");
        }
    }
}
