package dev.probestream.sink;

/** The counters of a run. */
final class Counts {
    long eventsRead;
    long bytesRead;
    long eventsFinished;
    long segmentsFinished;
    long filesFinished;
    long duplicates;
    long missing;
    long unreadable;
    long lostToRetention;

    SinkOutcome outcome(long droppedEvents) {
        return new SinkOutcome(
                eventsRead,
                eventsFinished,
                segmentsFinished,
                filesFinished,
                duplicates,
                missing,
                unreadable,
                lostToRetention,
                droppedEvents);
    }
}
