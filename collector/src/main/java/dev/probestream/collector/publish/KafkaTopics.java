package dev.probestream.collector.publish;

import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.Topics;
import java.time.Duration;
import java.util.Optional;

/**
 * The topics of a capture, and settings for those that have to be created. Existing topics are used unchanged.
 *
 * @param names of both topics
 * @param eventPartitions number of partitions of the events topic. A capture uses one partition; the captures of a
 *     fleet are spread over all
 * @param replicationFactor number of replicas of both topics; {@link #DEFAULT_OF_BROKER} = the cluster's default
 * @param retention how long the events topic keeps events, by their time; empty = the cluster's default
 * @param isCreationAllowed whether missing topics are created; if not, they are an error that has the commands
 * @param framing what stands in front of the records in both topics
 */
public record KafkaTopics(
        Topics names,
        int eventPartitions,
        short replicationFactor,
        Optional<Duration> retention,
        boolean isCreationAllowed,
        MessageFraming framing) {
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
        if (retention.isPresent() && retention.get().toMillis() < 1) {
            throw new IllegalArgumentException("invalid retention: " + retention.get());
        }
    }

    /**
     * Topics with the default names that are created if they are missing, and keep events as long as the cluster's default is.
     *
     * @param eventPartitions as above
     * @param replicationFactor as above
     */
    public KafkaTopics(int eventPartitions, short replicationFactor) {
        this(Topics.DEFAULT, eventPartitions, replicationFactor, Optional.empty(), true, MessageFraming.SINGLE_OBJECT);
    }

    /**
     * {@return the same topics, with other headers in front of the records}
     *
     * @param other than these have
     */
    public KafkaTopics framed(MessageFraming other) {
        return new KafkaTopics(names, eventPartitions, replicationFactor, retention, isCreationAllowed, other);
    }
}
