package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.schema.EventView;
import java.io.IOException;

/** The way of a capture with requests into a trace: the events on their tracks, and what follows from them. */
final class RequestRoute implements CaptureAssembly.Route {
    private final CaptureTracks capture;
    private final EventRouter router;
    private final RequestAssembler assembler;
    private final RequestSpans spans;
    private final LoopLag loopLag;
    private final Interruptions interruptions;
    private final EventView view = new EventView();

    RequestRoute(CaptureTracks capture, EventRouter router, RequestSpans spans, LoopLag loopLag) {
        this.capture = capture;
        this.router = router;
        this.spans = spans;
        this.loopLag = loopLag;
        this.assembler = capture.roles().assembler(spans, capture.callers());
        this.interruptions = new Interruptions(capture);
    }

    @Override
    public void route(EventBatch batch) throws IOException {
        batch.show(view);
        interruptions.before(batch.startNs(), assembler);
        long request = assembler.event(view);
        loopLag.event(view, batch.startNs(), batch.endNs());
        router.route(batch, capture, request);
    }

    @Override
    public void finish() throws IOException {
        assembler.finish(capture.lastNs());
        spans.finish();
    }
}
