package dev.probestream.sink;

import java.util.Set;

/** The voice of a sink. Every call comes from the thread in {@link Sink#run}, which waits for it to return. */
public interface SinkListener {
    /** Tells nobody. */
    SinkListener NONE = new SinkListener() {};

    /** These partitions are read from now on, after those that were assigned before. */
    default void assigned(Set<Integer> partitions) {}

    /** These partitions went to another instance; {@code droppedEvents} in open slices will be read again by it. */
    default void revoked(Set<Integer> partitions, long droppedEvents) {}

    /** The files of a slice are in their places. */
    default void finished(FinishedSegment slice) {}

    /** A wait has begun; the message says for what and what to do. Said once per wait. */
    default void waiting(SinkWait reason, String message) {}

    /** No longer waiting for that. */
    default void goesOn(SinkWait reason) {}

    /** So many events were in the topic again, with sequences that are in the files already; they were left out. */
    default void duplicates(int partition, long captureId, long count) {}

    /** {@code count} sequences from {@code firstSequence} on are not in the topic. */
    default void gap(int partition, long captureId, long firstSequence, long count) {}

    /**
     * A message is no event that this version can read, and was left out.
     *
     * @param isFirst whether it is the first of its partition in this run: one is enough for a log
     */
    default void unreadable(int partition, long offset, String reason, boolean isFirst) {}

    /** A message of the metadata topic is no record that this version can read, and was left out. */
    default void unreadableMetadata(long offset, String reason, boolean isFirst) {}

    /** Retention deleted these offsets (the last one exclusive) before they were read. */
    default void lostToRetention(int partition, long fromOffset, long toOffset) {}

    /** About once a second. */
    default void progress(SinkProgress progress) {}
}
