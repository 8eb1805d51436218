package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.format.FormatVersion;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import java.io.IOException;

/** The track, and the sequence, of the captures themselves: when they began and ended, what they lost and did not watch, and what they cost. */
final class CaptureTrack {
    static final int SEQUENCE_ID = 2;

    private static final String CATEGORY = "capture";

    private final PacketStream packets;
    private final long uuid;
    private boolean isFirst = true;

    CaptureTrack(PacketStream packets, long uuid) {
        this.packets = packets;
        this.uuid = uuid;
    }

    long uuid() {
        return uuid;
    }

    TrackDescriptor.Builder descriptor() {
        return TrackDescriptor.newBuilder().setUuid(uuid).setName("Capture");
    }

    /** Moments outside the time range are left out: they would stretch what a viewer shows. */
    void start(Timeline timeline) throws IOException {
        for (CaptureTracks capture : timeline.captures()) {
            long startNs = capture.traceNs(capture.capture().getMonotonicNs());
            if (capture.isDescribed() && timeline.covers(startNs)) {
                write(started(capture), startNs);
            }
            if (capture.end().isPresent()) {
                CaptureEnd end = capture.end().get();
                long endNs = capture.traceNs(end.getMonotonicNs());
                if (timeline.covers(endNs)) {
                    write(ended(end), endNs);
                }
            }
        }
    }

    void loss(TraceWriter.LossMark loss) throws IOException {
        TrackEvent.Builder event = instant("lost " + loss.count() + " events")
                .addDebugAnnotations(text("probe", loss.probe()))
                .addDebugAnnotations(text("reason", loss.reason()))
                .addDebugAnnotations(number("count", loss.count()))
                .addDebugAnnotations(number("within_ns", loss.toNs() - loss.fromNs()));
        if (loss.cpu() >= 0) {
            event.addDebugAnnotations(number("cpu", loss.cpu()));
        }
        write(event, loss.fromNs());
    }

    /** The slice of a gap, which may begin later than the gap. */
    void gap(long trackUuid, TraceWriter.GapMark gap, long fromNs) throws IOException {
        write(
                TrackEvent.newBuilder()
                        .setType(TrackEvent.Type.TYPE_SLICE_BEGIN)
                        .setTrackUuid(trackUuid)
                        .addCategories(CATEGORY)
                        .setName(gap.what() + " not watched")
                        .addDebugAnnotations(text("reason", gap.reason())),
                fromNs);
        write(TrackEvent.newBuilder().setType(TrackEvent.Type.TYPE_SLICE_END).setTrackUuid(trackUuid), gap.toNs());
    }

    void counter(long trackUuid, long atNs, double value) throws IOException {
        write(
                TrackEvent.newBuilder()
                        .setType(TrackEvent.Type.TYPE_COUNTER)
                        .setTrackUuid(trackUuid)
                        .setDoubleCounterValue(value),
                atNs);
    }

    private TrackEvent.Builder started(CaptureTracks tracks) {
        Capture capture = tracks.capture();
        TrackEvent.Builder event = instant("capture started")
                .addDebugAnnotations(text("host", capture.getHost()))
                .addDebugAnnotations(text("kernel", capture.getKernelName() + " " + capture.getKernelRelease()))
                .addDebugAnnotations(text("machine", capture.getMachine()))
                .addDebugAnnotations(text("boot_id", capture.getBootId()))
                .addDebugAnnotations(text("command", String.join(" ", capture.getCommand())))
                .addDebugAnnotations(text("probestream", capture.getToolVersion()))
                .addDebugAnnotations(text("format", FormatVersion.CURRENT.toString()));
        if (!tracks.probesWithDerivedEnds().isEmpty()) {
            event.addDebugAnnotations(text("derived_ends", String.join(", ", tracks.probesWithDerivedEnds())));
        }
        return event;
    }

    private TrackEvent.Builder ended(CaptureEnd end) {
        return instant("capture ended")
                .addDebugAnnotations(text("reason", end.getReason()))
                .addDebugAnnotations(number("delivered", end.getDelivered()))
                .addDebugAnnotations(number("lost", end.getLost()));
    }

    private TrackEvent.Builder instant(String name) {
        return TrackEvent.newBuilder()
                .setType(TrackEvent.Type.TYPE_INSTANT)
                .setTrackUuid(uuid)
                .addCategories(CATEGORY)
                .setName(name);
    }

    /** Nothing is interned on this sequence, and every packet names its clock. */
    private void write(TrackEvent.Builder event, long timestampNs) throws IOException {
        TracePacket.Builder packet = TracePacket.newBuilder()
                .setTimestamp(Math.max(0, timestampNs))
                .setTimestampClockId(Clocks.MONOTONIC)
                .setTrustedPacketSequenceId(SEQUENCE_ID)
                .setTrackEvent(event);
        if (isFirst) {
            isFirst = false;
            packet.setFirstPacketOnSequence(true)
                    .setSequenceFlags(TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE);
        }
        packets.write(packet.build());
    }

    private static DebugAnnotation text(String name, String value) {
        return DebugAnnotation.newBuilder().setName(name).setStringValue(value).build();
    }

    private static DebugAnnotation number(String name, long value) {
        return DebugAnnotation.newBuilder().setName(name).setIntValue(value).build();
    }
}
