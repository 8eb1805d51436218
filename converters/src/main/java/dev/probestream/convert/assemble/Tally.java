package dev.probestream.convert.assemble;

/** Counts what becomes of the events; see {@link EventCounts} for the meanings. */
final class Tally {
    long read;
    long written;
    long outsideRange;
    long notShown;
    long keptWhole;
    long incomplete;
    long overlapping;
    long ofUnknownProbe;
    long withUnknownStack;

    EventCounts counts(long lost) {
        return new EventCounts(
                read,
                written,
                outsideRange,
                notShown,
                keptWhole,
                incomplete,
                overlapping,
                ofUnknownProbe,
                withUnknownStack,
                lost);
    }
}
