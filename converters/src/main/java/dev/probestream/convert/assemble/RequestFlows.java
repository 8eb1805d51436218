package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.convert.timeline.TraceEvent;
import dev.probestream.schema.record.FlowStep;

/** Gives each request a flow of its own, through all events that belong to it. */
final class RequestFlows {
    private final Flows flows;

    RequestFlows(Flows.Numbers numbers) {
        flows = new Flows(numbers);
    }

    /** An event that is shown belongs to the request. */
    void add(CaptureTracks capture, long request, TraceEvent event) {
        long number = flows.number(capture.index(), request, FlowStep.STEP);
        event.addFlow(number, flows.step());
    }

    /** The request's flow, or {@link RequestSpan#NO_FLOW} when nothing that is shown belongs to it. */
    long numberIfAny(CaptureTracks capture, long request) {
        return flows.numberIfKnown(capture.index(), request);
    }
}
