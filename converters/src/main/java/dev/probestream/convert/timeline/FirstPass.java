package dev.probestream.convert.timeline;

import dev.probestream.convert.intake.AheadBudget;
import dev.probestream.convert.intake.EventExtent;
import dev.probestream.convert.intake.Intake;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The first pass of the recordings: gathers what is needed before the first event can be written. */
public final class FirstPass implements RecordingHandler {
    private final Window window;
    private final AheadBudget budget = new AheadBudget();
    private final LongMap<CaptureFirstPass> captures = new LongMap<>();
    private final List<CaptureFirstPass> capturesInOrder = new ArrayList<>();
    private @Nullable Capture first;
    private @Nullable CaptureFirstPass last;
    private long lost;

    public FirstPass(Window window) {
        this.window = window;
    }

    @Override
    public void event(EventView event) {
        CaptureFirstPass capture = last;
        if (capture == null || capture.capture().getCaptureId() != event.captureId()) {
            capture = ofCapture(event.captureId(), event.timestampNs());
            last = capture;
        }
        capture.event(event);
    }

    @Override
    public void capture(Capture capture) {
        if (captures.get(capture.getCaptureId()) == null) {
            add(capture, true);
        }
    }

    @Override
    public void probe(Probe probe) {
        ofCapture(probe.getCaptureId(), 0).add(probe);
    }

    @Override
    public void process(Process process) {
        ofCapture(process.getCaptureId(), 0).add(process);
    }

    @Override
    public void thread(Thread thread) {
        ofCapture(thread.getCaptureId(), 0).add(thread);
    }

    @Override
    public void stack(Stack stack) {
        ofCapture(stack.getCaptureId(), 0).add(stack);
    }

    /** As {@link #stack}, for readers that show no stacks. */
    public void callers(Stack stack) {
        ofCapture(stack.getCaptureId(), 0).addCallers(stack);
    }

    @Override
    public void clock(Clock clock) {
        ofCapture(clock.getCaptureId(), clock.getMonotonicNs()).add(clock);
    }

    @Override
    public void loss(Loss loss) {
        CaptureFirstPass capture = ofCapture(loss.getCaptureId(), loss.getFromNs());
        long shiftNs = capture.clockShiftNs();
        if (window.overlaps(loss.getFromNs() + shiftNs, loss.getToNs() + shiftNs)) {
            capture.add(loss);
            lost += loss.getCount();
        }
    }

    @Override
    public void hitSummary(HitSummary summary) {
        ofCapture(summary.getCaptureId(), summary.getFromNs()).add(summary);
    }

    @Override
    public void gap(Gap gap) {
        ofCapture(gap.getCaptureId(), gap.getFromNs()).add(gap);
    }

    @Override
    public void captureEnd(CaptureEnd captureEnd) {
        ofCapture(captureEnd.getCaptureId(), captureEnd.getMonotonicNs()).setEnd(captureEnd);
    }

    /** The state of the capture; created with a stand-in if the recording lacks the Capture record. */
    private CaptureFirstPass ofCapture(long captureId, long monotonicNs) {
        CaptureFirstPass known = captures.get(captureId);
        if (known != null) {
            return known;
        }
        return add(
                Capture.newBuilder()
                        .setCaptureId(captureId)
                        .setHost("unknown host")
                        .setBootId("")
                        .setKernelName("Linux")
                        .setKernelRelease("")
                        .setKernelVersion("")
                        .setMachine("")
                        .setCpuCount(0)
                        .setToolVersion("")
                        .setCommand(List.of())
                        .setMonotonicNs(monotonicNs)
                        .setRealtimeNs(monotonicNs)
                        .setBoottimeNs(monotonicNs)
                        .build(),
                false);
    }

    private CaptureFirstPass add(Capture capture, boolean isDescribed) {
        if (first == null) {
            first = capture;
        }
        long shiftNs = isDescribed ? EventExtent.clockShiftNs(capture, first) : 0;
        CaptureFirstPass pass =
                new CaptureFirstPass(capture, isDescribed, shiftNs, window, new Intake(window, budget, shiftNs));
        captures.put(capture.getCaptureId(), pass);
        capturesInOrder.add(pass);
        return pass;
    }

    /** What was gathered. To be called once, after everything was read. */
    public Timeline timeline() throws IOException {
        ProbeShapes shapes = new ProbeShapes();
        ProcessTracks.TrackNumbers numbers = new ProcessTracks.TrackNumbers();
        List<CaptureTracks> tracks = new ArrayList<>();
        LongMap<CaptureTracks> tracksById = new LongMap<>();
        long startNs = Long.MAX_VALUE;
        long endNs = Long.MIN_VALUE;
        for (CaptureFirstPass pass : capturesInOrder) {
            CaptureTracks capture =
                    new CaptureTracks(tracks.size(), pass, isFirstMachine(pass), label(pass), pass.probeShapes(shapes));
            if (capture.roles().areAny()) {
                shapes.addRequests();
            }
            capture.setTracks(pass.tracks(capture, window, numbers));
            pass.finish();
            tracks.add(capture);
            tracksById.put(pass.capture().getCaptureId(), capture);
            startNs = Math.min(startNs, pass.firstStartNs());
            if (pass.isDescribed()) {
                startNs = Math.min(startNs, capture.traceNs(pass.capture().getMonotonicNs()));
            }
            endNs = Math.max(endNs, pass.lastEndNs());
            long captureEndNs = capture.traceNs(pass.end().getMonotonicNs());
            if (pass.isEnded() && window.overlaps(captureEndNs, captureEndNs)) {
                endNs = Math.max(endNs, captureEndNs);
            }
        }
        startNs = startNs == Long.MAX_VALUE ? 0 : Math.max(0, startNs);
        return new Timeline(window, tracks, tracksById, shapes, numbers, startNs, Math.max(startNs, endNs), lost);
    }

    private boolean isFirstMachine(CaptureFirstPass pass) {
        return first != null && pass.capture().getBootId().equals(first.getBootId());
    }

    private String label(CaptureFirstPass pass) {
        if (capturesInOrder.size() == 1) {
            return "";
        }
        Set<String> boots = new HashSet<>();
        capturesInOrder.forEach(other -> boots.add(other.capture().getBootId()));
        String host = boots.size() == 1 ? "" : " @" + pass.capture().getHost();
        return boots.size() == capturesInOrder.size()
                ? host
                : host + " (capture " + (capturesInOrder.indexOf(pass) + 1) + ")";
    }
}
