package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.StackTable;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceEvent;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.FlowStep;
import java.io.IOException;

/** Puts events, which come in the order of their start, on their tracks and hands them to the writer. */
final class EventRouter {
    private final Timeline timeline;
    private final TraceWriter writer;
    private final Tally tally;
    private final EventView view = new EventView();
    private final TraceEvent event;
    private final Lanes[] lanes;
    private final Flows flows;
    private final RequestFlows requestFlows;
    private long request;
    private final Scheduling scheduling;

    EventRouter(
            Timeline timeline, TraceWriter writer, Tally tally, Flows.Numbers flowNumbers, RequestFlows requestFlows) {
        this.timeline = timeline;
        this.writer = writer;
        this.tally = tally;
        this.flows = new Flows(flowNumbers);
        this.requestFlows = requestFlows;
        this.event = new TraceEvent(timeline, view);
        this.lanes = new Lanes[timeline.threadCount()];
        for (CaptureTracks capture : timeline.captures()) {
            for (ProcessTrack process : capture.processes()) {
                process.threads().forEach(thread -> lanes[thread.index()] = new Lanes(thread));
            }
        }
        this.scheduling = new Scheduling(timeline, writer);
    }

    /**
     * Takes the batch's current event.
     *
     * @param request that it belongs to, or {@link RequestAssembler#NONE}
     */
    void route(EventBatch batch, CaptureTracks capture, long request) throws IOException {
        batch.show(view);
        this.request = request;
        long startNs = batch.startNs();
        // Before the boot, or at the largest time of 64 bits: not a time of any clock, and viewers reject it.
        boolean isShown = startNs >= 0
                && startNs != EventBatch.OPEN
                && switch (view.kind()) {
                    case SPAN, OPEN_SPAN -> span(capture, startNs, batch.endNs());
                    case INSTANT -> instant(capture, startNs);
                    case COUNTER -> counter(capture, startNs);
                    case SWITCH -> scheduling.switched(view, capture, startNs) && showStack(capture, startNs);
                    case WAKING -> scheduling.woken(view, capture, startNs) && showStack(capture, startNs);
                };
        if (isShown) {
            tally.written++;
        } else {
            tally.notShown++;
        }
    }

    private boolean span(CaptureTracks capture, long startNs, long endNs) throws IOException {
        Role role = capture.roles().of(view);
        if (role == Role.DB_STATEMENT || role == Role.WEBSOCKET_CONNECTION) {
            return instant(capture, startNs); // what the thread did takes no time: its slice is one of the requests
        }
        Lanes ofThread = prepare(capture, threadOf(capture, startNs), startNs, endNs);
        int lane = ofThread.laneFor(startNs, endNs);
        if (lane == Lanes.NONE) {
            return false;
        }
        event.setPlace(lane, ofThread.push(lane, startNs, endNs));
        addFlows(capture);
        writer.beginSpan(event);
        if (role == Role.SCHED_OFF) {
            scheduling.offCpu(view, event.thread(), startNs, event.endNs());
        }
        count(event);
        if (timeline.window().cuts(startNs, event.endNs())) {
            tally.keptWhole++;
        }
        return true;
    }

    private boolean instant(CaptureTracks capture, long startNs) throws IOException {
        prepare(capture, threadOf(capture, startNs), startNs, startNs);
        addFlows(capture);
        writer.instant(event);
        count(event);
        return true;
    }

    private boolean counter(CaptureTracks capture, long startNs) throws IOException {
        prepare(capture, threadOf(capture, startNs), startNs, startNs);
        writer.counter(event);
        count(event);
        return true;
    }

    /** Where a traced thread gave the cpu away, or woke another one: neither event has a place for a stack of its own. */
    private boolean showStack(CaptureTracks capture, long startNs) throws IOException {
        if (view.stackId() != 0) {
            ThreadTrack thread = capture.tracedThread(view.tid(), startNs);
            if (thread != null) {
                prepare(capture, thread, startNs, startNs);
                writer.instant(event);
                count(event);
            }
        }
        return true;
    }

    /** Ends what has ended by then on the event's thread, and fills the event. */
    private Lanes prepare(CaptureTracks capture, ThreadTrack thread, long startNs, long endNs) throws IOException {
        int stackIndex =
                view.stackId() == 0 ? TraceEvent.NO_STACK : capture.stacks().indexOf(view.stackId());
        event.set(thread, capture.probe(view.probeId()), startNs, endNs, stackIndex);
        Lanes ofThread = lanes[thread.index()];
        ofThread.closeUntil(startNs, writer);
        return ofThread;
    }

    private ThreadTrack threadOf(CaptureTracks capture, long atNs) throws IOException {
        return capture.thread(view.pid(), view.tid(), atNs);
    }

    private void addFlows(CaptureTracks capture) {
        if (request != RequestAssembler.NONE) {
            event.setRequest(request);
            requestFlows.add(capture, request, event);
        }
        ProbeShape probe = event.probe();
        if (!probe.hasFlows()) {
            return;
        }
        int process = event.thread().process().index();
        for (int i = 0; i < probe.argumentCount(); i++) {
            FlowStep step = probe.argument(i).flow();
            if (step != FlowStep.NONE && event.hasNumber(i)) {
                long number = flows.number(process, event.number(i), step);
                if (number != Flows.NONE) {
                    event.addFlow(number, flows.step());
                }
            }
        }
    }

    private void count(TraceEvent shown) {
        if (shown.isIncomplete()) {
            tally.incomplete++;
        }
        if (shown.lane() > 0) {
            tally.overlapping++;
        }
        if (shown.probe().isStandIn()) {
            tally.ofUnknownProbe++;
        }
        if (shown.stackIndex() == StackTable.UNKNOWN) {
            tally.withUnknownStack++;
        }
    }

    void finish() throws IOException {
        for (Lanes ofThread : lanes) {
            ofThread.closeAll(writer);
        }
        scheduling.finish(timeline.endNs());
    }
}
