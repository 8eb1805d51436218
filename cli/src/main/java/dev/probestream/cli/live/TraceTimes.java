package dev.probestream.cli.live;

import java.time.Instant;
import java.time.ZoneId;

/**
 * Formats the time of a hit: since the start, or as time of day.
 *
 * @param startNs CLOCK_MONOTONIC of the start
 * @param startRealtimeNs CLOCK_REALTIME of the same moment
 * @param zone of the time of day
 */
public record TraceTimes(long startNs, long startRealtimeNs, ZoneId zone) {
    private static final long DAY_NS = 86_400_000_000_000L;

    /** The times of a capture that has not started. */
    public static final TraceTimes UNKNOWN = new TraceTimes(0, 0, ZoneId.of("UTC"));

    /** Seconds since the start with microseconds. */
    public void sinceStart(long monotonicNs, LineBuffer out) {
        out.seconds(Math.max(0, monotonicNs - startNs));
    }

    /** CLOCK_REALTIME of a moment of CLOCK_MONOTONIC. */
    public long realtimeNs(long monotonicNs) {
        return startRealtimeNs + monotonicNs - startNs;
    }

    /** HH:MM:SS.ffffff; the zone's offset is that of the start. */
    public void ofDay(long monotonicNs, LineBuffer out) {
        long offsetNs = 1_000_000_000L
                * zone.getRules()
                        .getOffset(Instant.ofEpochSecond(0, startRealtimeNs))
                        .getTotalSeconds();
        long ns = Math.floorMod(realtimeNs(monotonicNs) + offsetNs, DAY_NS);
        out.decimal(ns / 3_600_000_000_000L, 2)
                .ascii(':')
                .decimal(ns / 60_000_000_000L % 60, 2)
                .ascii(':')
                .decimal(ns / 1_000_000_000 % 60, 2)
                .ascii('.')
                .decimal(ns / 1000 % 1_000_000, 6);
    }
}
