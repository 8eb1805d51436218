package dev.probestream.schema.message;

/**
 * The names of the topics where a capture goes on Kafka.
 *
 * <p>All events of a capture are in one partition of {@link #events}, in the order of their sequence numbers: so a
 * process keeps its order, a number that comes twice or is left out is seen, and one consumer has all that a trace
 * needs. Many captures spread over the partitions. {@link #metadata} has one partition and is compacted; a record in it
 * replaces the earlier one of the same key. The Capture and the Probe of an event are in it before the event is sent,
 * and CaptureEnd is sent when all events have been acknowledged; Stacks, Processes and Threads may come a little later
 * than the events that name them.
 *
 * @param events values are {@link EventMessage}s
 * @param metadata values are {@link MetadataMessage}s
 */
public record Topics(String events, String metadata) {
    /** What the names begin with by default. */
    public static final String PREFIX = "probestream";

    /** The topic of events by default. */
    public static final String EVENTS = PREFIX + ".events";

    /** The topic of metadata by default. */
    public static final String METADATA = PREFIX + ".metadata";

    /** The topics by default. */
    public static final Topics DEFAULT = new Topics(EVENTS, METADATA);

    /**
     * {@return the topics PREFIX.events and PREFIX.metadata}
     *
     * @param prefix letters, digits, '.', '_' and '-'
     */
    public static Topics ofPrefix(String prefix) {
        return new Topics(prefix + ".events", prefix + ".metadata");
    }

    /**
     * {@return the partition of the topic of events that a capture's events go to} A fixed hash of the id alone: it must
     * not change between versions, or a capture would be spread over two partitions.
     *
     * @param captureId of the capture
     * @param partitionCount how many partitions the topic has, at least 1
     */
    public static int partition(long captureId, int partitionCount) {
        if (partitionCount < 1) {
            throw new IllegalArgumentException("a topic of " + partitionCount + " partitions");
        }
        // The finalizer of MurmurHash3, so that ids that differ little do not meet in one partition.
        long hash = captureId;
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        hash ^= hash >>> 33;
        return (int) Long.remainderUnsigned(hash, partitionCount);
    }
}
