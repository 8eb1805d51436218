package dev.probestream.convert.perfetto;

import dev.probestream.convert.assemble.LossMark;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;

/** The track that tells of the captures themselves: when they began and ended, and what they lost. */
final class CaptureTrack {
    private static final String CATEGORY = "capture";

    private final long uuid;

    CaptureTrack(long uuid) {
        this.uuid = uuid;
    }

    TrackDescriptor.Builder descriptor() {
        return TrackDescriptor.newBuilder().setUuid(uuid).setName("Capture");
    }

    TrackEvent started(Capture capture) {
        return instant("capture started")
                .addDebugAnnotations(text("host", capture.getHost()))
                .addDebugAnnotations(text("kernel", capture.getKernelName() + " " + capture.getKernelRelease()))
                .addDebugAnnotations(text("machine", capture.getMachine()))
                .addDebugAnnotations(text("boot_id", capture.getBootId()))
                .addDebugAnnotations(text("command", String.join(" ", capture.getCommand())))
                .addDebugAnnotations(text("probestream", capture.getToolVersion()))
                .build();
    }

    TrackEvent ended(CaptureEnd end) {
        return instant("capture ended")
                .addDebugAnnotations(text("reason", end.getReason()))
                .addDebugAnnotations(number("delivered", end.getDelivered()))
                .addDebugAnnotations(number("lost", end.getLost()))
                .build();
    }

    TrackEvent lost(LossMark loss) {
        TrackEvent.Builder event = instant("lost " + loss.count() + " events")
                .addDebugAnnotations(text("probe", loss.probe()))
                .addDebugAnnotations(text("reason", loss.reason()))
                .addDebugAnnotations(number("count", loss.count()))
                .addDebugAnnotations(number("within_ns", loss.toNs() - loss.fromNs()));
        if (loss.cpu() >= 0) {
            event.addDebugAnnotations(number("cpu", loss.cpu()));
        }
        return event.build();
    }

    private TrackEvent.Builder instant(String name) {
        return TrackEvent.newBuilder()
                .setType(TrackEvent.Type.TYPE_INSTANT)
                .setTrackUuid(uuid)
                .addCategories(CATEGORY)
                .setName(name);
    }

    private static DebugAnnotation text(String name, String value) {
        return DebugAnnotation.newBuilder().setName(name).setStringValue(value).build();
    }

    private static DebugAnnotation number(String name, long value) {
        return DebugAnnotation.newBuilder().setName(name).setIntValue(value).build();
    }
}
