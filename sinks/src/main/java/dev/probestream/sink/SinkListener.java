package dev.probestream.sink;

import java.util.Set;

/** Receives the reports of a sink. Every call comes from the thread in {@link Sink#run}, which waits for it to return. */
public interface SinkListener {
    /** Ignores all reports. */
    SinkListener NONE = new SinkListener() {};

    /** These partitions are read from now on, in addition to those assigned before. */
    default void assigned(Set<Integer> partitions) {}

    /** These partitions went to another instance; {@code droppedEvents} of open segments will be read again there. */
    default void revoked(Set<Integer> partitions, long droppedEvents) {}

    /** The files of a segment are in place. */
    default void finished(FinishedSegment segment) {}

    /** A wait has begun; the message names its reason and what to do. Called once per wait. */
    default void waiting(SinkWait reason, String message) {}

    /** The wait for {@code reason} has ended. */
    default void resumed(SinkWait reason) {}

    /** {@code count} events were skipped because events with their sequences are already in the files. */
    default void duplicates(int partition, long captureId, long count) {}

    /** {@code count} sequences from {@code firstSequence} on are not in the topic. */
    default void gap(int partition, long captureId, long firstSequence, long count) {}

    /**
     * A message was skipped because this version cannot read it as an event, or because it was sent to another partition. Called for each message: a log needs only the first one and their number.
     */
    default void unreadable(int partition, long offset, String reason) {}

    /** A message of the metadata topic was skipped because this version cannot read it. */
    default void unreadableMetadata(long offset, String reason, boolean isFirst) {}

    /** Retention deleted these offsets (the last one exclusive) before they were read. */
    default void lostToRetention(int partition, long fromOffset, long toOffset) {}

    /** {@code records} of captures that have no events in the topic any more were deleted from the metadata topic. */
    default void metadataRemoved(long records) {}

    /** The metadata of captures that have no events any more cannot be deleted; tried again later. */
    default void metadataNotRemoved(String reason) {}

    /** About once a second. */
    default void progress(SinkProgress progress) {}
}
