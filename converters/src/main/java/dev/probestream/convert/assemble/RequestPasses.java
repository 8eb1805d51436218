package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.AheadBudget;
import dev.probestream.convert.intake.Intake;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.FirstPass;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the requests of recordings without making a trace of them, in two readings as a trace needs them: {@link #first},
 * then, if {@link #areAnyPossible}, {@link #second} with the same records in the same order, then {@link #finish}.
 * Captures none of whose probes has a role cost nothing.
 */
public final class RequestPasses {
    private final Window window;
    private final boolean hasCaptureEnds;
    private final FirstPass firstPass;
    private final RoleGate firstGate = new RoleGate();
    private final List<CaptureAssembly> assemblies = new ArrayList<>();

    /**
     * @param hasCaptureEnds whether what is read is the whole of each capture, so that its end is the end of what is still open;
     *     else that is the last event
     */
    public RequestPasses(Window window, boolean hasCaptureEnds) {
        this.window = window;
        this.hasCaptureEnds = hasCaptureEnds;
        this.firstPass = new FirstPass(window);
    }

    /** Takes the records the first time. */
    public RecordingHandler first() {
        return new RecordingHandler() {
            @Override
            public void capture(Capture capture) {
                firstPass.capture(capture);
            }

            @Override
            public void probe(Probe probe) {
                firstPass.probe(probe);
                firstGate.probe(probe);
            }

            @Override
            public void event(EventView event) {
                if (firstGate.isOpen(event.captureId())) {
                    firstPass.event(event);
                }
            }

            @Override
            public void stack(Stack stack) {
                if (firstGate.isOpen(stack.getCaptureId())) {
                    firstPass.callers(stack);
                }
            }

            @Override
            public void loss(Loss loss) {
                firstPass.loss(loss);
            }

            @Override
            public void gap(Gap gap) {
                firstPass.gap(gap);
            }

            @Override
            public void captureEnd(CaptureEnd captureEnd) {
                if (hasCaptureEnds) {
                    firstPass.captureEnd(captureEnd);
                }
            }
        };
    }

    /** Whether there can be requests, by what was read the first time. */
    public boolean areAnyPossible() {
        return firstGate.isAnyOpen();
    }

    /** Takes the records the second time. */
    public RecordingHandler second(Sink sink) throws IOException {
        Timeline timeline = firstPass.timeline();
        RoleGate gate = new RoleGate();
        LongMap<CaptureAssembly> byCapture = new LongMap<>();
        AheadBudget budget = new AheadBudget();
        return new RecordingHandler() {
            @Override
            public void probe(Probe probe) {
                gate.probe(probe);
            }

            @Override
            public void event(EventView event) throws IOException {
                if (gate.isOpen(event.captureId())) {
                    assembly(event.captureId()).event(event);
                }
            }

            private CaptureAssembly assembly(long captureId) throws IOException {
                CaptureAssembly known = byCapture.get(captureId);
                if (known != null) {
                    return known;
                }
                CaptureTracks capture = timeline.capture(captureId);
                Intake intake = new Intake(window, budget, capture.clockShiftNs());
                CaptureAssembly added =
                        new CaptureAssembly(capture, window, intake, new SinkRoute(capture, sink), new Tally());
                byCapture.put(captureId, added);
                assemblies.add(added);
                return added;
            }
        };
    }

    /** Everything was read the second time: hands out what is still open. */
    public void finish() throws IOException {
        for (CaptureAssembly assembly : assemblies) {
            assembly.finish();
        }
    }

    /** Takes the requests of recordings, and what belongs to them; see {@link RequestPasses}. */
    public interface Sink {
        /** A request is over, or what is read of its capture is. Times are the capture's own. */
        void request(long captureId, Request request) throws IOException;

        /** The event belongs to the request of that number, as that source shows. The view is borrowed for the call. */
        void event(long captureId, long request, OwnerSource source, EventView event) throws IOException;
    }
}
