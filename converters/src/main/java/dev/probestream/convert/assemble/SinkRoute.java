package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.schema.EventView;
import java.io.IOException;

/** The way of a capture's events to a {@link RequestPasses.Sink}. */
final class SinkRoute implements CaptureAssembly.Route {
    private final CaptureTracks capture;
    private final RequestPasses.Sink sink;
    private final RequestAssembler assembler;
    private final long captureId;
    private final Interruptions interruptions;
    private final EventView view = new EventView();

    SinkRoute(CaptureTracks capture, RequestPasses.Sink sink) {
        this.capture = capture;
        this.sink = sink;
        this.captureId = capture.capture().getCaptureId();
        this.assembler = capture.roles().assembler(request -> sink.request(captureId, request), capture.callers());
        this.interruptions = new Interruptions(capture);
    }

    @Override
    public void route(EventBatch batch) throws IOException {
        batch.show(view);
        interruptions.before(batch.startNs(), assembler);
        long request = assembler.event(view);
        if (request != RequestAssembler.NONE) {
            sink.event(captureId, request, assembler.source(), view);
        }
    }

    @Override
    public void finish() throws IOException {
        assembler.finish(capture.lastNs());
    }
}
