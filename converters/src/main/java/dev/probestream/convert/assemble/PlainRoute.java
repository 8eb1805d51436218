package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.timeline.CaptureTracks;
import java.io.IOException;

/** The way of a capture into a trace when none of its probes has a role in requests. */
final class PlainRoute implements CaptureAssembly.Route {
    private final CaptureTracks capture;
    private final EventRouter router;

    PlainRoute(CaptureTracks capture, EventRouter router) {
        this.capture = capture;
        this.router = router;
    }

    @Override
    public void route(EventBatch batch) throws IOException {
        router.route(batch, capture, RequestAssembler.NONE);
    }

    @Override
    public void finish() {}
}
