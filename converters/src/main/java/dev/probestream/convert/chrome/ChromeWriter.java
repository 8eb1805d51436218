package dev.probestream.convert.chrome;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.CpuSwitch;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.convert.timeline.ThreadState;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceEvent;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.convert.timeline.Waking;
import dev.probestream.schema.record.FlowStep;
import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumMap;
import java.util.Objects;

/**
 * Writes a timeline in Chrome's Trace Event Format.
 *
 * <p>Times are CLOCK_MONOTONIC in microseconds with three decimals, the clock and unit of Node's own trace files. Spans
 * are complete events (X); one that never ended lasts to the end of the trace; those that do not nest with their
 * thread's others are asynchronous (b, e), and so are HTTP requests. Context switches become slices of a process "CPUs", and of a track of states
 * beside each traced thread.
 */
public final class ChromeWriter implements TraceWriter {
    private static final byte[] DUR = JsonBuffer.ascii(",\"dur\":");
    private static final byte[] THREAD_SCOPE = JsonBuffer.ascii(",\"s\":\"t\"");
    private static final byte[] ID = JsonBuffer.ascii(",\"id\":");
    private static final byte[] FLOW = JsonBuffer.ascii("\"name\":\"flow\",\"cat\":\"flow\"");

    /** An id of its process; a plain one would be shared by all processes. */
    private static final byte[] LOCAL_ID = JsonBuffer.ascii(",\"id2\":{\"local\":");

    private static final byte[] BIND_ENCLOSING = JsonBuffer.ascii(",\"bp\":\"e\"");

    private final Timeline timeline;
    private final EventStream events;
    private final ChromeIds ids;
    private final Names names;
    private final CaptureEvents captureEvents;
    private final CpuSlices cpuSlices;
    private final ArgumentMembers arguments;
    private final ProbeMembers probes;

    /** {@code ,"pid":1,"tid":2} by thread. */
    private final byte[][] threadMembers;

    private final EnumMap<ThreadState, byte[]> stateMembers = new EnumMap<>(ThreadState.class);
    private long lastAsyncId;

    /** @param isMerged whether {@link #append} will be called: threads then have a track for our spans beside their own */
    public ChromeWriter(Timeline timeline, OutputStream out, boolean isMerged) {
        this.timeline = timeline;
        events = new EventStream(out);
        ids = new ChromeIds(timeline, isMerged);
        names = new Names(events, ids);
        captureEvents = new CaptureEvents(events, timeline);
        cpuSlices = new CpuSlices(events, names);
        arguments = new ArgumentMembers(events.buffer(), timeline);
        probes = new ProbeMembers(timeline);
        threadMembers = new byte[timeline.threadCount()][];
        for (ThreadState state : ThreadState.values()) {
            stateMembers.put(state, ProbeMembers.nameAndCategory(state.label(), "sched"));
        }
    }

    @Override
    public void start() throws IOException {
        captureEvents.start(names);
        for (CaptureTracks capture : timeline.captures()) {
            for (ProcessTrack process : capture.processes()) {
                int pid = ids.pid(process);
                String name = pid == process.pid() ? process.name() : process.name() + " (pid " + process.pid() + ")";
                names.process(pid, name, process.index());
                for (ThreadTrack thread : process.threads()) {
                    threadMembers[thread.index()] = JsonBuffer.ascii(",\"pid\":" + pid + ",\"tid\":" + ids.tid(thread));
                    names.thread(thread);
                }
            }
        }
    }

    @Override
    public void beginSpan(TraceEvent span) throws IOException {
        if (span.lane() == 0) {
            complete(span, span.endNs() - span.startNs());
        } else {
            asynchronous(span);
        }
    }

    /** A complete event contains its end. */
    @Override
    public void endSpan(ThreadTrack thread, int lane, long endNs) {}

    private void complete(TraceEvent event, long durationNs) throws IOException {
        JsonBuffer json = begin('X', event, event.startNs());
        json.raw(DUR);
        json.microseconds(durationNs);
        arguments.put(event);
        events.end();
        for (int i = 0; i < event.flowCount(); i++) {
            flow(event, event.flowNumber(i), event.flowStep(i));
        }
    }

    private void flow(TraceEvent event, long number, FlowStep step) throws IOException {
        char phase = switch (step) {
            case NONE, START -> 's';
            case STEP -> 't';
            case END -> 'f';
        };
        JsonBuffer json = events.begin(phase, FLOW, event.startNs());
        json.raw(threadMembers[event.thread().index()]);
        json.raw(ID);
        json.number(number);
        json.raw(BIND_ENCLOSING);
        events.end();
    }

