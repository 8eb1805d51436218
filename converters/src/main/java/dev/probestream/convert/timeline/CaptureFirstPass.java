package dev.probestream.convert.timeline;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.intake.Intake;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.request.origin.Callers;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The state of the first pass over one capture. */
final class CaptureFirstPass {
    private final Capture capture;
    private final boolean isDescribed;
    private final long clockShiftNs;
    private final Window window;
    private final Intake intake;
    private final BoottimeOffsets boottimeOffsets;
    private final EventBatch ahead = new EventBatch();
    private final LostHits lost = new LostHits();
    private final UnwatchedTimes unwatched = new UnwatchedTimes();
    private final StackTable stacks = new StackTable();
    private final Callers callers = new Callers();
    private final Map<Integer, Probe> probes = new LinkedHashMap<>();
    private final List<Process> processes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final LongMap<Long> seenThreads = new LongMap<>();
    private final List<Long> seenThreadsInOrder = new ArrayList<>();
    private final LongMap<ProbeShapes.ProbeUse> probeUses = new LongMap<>();
    private final TreeMap<Integer, ProbeShapes.ProbeUse> probeUsesInOrder = new TreeMap<>();

    private long lastThread = -1;
    private long firstStartNs = Long.MAX_VALUE;
    private long lastEndNs = Long.MIN_VALUE;
    private CaptureEnd end;
    private boolean isEnded;

    CaptureFirstPass(Capture capture, boolean isDescribed, long clockShiftNs, Window window, Intake intake) {
        this.capture = capture;
        this.isDescribed = isDescribed;
        this.clockShiftNs = clockShiftNs;
        this.window = window;
        this.intake = intake;
        this.boottimeOffsets = new BoottimeOffsets(capture.getMonotonicNs(), capture.getBoottimeNs());
        this.end = CaptureEnd.newBuilder()
                .setCaptureId(capture.getCaptureId())
                .setMonotonicNs(capture.getMonotonicNs())
                .setReason("")
                .setDelivered(0)
                .setLost(0)
                .build();
    }

    void event(EventView event) {
        lost.seen(event);
        Intake.Place place = intake.place(event);
        if (place == Intake.Place.OUTSIDE) {
            return;
        }
        firstStartNs = Math.min(firstStartNs, intake.startNs());
        lastEndNs = Math.max(lastEndNs, intake.endNs() == EventBatch.OPEN ? intake.startNs() : intake.endNs());
        noteProbe(event);
        if (event.kind() != EventKind.SWITCH && event.kind() != EventKind.WAKING) {
            noteThread(event); // the thread of those two may be untraced
        }
        if (place == Intake.Place.AHEAD) {
            ahead.add(event, intake.startNs(), intake.endNs());
        } else {
            intake.fillsBatch(event);
        }
    }

    private void noteThread(EventView event) {
        noteThread(ProcessTracks.key(event.pid(), event.tid()));
    }

    private void noteThread(long key) {
        if (key == lastThread) {
            return;
        }
        lastThread = key;
        if (seenThreads.get(key) == null) {
            seenThreads.put(key, key);
            seenThreadsInOrder.add(key);
        }
    }

    private void noteProbe(EventView event) {
        ProbeShapes.ProbeUse use = probeUses.get(event.probeId());
        if (use == null) {
            use = new ProbeShapes.ProbeUse();
            probeUses.put(event.probeId(), use);
            probeUsesInOrder.put(event.probeId(), use);
        }
        use.note(event);
    }

    void add(Probe probe) {
        probes.put(probe.getProbeId(), probe);
        lost.probe(probe);
    }

    void add(Process process) {
        processes.add(process);
    }

    void add(Thread thread) {
        threads.add(thread);
    }

    void addCallers(Stack stack) {
        callers.add(stack);
    }

    void add(Stack stack) {
        stacks.add(stack);
        callers.add(stack);
    }

    void add(Clock clock) {
        boottimeOffsets.add(clock);
    }

