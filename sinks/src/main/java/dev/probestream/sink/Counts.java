package dev.probestream.sink;

/** Counts what a run does, for its outcome. */
final class Counts {
    long eventsRead;
    long bytesRead;
    long eventsFinished;
    long slicesFinished;
    long filesFinished;
    long duplicates;
    long missing;
    long unreadable;
    long lostToRetention;

    SinkOutcome outcome(long droppedEvents) {
        return new SinkOutcome(
                eventsRead,
                eventsFinished,
                slicesFinished,
                filesFinished,
                duplicates,
                missing,
                unreadable,
                lostToRetention,
                droppedEvents);
    }
}
