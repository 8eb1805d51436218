package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.CpuClocks;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.RawTracepoints;
import dev.probestream.bpf.kernel.Tracepoints;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.FunctionsInC;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.TracepointFinder;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A whole capture in small, without a collector: plans, loads, attaches, reads and decodes. Probe ids count from 1 in
 * the order in which probes were added. Events are read back from their encoding.
 */
@SuppressWarnings("NullAway.Init") // start() sets the rest
final class TestCapture implements AutoCloseable {
    static final long CAPTURE_ID = 99;

    final List<Event> events = new ArrayList<>();
    final List<Probe> probes = new ArrayList<>();
    final List<Loss> losses = new ArrayList<>();
    final List<HitSummary> summaries = new ArrayList<>();
    final List<String> lifecycle = new ArrayList<>();
    final List<List<Long>> stacks = new ArrayList<>();
    /** Of each stack the words of its JavaScript frames, three for each. */
    final List<List<Long>> javaScript = new ArrayList<>();

    private final ProgramOptions options;
    private final UprobeAttachMethod means;
    private final List<ResolvedProbe> resolved = new ArrayList<>();
    private final Map<Integer, AttachPoint> sites = new HashMap<>();
    private BpfObjects objects;
    private Map<String, BpfMap> maps = Map.of();
    private final List<BpfProgram> programs = new ArrayList<>();
    private final Deque<Link> links = new ArrayDeque<>();
    private int nextId = 1;
    private ProgramPlan plan;
    private RingBuffer ring;
    private EventDecoder decoder;
    private LossCounter lossCounter;
    private SummedHits sums;

    TestCapture(ProgramOptions options, UprobeAttachMethod means) {
        this.options = options;
        this.means = means;
    }

    /** Options for one process of this machine, by the best means. */
    static ProgramOptions options(TargetFilter filter) throws Exception {
        return ProgramOptions.of(RegisterTable.X86_64, filter)
                .withTasks(TaskOffsets.of(BtfFile.ofKernel()))
                .withSockets();
    }

    static TestCapture of(int pid) throws Exception {
        return new TestCapture(options(TargetFilter.process(pid)), UprobeAttachMethod.MULTI);
    }

    /** Adds a probe in a user function; -1 = none. */
    int add(String spec, Path file, long fileOffset) throws Exception {
        return add(SpecParser.parse(spec), file, fileOffset);
    }

    int add(String spec, CProgram program, String function) throws Exception {
        return add(spec, program.executable(), program.functionOffset(function));
    }

    int add(ProbeSpec parsed, Path file, long fileOffset) throws Exception {
        int id = nextId;
        nextId += parsed.idCount();
        boolean isTracepoint = parsed.kind() == ProbeKind.TRACEPOINT;
        resolved.add(ResolvedProbe.of(
                id,
                parsed,
                isTracepoint
                        ? Optional.of(TracepointFinder.open().formats(parsed).get(0))
                        : Optional.empty()));
        if (fileOffset >= 0) {
            sites.put(id, new AttachPoint(file, fileOffset, 0, means.hasCookies() ? id : 0));
        }
        return id;
    }

    /** Adds a probe in the kernel. */
    int add(String spec) throws Exception {
        return add(spec, Path.of("/"), -1);
    }

    TestCapture start() {
        load();
        attach();
        open();
        return this;
    }

    /** Opens the window before the programs are attached, so that what every run of theirs sees is recorded or lost. */
    TestCapture startInOpenWindow() {
        load();
        open();
        attach();
        return this;
    }

    private void load() {
        plan = ProgramPlanner.plan(resolved, options);
        objects = FunctionsInC.link(plan).load();
        maps = objects.maps();
        ring = RingBuffer.map(map(MapNames.EVENTS));
        lossCounter = new LossCounter(CAPTURE_ID, map(MapNames.LOSSES));
        sums = new SummedHits(CAPTURE_ID, plan, maps);
        SyscallTable syscallTable = SyscallTable.of(options.registers());
        plan.syscalls().ifPresent(syscalls -> {
            for (int nr = 0; nr < SyscallProbes.COUNT; nr++) {
                putInt(
                        MapNames.SYSCALL_TEXTS,
                        nr,
                        syscallTable.signature(nr).texts().encode(syscalls.layout()));
            }
        });
        decoder = new EventDecoder(
                CAPTURE_ID,
                plan,
                syscallTable,
                new Consumer(),
                (timestampNs, tgid, sample, kernelOffset, kernelBytes, userOffset, userBytes, javaScriptOffset) ->
                        stack(sample, kernelOffset, kernelBytes, userOffset, userBytes, javaScriptOffset),
                new Life(),
                Disclosure.NONE,
                lossCounter::hasLostHits);
        for (PlannedProgram planned : plan.programs()) {
            BpfProgram program = objects.program(planned.program().name());
            programs.add(program);
            lossCounter.addProgram(planned, program);
        }
    }

    private void attach() {
        for (int i = 0; i < programs.size(); i++) {
            links.push(attach(plan.programs().get(i), programs.get(i)));
        }
    }

    private void open() {
        lossCounter.begin(ClockReading.monotonicNowNs());
        sums.begin(ClockReading.monotonicNowNs());
        putInt(MapNames.WINDOW, 0, 1);
    }

    private Link attach(PlannedProgram planned, BpfProgram program) {
        List<AttachPoint> wanted = planned.probeIds().stream()
                .map(sites::get)
                .filter(site -> site != null)
                .toList();
        int pid = options.filter().mode() == TargetFilter.Mode.ONE_PROCESS
                ? options.filter().pid()
                : Uprobes.EVERY_PROCESS;
        return switch (planned.attachment().kind()) {
            case USER_ENTRY -> Uprobes.attach(means, program, wanted, false, pid);
            case USER_RETURN -> Uprobes.attach(means, program, wanted, true, pid);
            case RAW_TRACEPOINT ->
                RawTracepoints.attach(program, planned.attachment().tracepoint());
            case CPU_CLOCK -> CpuClocks.attach(program, planned.attachment().frequencyHz());
            case TRACEPOINT -> Tracepoints.attach(program, planned.attachment().tracepointId());
        };
    }

