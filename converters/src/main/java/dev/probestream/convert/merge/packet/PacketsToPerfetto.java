package dev.probestream.convert.merge.packet;

import com.google.protobuf.UnknownFieldSet;
import dev.probestream.convert.merge.track.MergedPackets;
import dev.probestream.convert.merge.track.MergedTracks;
import dev.probestream.convert.merge.track.TrackIds;
import dev.probestream.convert.perfetto.PerfettoWriter;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.BuiltinClock;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TracePacketDefaults;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import dev.probestream.schema.perfetto.TrackEventDefaults;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The packets of a Perfetto trace into ours. Everything is kept, unknown fields too, but for what would collide: sequences,
 * tracks and flows get other numbers, times become CLOCK_MONOTONIC, which makes the snapshots of clocks superfluous, and
 * the tracks of processes and threads become children of ours.
 */
public final class PacketsToPerfetto {
    /** The first two are those of merged JSON. */
    private static final int FIRST_SEQUENCE = MergedPackets.FIRST_SEQUENCE + 2;

    private final PerfettoWriter writer;
    private final MergedTracks tracks;
    private final Map<Long, Integer> sequenceIds = new HashMap<>();
    private PacketPass reading;
    private long salt;
    private int file;

    public PacketsToPerfetto(PerfettoWriter writer, MergedTracks tracks, Timeline timeline) {
        this.writer = writer;
        this.tracks = tracks;
        this.reading = new PacketPass(timeline);
    }

    /** A file begins; {@code number} is its index among the files. */
    public void begin(int number, Timeline timeline) {
        file = number;
        salt = TrackIds.of(number);
        reading = new PacketPass(timeline);
    }

    /** @param isWanted else only what later packets need is kept of it */
    public void packet(TracePacket packet, boolean isWanted) throws IOException {
        reading.next(packet);
        TracePacket.Builder made = packet.toBuilder();
        if (packet.hasTrustedPacketSequenceId()) {
            made.setTrustedPacketSequenceId(sequenceId(packet.getTrustedPacketSequenceId()));
        }
        boolean isUntimed = packet.hasTimestamp() && reading.monotonicNs().isEmpty();
        putTime(made);
        made.clearTimestampClockId();
        if (made.hasTimestamp()) {
            made.setTimestampClockId(BuiltinClock.BUILTIN_CLOCK_MONOTONIC_VALUE);
        }
        if (packet.hasTracePacketDefaults()) {
            made.setTracePacketDefaults(defaults(packet.getTracePacketDefaults()));
        }
        if (packet.hasClockSnapshot() || packet.hasTraceUuid()) {
            made.clearData();
        } else if (packet.hasTrackDescriptor()) {
            made.setTrackDescriptor(descriptor(packet.getTrackDescriptor()));
        } else if (packet.hasTrackEvent()) {
            made.setTrackEvent(event(packet.getTrackEvent()));
        }
        if (!isWanted || isUntimed) {
            made.clearData();
            made.setUnknownFields(UnknownFieldSet.getDefaultInstance());
        }
        if (hasContent(made)) {
            writer.append(made.build().toByteArray());
        }
    }

    private void putTime(TracePacket.Builder made) {
        made.clearTimestamp();
        reading.monotonicNs().ifPresent(atNs -> made.setTimestamp(Math.max(0, atNs)));
    }

    private static boolean hasContent(TracePacket.Builder packet) {
        return packet.getDataCase() != TracePacket.DataCase.DATA_NOT_SET
                || packet.hasInternedData()
                || packet.hasTracePacketDefaults()
                || packet.getSequenceFlags() != 0
                || packet.hasPreviousPacketDropped()
                || !packet.getUnknownFields().asMap().isEmpty();
    }

    private int sequenceId(int theirs) {
        return sequenceIds.computeIfAbsent(
                (long) file << Integer.SIZE | Integer.toUnsignedLong(theirs),
                unseen -> FIRST_SEQUENCE + sequenceIds.size());
    }

    private static boolean isNone(long uuid) {
        return uuid == 0;
    }

    private long renumbered(long id) {
        return isNone(id) ? 0 : TrackIds.of(salt ^ id);
    }

    private TracePacketDefaults.Builder defaults(TracePacketDefaults theirs) {
        TracePacketDefaults.Builder made = theirs.toBuilder().clearTimestampClockId();
        if (theirs.hasTrackEventDefaults()) {
            TrackEventDefaults.Builder event = made.getTrackEventDefaultsBuilder();
            if (event.hasTrackUuid()) {
                event.setTrackUuid(renumbered(event.getTrackUuid()));
            }
            for (int i = 0; i < event.getExtraCounterTrackUuidsCount(); i++) {
                event.setExtraCounterTrackUuids(i, renumbered(event.getExtraCounterTrackUuids(i)));
            }
            for (int i = 0; i < event.getExtraDoubleCounterTrackUuidsCount(); i++) {
                event.setExtraDoubleCounterTrackUuids(i, renumbered(event.getExtraDoubleCounterTrackUuids(i)));
            }
        }
        return made;
    }

    private TrackDescriptor.Builder descriptor(TrackDescriptor theirs) throws IOException {
        TrackDescriptor.Builder made = theirs.toBuilder().setUuid(renumbered(theirs.getUuid()));
        if (theirs.hasThread()) {
            int pid = theirs.getThread().getPid();
            made.setParentUuid(tracks.parentThread(pid, theirs.getThread().getTid()));
            made.clearThread().setName(MergedTracks.OWN_TRACE);
        } else if (theirs.hasProcess()) {
            made.setParentUuid(tracks.parentProcess(theirs.getProcess().getPid()));
            made.clearProcess().setName(MergedTracks.OWN_TRACE);
        } else if (theirs.hasParentUuid()) {
            made.setParentUuid(renumbered(theirs.getParentUuid()));
        }
        return made;
    }

    private TrackEvent.Builder event(TrackEvent theirs) {
        TrackEvent.Builder made = theirs.toBuilder();
        if (made.hasTrackUuid()) {
            made.setTrackUuid(renumbered(made.getTrackUuid()));
        }
        for (int i = 0; i < made.getExtraCounterTrackUuidsCount(); i++) {
            made.setExtraCounterTrackUuids(i, renumbered(made.getExtraCounterTrackUuids(i)));
        }
        for (int i = 0; i < made.getExtraDoubleCounterTrackUuidsCount(); i++) {
            made.setExtraDoubleCounterTrackUuids(i, renumbered(made.getExtraDoubleCounterTrackUuids(i)));
        }
        for (int i = 0; i < made.getFlowIdsCount(); i++) {
            made.setFlowIds(i, renumbered(made.getFlowIds(i)));
        }
        for (int i = 0; i < made.getTerminatingFlowIdsCount(); i++) {
            made.setTerminatingFlowIds(i, renumbered(made.getTerminatingFlowIds(i)));
        }
        return made;
    }
}
