package dev.probestream.convert.merge.packet;

import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.TracePacket;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** One pass over a Perfetto trace: the state of its sequences and clocks after the packet that was read last. */
final class PacketPass {
    private final PacketClocks clocks;
    private final Map<Integer, SequenceState> sequences = new HashMap<>();
    private SequenceState sequence = new SequenceState();
    private OptionalLong monotonicNs = OptionalLong.empty();

    PacketPass(Timeline timeline) {
        clocks = new PacketClocks(timeline);
    }

    /** Goes on to the next packet. */
    void next(TracePacket packet) {
        int sequenceId = packet.getTrustedPacketSequenceId();
        sequence = sequences.computeIfAbsent(sequenceId, id -> new SequenceState());
        sequence.update(packet);
        if (packet.hasClockSnapshot()) {
            clocks.snapshot(sequenceId, packet.getClockSnapshot());
        }
        int clockId = packet.hasTimestampClockId() ? packet.getTimestampClockId() : sequence.defaultClock();
        monotonicNs = packet.hasTimestamp()
                ? clocks.monotonicNs(sequenceId, clockId, packet.getTimestamp())
                : OptionalLong.empty();
    }

    /** When the packet was written; empty if it has no time, or one of a clock without a snapshot. */
    OptionalLong monotonicNs() {
        return monotonicNs;
    }

    /** What applies to the packet. */
    SequenceState sequence() {
        return sequence;
    }

    /** The track of its event; 0 = none. */
    long trackUuid(TracePacket packet) {
        return packet.getTrackEvent().hasTrackUuid() ? packet.getTrackEvent().getTrackUuid() : sequence.defaultTrack();
    }
}
