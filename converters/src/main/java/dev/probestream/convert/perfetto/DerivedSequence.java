package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TracePacketDefaults;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.util.BitSet;

/**
 * The sequence of what follows from several events: requests and derived counters. They come late and not in order of time, so
 * its clock is the trace's. Nothing is on it when there is nothing of the kind.
 */
final class DerivedSequence {
    private final PacketStream packets;
    private final Timeline timeline;
    private final int id;
    private boolean isOpen;
    private final BitSet namedCategories = new BitSet();

    DerivedSequence(PacketStream packets, Timeline timeline, int id) {
        this.packets = packets;
        this.timeline = timeline;
        this.id = id;
    }

    void counter(long trackUuid, long atNs, long value) throws IOException {
        ProtoBuffer packet = begin(atNs);
        int message = beginEvent(packet, TrackEvent.Type.TYPE_COUNTER_VALUE, trackUuid);
        packet.varint(Tags.COUNTER_VALUE, value);
        packet.end(message);
        packets.end();
    }

    /** Written together with its end: trace_processor sorts packets by time. */
    void request(long trackUuid, RequestSpan request, Annotations annotations) throws IOException {
        ProtoBuffer packet = begin(request.startNs());
        putRequestNames(packet, request);
        int message = beginEvent(packet, TrackEvent.Type.TYPE_SLICE_BEGIN_VALUE, trackUuid);
        packet.varint(Tags.CATEGORY_IIDS, Interning.iid(request.categoryIndex()));
        packet.string(Tags.NAME, request.name());
        request.showArguments(annotations);
        if (request.flowNumber() != RequestSpan.NO_FLOW) {
            packet.fixed64(Tags.FLOW_IDS, request.flowNumber());
        }
        packet.end(message);
        packets.end();
        if (!request.isOpen()) {
            packet = begin(request.endNs());
            packet.end(beginEvent(packet, TrackEvent.Type.TYPE_SLICE_END_VALUE, trackUuid));
            packets.end();
        }
    }

    /** URLs are many: names of slices are not interned, so that readers need not keep them. */
    private void putRequestNames(ProtoBuffer packet, RequestSpan request) {
        if (namedCategories.get(request.categoryIndex())) {
            return;
        }
        boolean isFirst = namedCategories.isEmpty();
        namedCategories.set(request.categoryIndex());
        int data = packet.begin(Tags.INTERNED_DATA);
        Interning.putText(packet, Tags.EVENT_CATEGORIES, request.categoryIndex(), request.category());
        if (isFirst) {
            putArgumentNames(packet);
        }
        packet.end(data);
    }

    private void putArgumentNames(ProtoBuffer packet) {
        for (ArgumentShape argument : timeline.requestArguments()) {
            Interning.putText(packet, Tags.ANNOTATION_NAMES, argument.nameIndex(), argument.name());
        }
        ArgumentShape incomplete = timeline.incomplete();
        Interning.putText(packet, Tags.ANNOTATION_NAMES, incomplete.nameIndex(), incomplete.name());
    }

    private ProtoBuffer begin(long timestampNs) throws IOException {
        if (!isOpen) {
            isOpen = true;
            packets.write(TracePacket.newBuilder()
                    .setTrustedPacketSequenceId(id)
                    .setSequenceFlags(TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE)
                    .setFirstPacketOnSequence(true)
                    .setTracePacketDefaults(TracePacketDefaults.newBuilder().setTimestampClockId(Clocks.MONOTONIC))
                    .build());
        }
        ProtoBuffer packet = packets.begin();
        packet.varint(Tags.TIMESTAMP, timestampNs);
        packet.varint(Tags.SEQUENCE_ID, id);
        packet.varint(Tags.SEQUENCE_FLAGS, TracePacket.SequenceFlags.SEQ_NEEDS_INCREMENTAL_STATE_VALUE);
        return packet;
    }

    private static int beginEvent(ProtoBuffer packet, int type, long trackUuid) {
        int message = packet.begin(Tags.TRACK_EVENT);
        packet.varint(Tags.TYPE, type);
        packet.varint(Tags.TRACK_UUID, trackUuid);
        return message;
    }
}
