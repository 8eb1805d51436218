package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.AheadBudget;
import dev.probestream.convert.intake.Intake;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.RequestShapes;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The second pass of the recordings: writes the timeline. The files must be read in the same order as for the {@link
 * FirstPass} and must not have changed.
 */
public final class TimelineAssembler implements RecordingHandler {
    /** In a capture of more processes a gap is drawn once, on the track of the captures. */
    private static final int MAX_PROCESSES_WITH_GAPS = 16;

    private final Timeline timeline;
    private final TraceWriter writer;
    private final Tally tally = new Tally();
    private final AheadBudget budget = new AheadBudget();
    private final EventRouter router;
    private final RequestFlows requestFlows;
    private final DerivedCounters counters = new DerivedCounters();
    private final LongMap<CaptureAssembly> captures = new LongMap<>();
    private final List<CaptureAssembly> capturesInOrder = new ArrayList<>();
    private final LongMap<SummedRates> rates = new LongMap<>();
    private final List<SummedRates> ratesInOrder = new ArrayList<>();
    private final CostCounters costs;
    private @Nullable CaptureAssembly last;
    private long lastClockNs = Long.MIN_VALUE;

    /**
     * Starts the trace.
     *
     * @param writer made for the same timeline
     */
    public TimelineAssembler(Timeline timeline, TraceWriter writer) throws IOException {
        this.timeline = timeline;
        this.writer = writer;
        Flows.Numbers flowNumbers = new Flows.Numbers();
        this.requestFlows = new RequestFlows(flowNumbers);
        this.router = new EventRouter(timeline, writer, tally, flowNumbers, requestFlows);
        this.costs = new CostCounters(timeline, writer);
        writer.start();
        lastClockNs = timeline.startNs();
    }

    @Override
    public void event(EventView event) throws IOException {
        tally.read++;
        CaptureAssembly capture = last;
        if (capture == null || capture.capture().capture().getCaptureId() != event.captureId()) {
            capture = assembly(event.captureId());
            last = capture;
        }
        capture.event(event);
    }

    private CaptureAssembly assembly(long captureId) throws IOException {
        CaptureAssembly known = captures.get(captureId);
        if (known != null) {
            return known;
        }
        CaptureTracks capture = timeline.capture(captureId);
        Intake intake = new Intake(timeline.window(), budget, capture.clockShiftNs());
        CaptureAssembly added = new CaptureAssembly(capture, timeline.window(), intake, route(capture), tally);
        captures.put(captureId, added);
        capturesInOrder.add(added);
        return added;
    }

    private CaptureAssembly.Route route(CaptureTracks capture) {
        RequestShapes shapes = timeline.requestShapes();
        if (shapes == null || !capture.roles().areAny()) {
            return new PlainRoute(capture, router);
        }
        RequestSpans spans = new RequestSpans(timeline, shapes, capture, requestFlows, counters, writer);
        return new RequestRoute(capture, router, spans, new LoopLag(capture, counters, writer));
    }

    @Override
    public void clock(Clock clock) throws IOException {
        CaptureTracks capture = timeline.capture(clock.getCaptureId());
        long monotonicNs = clock.getMonotonicNs();
        if (capture.isFirstMachine() && monotonicNs > lastClockNs) {
            lastClockNs = monotonicNs;
            writer.clocks(monotonicNs, monotonicNs + capture.boottimeOffsetNs(monotonicNs), clock.getRealtimeNs());
        }
    }

    @Override
    public void loss(Loss loss) throws IOException {
        CaptureTracks capture = timeline.capture(loss.getCaptureId());
        long fromNs = capture.traceNs(loss.getFromNs());
        long toNs = capture.traceNs(loss.getToNs());
        if (timeline.window().overlaps(fromNs, toNs)) {
            String reason = switch (loss.getReason()) {
                case RING_FULL -> "the ring buffer was full";
                case TOO_MANY_OPEN_SPANS -> "too many spans were open at once";
                case RETURN_NOT_SEEN -> "the return was not seen";
                case RECURSION -> "the kernel skipped the probe inside another one";
            };
            String probe = capture.probeName(loss.getProbeId());
            writer.loss(new TraceWriter.LossMark(probe, loss.getCpu(), fromNs, toNs, loss.getCount(), reason));
        }
    }

    @Override
    public void hitSummary(HitSummary summary) throws IOException {
        CaptureTracks capture = timeline.capture(summary.getCaptureId());
        boolean isSelected =
                timeline.window().overlaps(capture.traceNs(summary.getFromNs()), capture.traceNs(summary.getToNs()));
        if (isSelected && timeline.window().hasProcess(summary.getPid())) {
            SummedRates ofCapture = rates.get(summary.getCaptureId());
            if (ofCapture == null) {
                ofCapture = new SummedRates(capture, counters, writer);
                rates.put(summary.getCaptureId(), ofCapture);
                ratesInOrder.add(ofCapture);
            }
            ofCapture.add(summary);
        }
    }

    @Override
    public void gap(Gap gap) throws IOException {
        CaptureTracks capture = timeline.capture(gap.getCaptureId());
        long fromNs = Math.max(timeline.window().clamp(capture.traceNs(gap.getFromNs())), timeline.startNs());
        long toNs = timeline.window().clamp(capture.traceNs(gap.getToNs()));
        if (fromNs >= toNs) {
            return;
        }
        String what = gap.getProbeId() == 0 ? gap.getCategory() : capture.probeName(gap.getProbeId());
        String reason = switch (gap.getReason()) {
            case BUDGET -> "the budget for the cost of probes was used up";
            case HIT_RATE -> "the set would have cost the process more CPU time than it needs for itself";
        };
        if (capture.processes().isEmpty() || capture.processes().size() > MAX_PROCESSES_WITH_GAPS) {
            writer.gap(new TraceWriter.GapMark(null, what, fromNs, toNs, reason));
            return;
        }
        for (ProcessTrack process : capture.processes()) {
            writer.gap(new TraceWriter.GapMark(process, what, fromNs, toNs, reason));
        }
    }

    @Override
    public void cost(Cost cost) throws IOException {
        costs.add(cost);
    }

    /** Everything was read: completes the trace. */
    public EventCounts finish() throws IOException {
        for (CaptureAssembly capture : capturesInOrder) {
            capture.finish();
        }
        for (SummedRates ofCapture : ratesInOrder) {
            ofCapture.finish();
        }
        router.finish();
        writer.finish();
        return tally.counts(timeline.lost());
    }
}
