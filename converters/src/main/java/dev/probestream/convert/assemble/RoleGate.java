package dev.probestream.convert.assemble;

import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.record.Probe;

/** The captures of which a probe with a role has been read so far. */
final class RoleGate {
    private final LongMap<Boolean> open = new LongMap<>();
    private long lastCaptureId;
    private boolean isLastOpen;

    void probe(Probe probe) {
        if (!probe.getRole().isEmpty()) {
            open.put(probe.getCaptureId(), true);
            isLastOpen = open.get(lastCaptureId) != null;
        }
    }

    boolean isOpen(long captureId) {
        if (captureId != lastCaptureId) {
            lastCaptureId = captureId;
            isLastOpen = open.get(captureId) != null;
        }
        return isLastOpen;
    }

    boolean isAnyOpen() {
        return open.size() > 0;
    }
}
