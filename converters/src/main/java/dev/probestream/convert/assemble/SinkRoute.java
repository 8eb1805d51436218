package dev.probestream.convert.assemble;

import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.schema.EventView;
import java.io.IOException;
import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.timeline.CaptureTracks;

/** The way of a capture's events to a {@link RequestSink}. */
final class SinkRoute implements EventRoute {
    private final CaptureTracks capture;
    private final RequestSink sink;
    private final RequestAssembler assembler;
    private final long captureId;
    private final EventView view = new EventView();

    SinkRoute(CaptureTracks capture, RequestSink sink) {
        this.capture = capture;
        this.sink = sink;
        this.captureId = capture.capture().getCaptureId();
        this.assembler = capture.roles().assembler(request -> sink.request(captureId, request));
    }

    @Override
    public void route(EventBatch batch) throws IOException {
        batch.show(view);
        long request = assembler.event(view);
        if (request != RequestAssembler.NONE) {
            sink.event(captureId, request, view);
        }
    }

    @Override
    public void finish() throws IOException {
        assembler.finish(capture.lastNs());
    }
}
