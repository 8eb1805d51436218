package dev.probestream.convert.merge.track;

import dev.probestream.convert.perfetto.PerfettoWriter;
import dev.probestream.schema.perfetto.BuiltinClock;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TracePacketDefaults;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;

/** The packets of merged JSON events, on two sequences of their own: one of tracks, one of events. Nothing is interned. */
public final class MergedPackets {
    /** Far above those of the recording's threads, see {@link PerfettoWriter}. */
    public static final int FIRST_SEQUENCE = 1 << 30;

    private static final int TRACKS_SEQUENCE = FIRST_SEQUENCE;
    private static final int EVENTS_SEQUENCE = FIRST_SEQUENCE + 1;

    private final PerfettoWriter writer;
    private final long startNs;
    private boolean hasTracks;
    private boolean hasEvents;

    /** @param startNs when the trace starts: the time of the tracks' descriptions */
    public MergedPackets(PerfettoWriter writer, long startNs) {
        this.writer = writer;
        this.startNs = startNs;
    }

    void track(TrackDescriptor.Builder track) throws IOException {
        writer.append(packet(TRACKS_SEQUENCE, startNs, !hasTracks)
                .setTrackDescriptor(track)
                .build());
        hasTracks = true;
    }

    public void event(long timestampNs, TrackEvent event) throws IOException {
        writer.append(packet(EVENTS_SEQUENCE, timestampNs, !hasEvents)
                .setTrackEvent(event)
                .build());
        hasEvents = true;
    }

    private static TracePacket.Builder packet(int sequenceId, long timestampNs, boolean isFirst) {
        TracePacket.Builder packet =
                TracePacket.newBuilder().setTrustedPacketSequenceId(sequenceId).setTimestamp(Math.max(0, timestampNs));
        return isFirst
                ? packet.setFirstPacketOnSequence(true)
                        .setSequenceFlags(TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE)
                        .setTracePacketDefaults(TracePacketDefaults.newBuilder()
                                .setTimestampClockId(BuiltinClock.BUILTIN_CLOCK_MONOTONIC_VALUE))
                : packet;
    }
}
