package dev.probestream.sink;

/**
 * What a run of a sink did.
 *
 * @param eventsRead events taken from the topic
 * @param eventsFinished events in the files finished by this run
 * @param slicesFinished slices finished
 * @param filesFinished files of events finished
 * @param duplicates events left out because they are in the files already
 * @param missing sequences that the topic does not have
 * @param unreadable messages left out because they are no event that this version can read
 * @param lostToRetention offsets that retention deleted before they were read
 * @param droppedEvents events of slices that were open at the stop: they are in the topic, and the next run reads them
 */
public record SinkOutcome(
        long eventsRead,
        long eventsFinished,
        long slicesFinished,
        long filesFinished,
        long duplicates,
        long missing,
        long unreadable,
        long lostToRetention,
        long droppedEvents) {}
