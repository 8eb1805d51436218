package dev.probestream.sink;

import dev.probestream.schema.EventView;
import dev.probestream.sink.metadata.CaptureMetadata;
import dev.probestream.sink.metadata.MetadataStore;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Decides which events of the topic are converted: all, or those of an incident window. */
final class WantedEvents {
    private final @Nullable IncidentWindow window;
    private final MetadataStore metadata;
    private final long fromNs;
    private final long toNs;

    WantedEvents(SinkRequest request, MetadataStore metadata) {
        this.window = request.mode() == SinkRequest.Mode.WINDOW ? request.window() : null;
        this.metadata = metadata;
        this.fromNs = request.window().from().map(WantedEvents::nanoseconds).orElse(Long.MIN_VALUE);
        this.toNs = request.window().to().map(WantedEvents::nanoseconds).orElse(Long.MAX_VALUE);
    }

    /** Whether all events are converted, so that sequences must have no gaps. */
    boolean isAll() {
        return window == null;
    }

    /** Whether any event of the capture may be wanted. */
    boolean isCaptureWanted(long captureId) {
        return window == null
                || window.captures().isEmpty()
                || window.captures().contains(captureId);
    }

    /** The capture's metadata must be loaded. An event is also wanted if its capture is not described, because its time of day is unknown. */
    boolean isWanted(EventView event) {
        if (window == null) {
            return true;
        }
        CaptureMetadata capture = metadata.of(event.captureId());
        if (!capture.isDescribed()) {
            return true;
        }
        long startNs = event.timestampNs() + capture.monotonicToRealtimeNs();
        long endNs = startNs + Math.max(0, event.durationNs());
        return startNs < toNs && endNs >= fromNs;
    }

    private static long nanoseconds(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }
}
