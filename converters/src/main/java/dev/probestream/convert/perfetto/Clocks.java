package dev.probestream.convert.perfetto;

import dev.probestream.schema.perfetto.BuiltinClock;
import dev.probestream.schema.perfetto.ClockSnapshot;

/** The clocks of our traces. */
final class Clocks {
    /** The trace's clock: what BPF and Node stamp. */
    static final int MONOTONIC = BuiltinClock.BUILTIN_CLOCK_MONOTONIC_VALUE;

    /**
     * A sequence's own clock: each timestamp is the nanoseconds since the one before, which is much shorter. Its number
     * is of the range scoped to sequences, 64 to 127.
     */
    static final int INCREMENTAL = 64;

    private Clocks() {}

    /** The machine's three clocks, read together. */
    static ClockSnapshot.Builder snapshot(long monotonicNs, long boottimeNs, long realtimeNs) {
        return ClockSnapshot.newBuilder()
                .addClocks(clock(MONOTONIC, monotonicNs))
                .addClocks(clock(BuiltinClock.BUILTIN_CLOCK_BOOTTIME_VALUE, boottimeNs))
                .addClocks(clock(BuiltinClock.BUILTIN_CLOCK_REALTIME_VALUE, realtimeNs));
    }

    /** Starts a sequence's incremental clock. */
    static ClockSnapshot startOfSequence(long monotonicNs) {
        return ClockSnapshot.newBuilder()
                .addClocks(clock(INCREMENTAL, monotonicNs).setIsIncremental(true))
                .addClocks(clock(MONOTONIC, monotonicNs))
                .build();
    }

    private static ClockSnapshot.Clock.Builder clock(int id, long timestamp) {
        return ClockSnapshot.Clock.newBuilder().setClockId(id).setTimestamp(timestamp);
    }
}
