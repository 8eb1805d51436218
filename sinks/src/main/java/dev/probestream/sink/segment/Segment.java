package dev.probestream.sink.segment;

/**
 * A closed segment: a range of one capture's sequences, in the order of the partition.
 *
 * @param firstOffset of its first event in the partition
 * @param lastOffset of its last event; events of other captures may lie between
 * @param events how many it has
 * @param sizeBytes of its events, encoded
 * @param startNs the earliest start of its events, CLOCK_MONOTONIC
 * @param endNs the latest delivery of its events, CLOCK_MONOTONIC
 * @param firstPublishMs the timestamp of its first event's message, Unix time; part of its files' names
 * @param lastPublishMs the timestamp of its last event's message
 */
public record Segment(
        long captureId,
        int partition,
        long firstOffset,
        long lastOffset,
        long firstSequence,
        long lastSequence,
        long events,
        long sizeBytes,
        long startNs,
        long endNs,
        long firstPublishMs,
        long lastPublishMs) {}