    private void asynchronous(TraceEvent event) throws IOException {
        long id = ++lastAsyncId;
        JsonBuffer json = begin('b', event, event.startNs());
        putLocalId(json, id);
        arguments.put(event);
        events.end();
        begin('e', event, event.endNs());
        putLocalId(json, id);
        events.end();
    }

    @Override
    public void request(RequestSpan request) throws IOException {
        // The format has no tracks of processes that could separate the server's requests from the client's.
        String categories = request.category() + "," + request.trackName();
        byte[] nameAndCategory = ProbeMembers.nameAndCategory(request.name(), categories);
        long id = ++lastAsyncId;
        JsonBuffer json = begin('b', nameAndCategory, request.thread(), request.startNs());
        putLocalId(json, id);
        arguments.put(request);
        events.end();
        begin('e', nameAndCategory, request.thread(), request.endNs());
        putLocalId(json, id);
        events.end();
    }

    @Override
    public void derived(TraceWriter.DerivedCounter counter, long atNs, long value) throws IOException {
        JsonBuffer json =
                begin('C', ProbeMembers.nameAndCategory(counter.name(), counter.category()), counter.thread(), atNs);
        json.raw(ProbeMembers.counterArgs(counter.unit()));
        json.number(value);
        json.raw('}');
        events.end();
    }

    private static void putLocalId(JsonBuffer json, long id) {
        json.raw(LOCAL_ID);
        json.hexText(id);
        json.raw('}');
    }

    @Override
    public void instant(TraceEvent instant) throws IOException {
        if (instant.flowCount() > 0) {
            complete(instant, 0); // arrows need a slice
            return;
        }
        JsonBuffer json = begin('i', instant, instant.startNs());
        json.raw(THREAD_SCOPE);
        arguments.put(instant);
        events.end();
    }

    private JsonBuffer begin(char phase, TraceEvent event, long timestampNs) {
        return begin(phase, probes.nameAndCategory(event.probe()), event.thread(), timestampNs);
    }

    private JsonBuffer begin(char phase, byte[] nameAndCategory, ThreadTrack thread, long timestampNs) {
        JsonBuffer json = events.begin(phase, nameAndCategory, timestampNs);
        json.raw(threadMembers[thread.index()]);
        return json;
    }

    @Override
    public void counter(TraceEvent counter) throws IOException {
        ProbeShape probe = counter.probe();
        for (int i = 0; i < probe.argumentCount(); i++) {
            if (counter.hasNumber(i)) {
                ArgumentShape argument = probe.argument(i);
                JsonBuffer json = events.begin('C', probes.counterName(probe, argument), counter.startNs());
                json.raw(threadMembers[counter.thread().index()]);
                json.raw(probes.counterArgs(argument));
                putCounterValue(json, argument, counter.number(i));
                json.raw('}');
                events.end();
            }
        }
    }

    private static void putCounterValue(JsonBuffer json, ArgumentShape argument, long value) {
        if (argument.isUnsigned() && value < 0) {
            json.raw(JsonBuffer.ascii(Double.toString((value >>> 1) * 2.0)));
        } else {
            json.number(value);
        }
    }

    @Override
    public void cpuSwitch(CpuSwitch cpuSwitch) throws IOException {
        cpuSlices.switched(cpuSwitch);
    }

    /** Wakings show in the states they lead to. */
    @Override
    public void waking(Waking waking) {}

    @Override
    public void threadState(ThreadTrack thread, ThreadState state, long fromNs, long toNs) throws IOException {
        names.stateTrack(thread);
        JsonBuffer json = events.begin('X', Objects.requireNonNull(stateMembers.get(state)), fromNs);
        json.raw(DUR);
        json.microseconds(toNs - fromNs);
        events.process(ids.pid(thread.process()));
        events.thread(ChromeIds.stateTid(thread));
        events.end();
    }

    /** The format has no place for other clocks than its own. */
    @Override
    public void clocks(long monotonicNs, long boottimeNs, long realtimeNs) {}

    @Override
    public void loss(TraceWriter.LossMark loss) throws IOException {
        captureEvents.loss(loss);
    }

    @Override
    public void gap(TraceWriter.GapMark gap) throws IOException {
        ProcessTrack process = gap.process();
        captureEvents.gap(gap, process == null ? ChromeIds.CAPTURE_PID : ids.pid(process), ++lastAsyncId);
    }

    @Override
    public void captureCounter(String name, String unit, long atNs, double value) throws IOException {
        captureEvents.counter(name, unit, atNs, value);
    }

    /**
     * Adds an event of a merged file, between {@link #start} and {@link #finish}.
     *
     * @param event a JSON object in UTF-8, with "ts" in the same time as ours
     */
    public void append(byte[] event) throws IOException {
        events.append(event);
    }

    @Override
    public void finish() throws IOException {
        events.finish(captureEvents.otherData());
    }
}
