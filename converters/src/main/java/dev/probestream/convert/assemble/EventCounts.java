package dev.probestream.convert.assemble;

/**
 * What became of the events of a conversion: {@code read = written + outsideRange + notShown}.
 *
 * @param read events that could be read from the inputs
 * @param written events that are in the trace
 * @param outsideRange events outside the time range, or of other processes
 * @param notShown events that a trace cannot hold: nested deeper than {@value SpanStack#MAX_DEPTH}, overlapping in more
 *     than {@value Lanes#MAX_LANES} layers, or context switches of a second machine or capture
 * @param keptWhole written spans that reach over an edge of the time range
 * @param incomplete written spans whose end was not seen
 * @param overlapping written spans that do not nest with the others of their thread and stand on a track of their own
 * @param ofUnknownProbe written events whose probe the recording does not describe
 * @param withUnknownStack written events whose stack the recording does not hold
 * @param lost events that the collector counted as lost, by the Loss records inside the time range
 */
public record EventCounts(
        long read,
        long written,
        long outsideRange,
        long notShown,
        long keptWhole,
        long incomplete,
        long overlapping,
        long ofUnknownProbe,
        long withUnknownStack,
        long lost) {}
