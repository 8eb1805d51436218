package dev.probestream.convert;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.ProbeCost;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;

/** Writes a small recording: one call a record, times in nanoseconds of CLOCK_MONOTONIC. */
final class TestRecording implements AutoCloseable {
    /** When {@link #capture} says the capture started. */
    static final long START_NS = 1_000_000_000L;

    private final Path file;
    private final RecordingWriter writer;
    private final EventEncoder encoder = new EventEncoder();
    private long captureId = 7;
    private long sequence;

    private String role = "";
    private boolean isEndDerived;
    private EventKind kind = EventKind.INSTANT;
    private int probeId;
    private int pid = 100;
    private int tid = 100;
    private int cpu;
    private long timestampNs;
    private long durationNs = -1;
    private long[] numbers = {};
    private String[] strings = {};
    private long returnValue;
    private long stackId;
    private long unavailable;

    private TestRecording(Path file) throws RecordingException {
        this.file = file;
        this.writer = RecordingWriter.create(file);
    }

    static TestRecording at(Path file) throws RecordingException {
        return new TestRecording(file);
    }

    Path file() {
        return file;
    }

    TestRecording capture() throws RecordingException {
        return capture(7, "host-a", "boot-a", START_NS, 1_700_000_000_000_000_000L);
    }

    /** From here on everything belongs to that capture. */
    TestRecording capture(long id, String host, String bootId, long monotonicNs, long realtimeNs)
            throws RecordingException {
        inCapture(id);
        writer.append(Capture.newBuilder()
                .setCaptureId(id)
                .setHost(host)
                .setBootId(bootId)
                .setKernelName("Linux")
                .setKernelRelease("6.18.0")
                .setKernelVersion("#1 SMP")
                .setMachine("x86_64")
                .setCpuCount(2)
                .setToolVersion("0.1.0")
                .setCommand(List.of("probestream", "record", "-o", "x.avro"))
                .setMonotonicNs(monotonicNs)
                .setRealtimeNs(realtimeNs)
                .setBoottimeNs(monotonicNs + 500)
                .build());
        return this;
    }

    TestRecording inCapture(long id) {
        captureId = id;
        return this;
    }

    static Argument argument(String name, String type, String unit) {
        return argument(name, type, unit, FlowStep.NONE, Map.of());
    }

    static Argument argument(String name, String type, String unit, FlowStep flow, Map<String, String> labels) {
        return Argument.newBuilder()
                .setName(name)
                .setType(type)
                .setUnit(unit)
                .setFlow(flow)
                .setLabels(labels)
                .build();
    }

    TestRecording probe(int id, String name, String category, EventKind kind, Argument... arguments)
            throws RecordingException {
        return probe(id, name, category, kind, "", "", arguments);
    }

    /** The probe that is described next has it. */
    TestRecording withRole(Role role) {
        this.role = role.spelling();
        return this;
    }

    /** The spans of the probe that is described next end where the next phase begins. */
    TestRecording withDerivedEnd() {
        isEndDerived = true;
        return this;
    }

    TestRecording probe(
            int id,
            String name,
            String category,
            EventKind kind,
            String returnType,
            String returnUnit,
            Argument... arguments)
            throws RecordingException {
        writer.append(Probe.newBuilder()
                .setCaptureId(captureId)
                .setProbeId(id)
                .setSpec("span:/usr/bin/node:" + name)
                .setName(name)
                .setCategory(category)
                .setKind(kind)
                .setModule("/usr/bin/node")
                .setArguments(List.of(arguments))
                .setReturnType(returnType)
                .setReturnUnit(returnUnit)
                .setRole(role)
                .setIsEndDerived(isEndDerived)
                .build());
        role = "";
        isEndDerived = false;
        return this;
    }

    TestRecording process(int pid, String name, long startNs, String... commandLine) throws RecordingException {
        writer.append(Process.newBuilder()
                .setCaptureId(captureId)
                .setPid(pid)
                .setParentPid(1)
                .setUid(1000)
                .setName(name)
                .setExecutable("/usr/bin/" + name)
                .setCommandLine(List.of(commandLine))
                .setStartNs(startNs)
                .setEndNs(-1)
                .build());
        return this;
    }

    TestRecording thread(int pid, int tid, String name) throws RecordingException {
        return thread(pid, tid, name, -1);
    }

    TestRecording thread(int pid, int tid, String name, long startNs) throws RecordingException {
        writer.append(Thread.newBuilder()
                .setCaptureId(captureId)
                .setPid(pid)
                .setTid(tid)
                .setName(name)
                .setStartNs(startNs)
                .setEndNs(-1)
                .build());
        return this;
    }

    TestRecording stack(long id, Frame... frames) throws RecordingException {
        writer.append(Stack.newBuilder()
                .setCaptureId(captureId)
                .setStackId(id)
                .setFrames(List.of(frames))
                .build());
        return this;
    }

    /** Any record that is no event. */
    TestRecording record(SpecificRecord record) throws RecordingException {
        writer.append(record);
        return this;
    }

    TestRecording clock(long monotonicNs, long boottimeNs, long realtimeNs) throws RecordingException {
        writer.append(Clock.newBuilder()
                .setCaptureId(captureId)
                .setMonotonicNs(monotonicNs)
                .setBoottimeNs(boottimeNs)
                .setRealtimeNs(realtimeNs)
                .build());
        return this;
    }

