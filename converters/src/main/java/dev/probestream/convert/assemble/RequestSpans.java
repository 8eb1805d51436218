package dev.probestream.convert.assemble;

import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.RequestHandler;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.RequestShapes;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Hands the requests of one capture to the writer, and counts how many were in flight at each moment. */
final class RequestSpans implements RequestHandler {
    private final Timeline timeline;
    private final RequestShapes shapes;
    private final CaptureTracks capture;
    private final RequestFlows flows;
    private final DerivedCounters counters;
    private final TraceWriter writer;

    /** By the index of the requests' track. */
    private final LongMap<InFlight> inFlight = new LongMap<>();

    private final List<InFlight> inFlightInOrder = new ArrayList<>();

    RequestSpans(
            Timeline timeline,
            RequestShapes shapes,
            CaptureTracks capture,
            RequestFlows flows,
            DerivedCounters counters,
            TraceWriter writer) {
        this.timeline = timeline;
        this.shapes = shapes;
        this.capture = capture;
        this.flows = flows;
        this.counters = counters;
        this.writer = writer;
    }

    @Override
    public void request(Request request) throws IOException {
        ThreadTrack thread = capture.thread(request.pid(), request.tid(), capture.traceNs(request.startNs()));
        long flow = flows.numberIfAny(capture, request.number());
        RequestSpan span = new RequestSpan(timeline, shapes, request, thread, flow);
        writer.request(span);
        InFlight counter = inFlight(span);
        counter.began(span.startNs());
        if (!span.isOpen()) {
            counter.ended(span.endNs());
        }
    }

    private InFlight inFlight(RequestSpan span) {
        ThreadTrack thread = span.thread();
        InFlight known = inFlight.get(span.trackNumber());
        if (known == null) {
            String name = span.trackName() + " requests in flight";
            TraceWriter.DerivedCounter counter = counters.add(thread, name, span.category(), "count");
            known = new InFlight((atNs, value) -> writer.derived(counter, atNs, value));
            inFlight.put(span.trackNumber(), known);
            inFlightInOrder.add(known);
        }
        return known;
    }

    void finish() throws IOException {
        for (InFlight counter : inFlightInOrder) {
            counter.finish();
        }
    }
}
