package dev.probestream.convert.merge.packet;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.BuiltinClock;
import dev.probestream.schema.perfetto.ClockSnapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Turns the times of a Perfetto trace into CLOCK_MONOTONIC. A trace relates its clocks by snapshots; for what
 * they lack, the recording's own clocks are used.
 */
final class PacketClocks {
    private static final int REALTIME = BuiltinClock.BUILTIN_CLOCK_REALTIME_VALUE;
    private static final int MONOTONIC = BuiltinClock.BUILTIN_CLOCK_MONOTONIC_VALUE;
    private static final int BOOTTIME = BuiltinClock.BUILTIN_CLOCK_BOOTTIME_VALUE;

    /** Clocks from here to 127 belong to one sequence. */
    private static final int FIRST_OF_SEQUENCE = 64;

    private static final int LAST_OF_SEQUENCE = 127;

    private final Map<Integer, Long> offsetsNs = new HashMap<>();
    private final Map<Long, SequenceClock> sequenceClocks = new HashMap<>();
    private int primaryClock = BOOTTIME;

    private static final class SequenceClock {
        private final ClockSnapshot.Clock clock;
        private final long monotonicNs;
        private long lastTicks;

        SequenceClock(ClockSnapshot.Clock clock, long monotonicNs) {
            this.clock = clock;
            this.monotonicNs = monotonicNs;
            this.lastTicks = clock.getTimestamp();
        }

        long monotonicNs(long timestamp) {
            long ticks = clock.getIsIncremental() ? lastTicks + timestamp : timestamp;
            lastTicks = ticks;
            long ticksNs = clock.hasUnitMultiplierNs() ? clock.getUnitMultiplierNs() : 1;
            return monotonicNs + (ticks - clock.getTimestamp()) * ticksNs;
        }
    }

    PacketClocks(Timeline timeline) {
        if (!timeline.captures().isEmpty()) {
            CaptureTracks first = timeline.captures().get(0);
            offsetsNs.put(BOOTTIME, -first.boottimeOffsetNs(timeline.startNs()));
            offsetsNs.put(
                    REALTIME, first.capture().getMonotonicNs() - first.capture().getRealtimeNs());
        }
        offsetsNs.put(MONOTONIC, 0L);
    }

    /** From now on clocks are as read there. */
    void snapshot(int sequenceId, ClockSnapshot snapshot) {
        if (snapshot.hasPrimaryTraceClock()) {
            primaryClock = snapshot.getPrimaryTraceClock().getNumber();
        }
        OptionalLong atNs = monotonicNs(snapshot);
        if (atNs.isEmpty()) {
            return;
        }
        for (ClockSnapshot.Clock clock : snapshot.getClocksList()) {
            int id = clock.getClockId();
            if (isOfSequence(id)) {
                sequenceClocks.put(key(sequenceId, id), new SequenceClock(clock, atNs.getAsLong()));
            } else {
                offsetsNs.put(id, atNs.getAsLong() - clock.getTimestamp());
            }
        }
    }

    private OptionalLong monotonicNs(ClockSnapshot snapshot) {
        for (int target : new int[] {MONOTONIC, BOOTTIME, REALTIME}) {
            for (ClockSnapshot.Clock clock : snapshot.getClocksList()) {
                Long offsetNs = offsetsNs.get(target);
                if (clock.getClockId() == target && offsetNs != null) {
                    return OptionalLong.of(clock.getTimestamp() + offsetNs);
                }
            }
        }
        return OptionalLong.empty();
    }

    /**
     * What that time of that clock is; empty if no snapshot has the clock. Incremental clocks go on by it, so it must
     * be asked once for each packet.
     *
     * @param clockId 0 = the trace's own
     */
    OptionalLong monotonicNs(int sequenceId, int clockId, long timestamp) {
        int id = clockId == 0 ? primaryClock : clockId;
        if (isOfSequence(id)) {
            @Nullable SequenceClock clock = sequenceClocks.get(key(sequenceId, id));
            return clock == null ? OptionalLong.empty() : OptionalLong.of(clock.monotonicNs(timestamp));
        }
        @Nullable Long offsetNs = offsetsNs.get(id);
        return offsetNs == null ? OptionalLong.empty() : OptionalLong.of(timestamp + offsetNs);
    }

    private static boolean isOfSequence(int clockId) {
        return clockId >= FIRST_OF_SEQUENCE && clockId <= LAST_OF_SEQUENCE;
    }

    private static long key(int sequenceId, int clockId) {
        return (long) sequenceId << Byte.SIZE | clockId;
    }
}
