package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Capture;

/**
 * Converts a time of CLOCK_MONOTONIC to the time of day by the one pair of clocks in the Capture record: NTP slews both
 * clocks alike, and converting the capture again gives the same times, whatever else is read.
 *
 * @param isKnown whether there was a Capture record
 * @param offsetNs CLOCK_REALTIME - CLOCK_MONOTONIC
 */
public record WallClock(boolean isKnown, long offsetNs) {
    public static final WallClock UNKNOWN = new WallClock(false, 0);

    public static WallClock of(Capture capture) {
        return new WallClock(true, capture.getRealtimeNs() - capture.getMonotonicNs());
    }

    /** Nanoseconds since 1970-01-01 UTC. */
    public long realtimeNs(long monotonicNs) {
        return monotonicNs + offsetNs;
    }

    /** Two columns: the time of day, and the moment itself; both NULL when it is -1. */
    Row moment(Row row, long monotonicNs) {
        boolean isThere = monotonicNs != -1;
        return row.integer64(isThere && isKnown, realtimeNs(monotonicNs)).integer64(isThere, monotonicNs);
    }
}