    /** How often the program of a probe ran; the kernel counts while there are {@code RunStatistics}. */
    long runs(int probeId) {
        return plan.programs().stream()
                .filter(planned -> planned.probeIds().equals(List.of(probeId)))
                .mapToLong(planned ->
                        programs.get(plan.programs().indexOf(planned)).runs().count())
                .sum();
    }

    void putInt(String map, int key, int value) {
        map(map).update(
                        BpfMap.key(key),
                        ByteBuffer.allocate(Integer.BYTES)
                                .order(ByteOrder.nativeOrder())
                                .putInt(0, value));
    }

    BpfMap map(String name) {
        BpfMap map = maps.get(name);
        if (map == null) {
            throw new IllegalArgumentException("no map " + name + " in " + maps.keySet());
        }
        return map;
    }

    /** Reads what waits in the ring. */
    TestCapture drain() {
        ring.poll(decoder, Integer.MAX_VALUE);
        return this;
    }

    /** Ends an interval of the sums. */
    TestCapture readSums() {
        for (HitSummary summary : sums.take(ClockReading.monotonicNowNs())) {
            decoder.summed(summary.getProbeId());
            summaries.add(summary);
        }
        return this;
    }

    /** Detaches, reads what is left, open spans and losses. */
    TestCapture stop() {
        links.forEach(Link::close);
        links.clear();
        drain();
        long nowNs = ClockReading.monotonicNowNs();
        new OpenSpanReader(decoder, lossCounter).read(plan.pairingMaps(), maps, nowNs);
        losses.addAll(lossCounter.take(() -> nowNs, countedNs -> OptionalLong.empty()));
        return readSums();
    }

    List<Event> eventsOf(int probeId) {
        return events.stream().filter(event -> event.getProbeId() == probeId).toList();
    }

    List<Event> eventsOf(int probeId, EventKind kind) {
        return eventsOf(probeId).stream()
                .filter(event -> event.getKind() == kind)
                .toList();
    }

    long lost(int probeId, LossReason reason) {
        return losses.stream()
                .filter(loss -> loss.getProbeId() == probeId && loss.getReason() == reason)
                .mapToLong(Loss::getCount)
                .sum();
    }

    long lost(int probeId) {
        return losses.stream()
                .filter(loss -> loss.getProbeId() == probeId)
                .mapToLong(Loss::getCount)
                .sum();
    }

    /** The probe of a system call that was seen. */
    Probe probeNamed(String name) {
        return probes.stream()
                .filter(probe -> probe.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private long stack(
            ByteBuffer buffer, int kernelOffset, int kernelBytes, int userOffset, int userBytes, int javaScriptOffset) {
        List<Long> words = new ArrayList<>();
        int wordCount = javaScriptOffset < 0 ? 0 : 3 * JavaScriptRoom.count(buffer, javaScriptOffset);
        for (int i = 0; i < wordCount; i++) {
            words.add(JavaScriptRoom.word(buffer, javaScriptOffset, i));
        }
        javaScript.add(words);
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < kernelBytes; i += Long.BYTES) {
            addresses.add(buffer.getLong(kernelOffset + i));
        }
        for (int i = 0; i < userBytes; i += Long.BYTES) {
            addresses.add(buffer.getLong(userOffset + i));
        }
        stacks.add(addresses);
        return stacks.size();
    }

    @Override
    public void close() {
        links.forEach(Link::close);
        if (ring != null) {
            ring.close();
        }
        if (objects != null) {
            objects.close();
        }
    }

    private final class Consumer implements EventDecoder.Consumer {
        private final EventView view = new EventView();

        @Override
        public void event(EventEncoder event) {
            int end = event.offset() + event.length();
            try {
                assertThat(view.wrap(event.bytes(), event.offset(), end)).isEqualTo(end);
            } catch (MalformedEventException e) {
                throw new AssertionError("an event that cannot be read back", e);
            }
            List<Long> numbers = new ArrayList<>();
            for (int i = 0; i < view.numberCount(); i++) {
                numbers.add(view.number(i));
            }
            List<String> strings = new ArrayList<>();
            for (int i = 0; i < view.stringCount(); i++) {
                strings.add(view.string(i));
            }
            events.add(new Event(
                    view.captureId(),
                    view.sequence(),
                    view.timestampNs(),
                    view.durationNs(),
                    view.pid(),
                    view.tid(),
                    view.cpu(),
                    view.probeId(),
                    view.kind(),
                    numbers,
                    strings,
                    view.returnValue(),
                    view.stackId(),
                    view.unavailable()));
        }

        @Override
        public void probe(Probe probe) {
            probes.add(probe);
        }

        @Override
        public void announced(String name, long atNs) {}
    }

    private final class Life implements TaskLifecycleListener {
        @Override
        public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {
            lifecycle.add("forked " + parentTgid + " " + parentTid + " -> " + tgid + " " + tid + " " + comm);
        }

        @Override
        public void executed(long timestampNs, int tgid, int userId, String comm) {
            lifecycle.add("executed " + tgid + " " + comm);
        }

        @Override
        public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {
            lifecycle.add("exited " + tgid + " " + tid + (isProcessEnd ? " process " + waitStatus : ""));
        }

        @Override
        public void renamed(long timestampNs, int tgid, int tid, String comm) {
            lifecycle.add("renamed " + tgid + " " + tid + " " + comm);
        }
    }
}
