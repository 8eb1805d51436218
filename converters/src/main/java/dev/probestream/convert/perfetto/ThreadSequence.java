package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.schema.perfetto.TracePacket;
import java.util.Arrays;
import java.util.BitSet;

/** The packet sequence of one thread: its clock, and what was interned on it. */
final class ThreadSequence {
    private final ThreadTrack thread;
    private final int id;
    private final long trackUuid;
    private long lastNs;
    private long[] laneUuids = new long[0];

    final BitSet probes = new BitSet();
    final BitSet eventNames = new BitSet();
    final BitSet categories = new BitSet();
    final BitSet argumentNames = new BitSet();
    final BitSet stacks = new BitSet();
    final BitSet frames = new BitSet();
    final BitSet functions = new BitSet();
    final BitSet modules = new BitSet();
    final BitSet sources = new BitSet();

    ThreadSequence(ThreadTrack thread, int id, long trackUuid, long startNs) {
        this.thread = thread;
        this.id = id;
        this.trackUuid = trackUuid;
        this.lastNs = startNs;
    }

    ThreadTrack thread() {
        return thread;
    }

    int id() {
        return id;
    }

    long trackUuid() {
        return trackUuid;
    }

    /** The fields that every packet of a sequence begins with. */
    void putHeader(ProtoBuffer packet, long timestampNs) {
        long sinceLastNs = timestampNs - lastNs;
        if (sinceLastNs >= 0) {
            packet.varint(Tags.TIMESTAMP, sinceLastNs);
            lastNs = timestampNs;
        } else {
            // The incremental clock only goes forward. A late event has its absolute time.
            packet.varint(Tags.TIMESTAMP, timestampNs);
            packet.varint(Tags.TIMESTAMP_CLOCK_ID, Clocks.MONOTONIC);
        }
        packet.varint(Tags.SEQUENCE_ID, id);
        packet.varint(Tags.SEQUENCE_FLAGS, TracePacket.SequenceFlags.SEQ_NEEDS_INCREMENTAL_STATE_VALUE);
    }

    /** The track of a further lane; 0 = it has none yet. */
    long laneUuid(int lane) {
        return lane < laneUuids.length ? laneUuids[lane] : 0;
    }

    void setLaneUuid(int lane, long uuid) {
        if (lane >= laneUuids.length) {
            laneUuids = Arrays.copyOf(laneUuids, lane + 1);
        }
        laneUuids[lane] = uuid;
    }
}
