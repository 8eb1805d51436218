package dev.probestream.convert.merge.packet;

import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.TracePacket;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** One reading of a Perfetto trace: what its sequences and clocks say, up to the packet that was read last. */
final class PacketReading {
    private final PacketClocks clocks;
    private final Map<Integer, SequenceState> sequences = new HashMap<>();
    private SequenceState sequence = new SequenceState();
    private OptionalLong monotonicNs = OptionalLong.empty();

    PacketReading(Timeline timeline) {
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

    /** When the packet was written; empty if it does not say, or in a clock that nothing explains. */
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
