package dev.probestream.sink;

/**
 * What a run of a sink did.
 *
 * @param eventsRead events taken from the topic
 * @param eventsFinished events in the files finished by this run
 * @param segmentsFinished segments finished
 * @param filesFinished files of events finished
 * @param duplicates events skipped because they are already in the files
 * @param missing sequences that are not in the topic
 * @param unreadable messages skipped because this version cannot read them, or they are in a wrong partition
 * @param lostToRetention offsets deleted by retention before they were read
 * @param droppedEvents events of segments that were open at the stop; the next run reads them from the topic
 */
public record SinkOutcome(
        long eventsRead,
        long eventsFinished,
        long segmentsFinished,
        long filesFinished,
        long duplicates,
        long missing,
        long unreadable,
        long lostToRetention,
        long droppedEvents) {}
