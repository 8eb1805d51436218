package dev.probestream.convert.timeline;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.request.origin.Callers;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One capture of a timeline: where and when it was taken, and who was seen in it. */
public final class CaptureTracks {
    private final int index;
    private final Capture capture;
    private final CaptureEnd end;
    private final boolean isDescribed;
    private final boolean isEnded;
    private final boolean isFirstMachine;
    private final String label;
    private final long clockShiftNs;
    private final StackTable stacks;
    private final Callers callers;
    private final BoottimeOffsets boottimeOffsets;
    private final LongMap<ProbeShape> probes;
    private final CaptureRoles roles;
    private final EventBatch ahead;
    private final long lastNs;
    private final List<String> probesWithDerivedEnds;
    private final UnwatchedTimes unwatched;

    private List<ProcessTrack> processes = List.of();
    private LongMap<ThreadTrack[]> threads = new LongMap<>();
    private LongMap<ThreadTrack[]> threadsByTid = new LongMap<>();
    private final LongMap<ProcessTrack> tracedPids = new LongMap<>();

    CaptureTracks(
            int index, CaptureFirstPass firstPass, boolean isFirstMachine, String label, LongMap<ProbeShape> probes) {
        this.index = index;
        this.capture = firstPass.capture();
        this.isDescribed = firstPass.isDescribed();
        this.end = firstPass.end();
        this.isEnded = firstPass.isEnded();
        this.isFirstMachine = isFirstMachine;
        this.label = label;
        this.clockShiftNs = firstPass.clockShiftNs();
        this.stacks = firstPass.stacks();
        this.callers = firstPass.callers();
        this.boottimeOffsets = firstPass.boottimeOffsets();
        this.ahead = firstPass.ahead();
        this.probes = probes;
        this.roles = firstPass.roles();
        this.lastNs = firstPass.lastNs();
        this.probesWithDerivedEnds = firstPass.probesWithDerivedEnds();
        this.unwatched = firstPass.unwatched();
    }

    void setTracks(ProcessTracks tracks) {
        processes = tracks.processes();
        threads = tracks.threads();
        threadsByTid = tracks.threadsByTid();
        processes.forEach(process -> tracedPids.put(process.pid(), process));
    }

    /** Where and when it was taken. Stand-ins if there is no Capture record, see {@link #isDescribed}. */
    public Capture capture() {
        return capture;
    }

    /** Counts the captures from 0. */
    public int index() {
        return index;
    }

    /** Whether the recording holds the Capture record. */
    public boolean isDescribed() {
        return isDescribed;
    }

    /** How it ended; empty if it was cut off. */
    public Optional<CaptureEnd> end() {
        return isEnded ? Optional.of(end) : Optional.empty();
    }

    /** The suffix of its processes' names among other captures: "" for the only one, else e.g. " @hostname". */
    public String label() {
        return label;
    }

    /** Whether it is of the machine (and boot) of the trace's first capture: only those share a scheduler. */
    public boolean isFirstMachine() {
        return isFirstMachine;
    }

    /** By pid, then by start; those that the recording does not describe come last. */
    public List<ProcessTrack> processes() {
        return processes;
    }

    /** Which code asked, by the stacks. */
    public Callers callers() {
        return callers;
    }

    public StackTable stacks() {
        return stacks;
    }

    /** From this capture's CLOCK_MONOTONIC to the trace's. */
    public long traceNs(long monotonicNs) {
        return monotonicNs + clockShiftNs;
    }

    /** How far CLOCK_BOOTTIME was ahead of CLOCK_MONOTONIC then. */
    public long boottimeOffsetNs(long monotonicNs) {
        return boottimeOffsets.at(monotonicNs);
    }

    public long clockShiftNs() {
        return clockShiftNs;
    }

    /** Spans the second pass must know before it meets them, in order. */
    public EventBatch ahead() {
        return ahead;
    }

    public CaptureRoles roles() {
        return roles;
    }

    /** The last selected moment of it that is recorded, on its own clock. */
    public long lastNs() {
        return lastNs;
    }

    public ProbeShape probe(int probeId) throws RecordingChangedException {
        ProbeShape probe = probes.get(probeId);
        if (probe == null) {
            throw new RecordingChangedException("probe " + probeId);
        }
        return probe;
    }

    /** The names of the probes whose spans end where the thread begins the next thing, not at a return. */
    public List<String> probesWithDerivedEnds() {
        return probesWithDerivedEnds;
    }

    /** When probes of it were not watched. */
    public UnwatchedTimes unwatched() {
        return unwatched;
    }

    /** Of any id: losses may name probes that no event has. */
    public String probeName(int probeId) {
        ProbeShape probe = probes.get(probeId);
        return probe == null ? "probe " + probeId : probe.name();
    }

    /** The set of any id's probe; "unknown" if the recording does not describe it. */
    public String probeCategory(int probeId) {
        ProbeShape probe = probes.get(probeId);
        return probe == null || probe.isStandIn() ? "unknown" : probe.category();
    }

    public ThreadTrack thread(int pid, int tid, long atNs) throws RecordingChangedException {
        ThreadTrack[] incarnations = threads.get(ProcessTracks.key(pid, tid));
        if (incarnations == null) {
            throw new RecordingChangedException("thread " + tid + " of process " + pid);
        }
        return aliveAt(incarnations, atNs);
    }

    /** The traced thread of that id; null if it is untraced. */
    @Nullable
    public ThreadTrack tracedThread(int tid, long atNs) {
        ThreadTrack[] incarnations = threadsByTid.get(tid);
        return incarnations == null ? null : aliveAt(incarnations, atNs);
    }

    public boolean isTraced(int pid) {
        return tracedPids.get(pid) != null;
    }

    /** The last one that had started by then; the first one if none had. */
    private static ThreadTrack aliveAt(ThreadTrack[] incarnations, long atNs) {
        int at = incarnations.length - 1;
        while (at > 0 && incarnations[at].startNs() > atNs) {
            at--;
        }
        return incarnations[at];
    }
}