    /** Its thread may have no event: nothing that it did lasted long. */
    void add(HitSummary summary) {
        if (isSelected(summary.getFromNs(), summary.getToNs()) && window.hasProcess(summary.getPid())) {
            noteThread(ProcessTracks.key(summary.getPid(), summary.getTid()));
            extend(summary.getFromNs(), summary.getToNs());
        }
    }

    void add(Loss loss) {
        lost.loss(loss);
    }

    void add(Gap gap) {
        if (isSelected(gap.getFromNs(), gap.getToNs())) {
            extend(gap.getFromNs(), gap.getToNs());
            unwatched.add(gap, clockShiftNs);
        }
    }

    /** Everything was read: spans that a gap left without an end are known until it began. */
    void finish() throws IOException {
        unwatched.sort();
        ahead.sort();
        if (!unwatched.areAny()) {
            return;
        }
        EventView view = new EventView();
        for (; ahead.hasCurrent(); ahead.advance()) {
            if (ahead.endNs() == EventBatch.OPEN) {
                ahead.show(view);
                Probe probe = probes.get(view.probeId());
                long untilNs =
                        probe == null ? UnwatchedTimes.NONE : unwatched.nextStart(probe.getCategory(), ahead.startNs());
                ahead.setEnd(ahead.slot(), untilNs);
            }
        }
        ahead.rewind();
    }

    UnwatchedTimes unwatched() {
        return unwatched;
    }

    private boolean isSelected(long fromNs, long toNs) {
        return window.overlaps(fromNs + clockShiftNs, toNs + clockShiftNs);
    }

    /** What is in the window of something that lasts belongs to the trace. */
    private void extend(long fromNs, long toNs) {
        firstStartNs = Math.min(firstStartNs, window.clamp(fromNs + clockShiftNs));
        lastEndNs = Math.max(lastEndNs, window.clamp(toNs + clockShiftNs));
    }

    void setEnd(CaptureEnd end) {
        this.end = end;
        isEnded = true;
    }

    /** The names of the probes whose spans end where the next of their kind begins. */
    List<String> probesWithDerivedEnds() {
        return probes.values().stream()
                .filter(Probe::getIsEndDerived)
                .map(Probe::getName)
                .distinct()
                .toList();
    }

    /** Every probe that is described or used. */
    LongMap<ProbeShape> probeShapes(ProbeShapes shapes) {
        LongMap<ProbeShape> byId = new LongMap<>();
        probes.forEach((probeId, probe) -> byId.put(probeId, shapes.of(probe)));
        probeUsesInOrder.forEach((probeId, use) -> {
            if (!probes.containsKey(probeId)) {
                byId.put(probeId, shapes.standIn(probeId, use));
            }
        });
        return byId;
    }

    ProcessTracks tracks(CaptureTracks tracks, Window window, ProcessTracks.TrackNumbers numbers) {
        return ProcessTracks.of(tracks, processes, threads, seenThreadsInOrder, window, numbers);
    }

    Capture capture() {
        return capture;
    }

    boolean isDescribed() {
        return isDescribed;
    }

    long clockShiftNs() {
        return clockShiftNs;
    }

    /** {@link Long#MAX_VALUE} = it has no selected events. */
    long firstStartNs() {
        return firstStartNs;
    }

    long lastEndNs() {
        return lastEndNs;
    }

    CaptureRoles roles() {
        return new CaptureRoles(probes.values(), lost, unwatched.areAny());
    }

    /** The last selected moment that is recorded, on the capture's own clock. */
    long lastNs() {
        long endNs = end.getMonotonicNs();
        boolean isEndWanted = isEnded && window.overlaps(endNs + clockShiftNs, endNs + clockShiftNs);
        long lastEventNs = lastEndNs == Long.MIN_VALUE ? endNs : lastEndNs - clockShiftNs;
        return isEndWanted ? Math.max(endNs, lastEventNs) : lastEventNs;
    }

    CaptureEnd end() {
        return end;
    }

    boolean isEnded() {
        return isEnded;
    }

    Callers callers() {
        return callers;
    }

    StackTable stacks() {
        return stacks;
    }

    BoottimeOffsets boottimeOffsets() {
        return boottimeOffsets;
    }

    EventBatch ahead() {
        return ahead;
    }
}
