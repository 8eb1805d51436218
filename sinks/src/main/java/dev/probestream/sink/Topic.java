package dev.probestream.sink;

import dev.probestream.sink.position.TopicId;

/**
 * The events topic, as the broker describes it.
 *
 * @param partitions how many it has
 */
record Topic(TopicId id, int partitions) {}
