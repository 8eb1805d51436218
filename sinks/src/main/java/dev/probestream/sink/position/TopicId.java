package dev.probestream.sink.position;

/**
 * Which topic an offset counts in. A topic that was deleted and made again has the same name and another id, and its
 * offsets mean something else.
 */
public record TopicId(String clusterId, String topic, String id) {}
