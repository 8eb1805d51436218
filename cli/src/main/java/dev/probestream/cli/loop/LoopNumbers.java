package dev.probestream.cli.loop;

import java.util.Map;
import java.util.TreeMap;

/** The counts of one loop, in an interval or since the start. */
final class LoopNumbers {
    /**
     * The durations of one probe's spans.
     *
     * @param probe which
     */
    record Row(LoopProbe probe, DurationDistribution durations) {}

    private final DurationDistribution turns = new DurationDistribution();
    private final DurationDistribution waits = new DurationDistribution();
    /** By the probe's id, whose order is that of the preset. */
    private final Map<Integer, Row> rows = new TreeMap<>();

    private long handles;
    private long requests;

    void turned(long busyNs) {
        turns.add(busyNs);
    }

    void waited(long durationNs) {
        waits.add(durationNs);
    }

    void ran(LoopProbe probe, long durationNs) {
        row(probe).durations().add(durationNs);
    }

    void load(long activeHandles, long activeRequests) {
        handles = activeHandles;
        requests = activeRequests;
    }

    /** Whether all counts are zero. */
    boolean isEmpty() {
        return turns.count() == 0 && waits.count() == 0 && rows.isEmpty();
    }

    /** The turns, each with the time from the end of a wait to the beginning of the next. */
    DurationDistribution turns() {
        return turns;
    }

    DurationDistribution waits() {
        return waits;
    }

    /** In the order of the probes. */
    Iterable<Row> rows() {
        return rows.values();
    }

    /** Active handles when the loop last began to wait. */
    long handles() {
        return handles;
    }

    /** Active requests at the same moment. */
    long requests() {
        return requests;
    }

    /** Adds later counts. */
    void addAll(LoopNumbers later) {
        turns.addAll(later.turns);
        waits.addAll(later.waits);
        later.rows.values().forEach(row -> row(row.probe()).durations().addAll(row.durations()));
        handles = later.handles;
        requests = later.requests;
    }

    private Row row(LoopProbe probe) {
        return rows.computeIfAbsent(probe.id(), unused -> new Row(probe, new DurationDistribution()));
    }
}