    TestRecording loss(int probeId, int cpu, long fromNs, long toNs, long count) throws RecordingException {
        writer.append(Loss.newBuilder()
                .setCaptureId(captureId)
                .setProbeId(probeId)
                .setCpu(cpu)
                .setFromNs(fromNs)
                .setToNs(toNs)
                .setCount(count)
                .setReason(LossReason.RING_FULL)
                .build());
        return this;
    }

    /** Of the thread whose events follow. */
    TestRecording hitSummary(
            int probeId, long fromNs, long toNs, long count, long failed, long totalNs, long maxNs, Long... durations)
            throws RecordingException {
        writer.append(HitSummary.newBuilder()
                .setCaptureId(captureId)
                .setProbeId(probeId)
                .setPid(pid)
                .setTid(tid)
                .setFromNs(fromNs)
                .setToNs(toNs)
                .setCount(count)
                .setFailed(failed)
                .setTotalNs(totalNs)
                .setMaxNs(maxNs)
                .setDurations(List.of(durations))
                .build());
        return this;
    }

    /** @param probeId 0 = all probes of the category */
    TestRecording gap(String category, int probeId, long fromNs, long toNs, GapReason reason)
            throws RecordingException {
        writer.append(Gap.newBuilder()
                .setCaptureId(captureId)
                .setCategory(category)
                .setProbeId(probeId)
                .setFromNs(fromNs)
                .setToNs(toNs)
                .setReason(reason)
                .build());
        return this;
    }

    TestRecording cost(long fromNs, long toNs, long targetCpuNs, ProbeCost... probes) throws RecordingException {
        writer.append(Cost.newBuilder()
                .setCaptureId(captureId)
                .setFromNs(fromNs)
                .setToNs(toNs)
                .setTargetCpuNs(targetCpuNs)
                .setProbes(List.of(probes))
                .build());
        return this;
    }

    TestRecording end(long monotonicNs, long lost) throws RecordingException {
        writer.append(CaptureEnd.newBuilder()
                .setCaptureId(captureId)
                .setMonotonicNs(monotonicNs)
                .setReason("the time was over")
                .setDelivered(sequence)
                .setLost(lost)
                .build());
        return this;
    }

    // ---- Events: on(...) and with...(...) say what the next one has, then it is written. ----

    /** Whose events follow. */
    TestRecording on(int pid, int tid) {
        this.pid = pid;
        this.tid = tid;
        return this;
    }

    TestRecording onCpu(int cpu) {
        this.cpu = cpu;
        return this;
    }

    TestRecording withNumbers(long... numbers) {
        this.numbers = numbers;
        return this;
    }

    TestRecording withStrings(String... strings) {
        this.strings = strings;
        return this;
    }

    TestRecording withReturn(long value) {
        this.returnValue = value;
        return this;
    }

    TestRecording withStack(long stackId) {
        this.stackId = stackId;
        return this;
    }

    TestRecording withUnavailable(long bits) {
        this.unavailable = bits;
        return this;
    }

    TestRecording span(int probeId, long startNs, long endNs) throws RecordingException {
        return event(EventKind.SPAN, probeId, startNs, endNs - startNs);
    }

    TestRecording openSpan(int probeId, long startNs) throws RecordingException {
        return event(EventKind.OPEN_SPAN, probeId, startNs, -1);
    }

    TestRecording instant(int probeId, long atNs) throws RecordingException {
        return event(EventKind.INSTANT, probeId, atNs, -1);
    }

    TestRecording counter(int probeId, long atNs, long... values) throws RecordingException {
        return withNumbers(values).event(EventKind.COUNTER, probeId, atNs, -1);
    }

    /** A context switch; pids are taken to be tids rounded down to the hundred. */
    TestRecording cpuSwitch(
            int probeId, long atNs, int prevTid, long prevState, String prevComm, int nextTid, String nextComm)
            throws RecordingException {
        int pidBefore = pid;
        int tidBefore = tid;
        on(pidOf(prevTid), prevTid);
        withNumbers(prevTid, pid, 120, prevState, nextTid, pidOf(nextTid), 120).withStrings(prevComm, nextComm);
        event(EventKind.SWITCH, probeId, atNs, -1);
        return on(pidBefore, tidBefore);
    }

    TestRecording waking(int probeId, long atNs, int tid, String comm, int targetCpu) throws RecordingException {
        withNumbers(tid, pidOf(tid), 120, targetCpu).withStrings(comm);
        return event(EventKind.WAKING, probeId, atNs, -1);
    }

    private static int pidOf(int tid) {
        return tid / 100 * 100;
    }

    TestRecording event(EventKind kind, int probeId, long timestampNs, long durationNs) throws RecordingException {
        this.kind = kind;
        this.probeId = probeId;
        this.timestampNs = timestampNs;
        this.durationNs = durationNs;
        encode();
        writer.append(encoder);
        numbers = new long[0];
        strings = new String[0];
        returnValue = 0;
        stackId = 0;
        unavailable = 0;
        return this;
    }

    private void encode() {
        encoder.begin(captureId, sequence++, timestampNs, durationNs, pid, tid, cpu, probeId, kind);
        encoder.beginNumbers(numbers.length);
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(strings.length);
        for (String string : strings) {
            encoder.string(string);
        }
        encoder.end(returnValue, stackId, unavailable);
    }

    @Override
    public void close() throws RecordingException {
        writer.close();
    }
}
