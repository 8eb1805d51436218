package dev.probestream.collector.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.program.PlannedProgram.Attachment;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes a {@link ProgramPlan} of probes: one use, one plan. */
public final class ProgramPlanner {
    /** What a map of open spans may take of the kernel's memory. */
    private static final long MAX_PAIRING_BYTES = 32L << 20;

    private static final int MIN_OPEN_SPANS = 256;

    /** An instruction reaches 32 KiB behind a register. */
    private static final int MAX_SAMPLE_BYTES = 30_000;

    private static final int MAX_TARGETS = 16_384;
    private static final int MAX_THREADS_IN_SYSCALLS = 32_768;

    private final ProgramOptions options;
    private final FunctionPrograms functions;
    private final List<MapSpec> maps = new ArrayList<>();
    private final List<PlannedProgram> programs = new ArrayList<>();
    private final List<PlannedProbe> probes = new ArrayList<>();
    private final List<PairingMap> pairingMaps = new ArrayList<>();
    private Optional<PlannedSyscalls> syscalls = Optional.empty();
    private int zeroSizeBytes;

    private ProgramPlanner(ProgramOptions options) {
        this.options = options;
        this.functions = new FunctionPrograms(options);
    }

    /**
     * Plans a capture. Probes of user functions that record alike share a program when links can carry cookies. Programs
     * that tell of processes and threads are added when the layout of task_struct is known.
     *
     * @throws ProbeArgumentException when a probe asks for an argument that is not there
     * @throws IllegalArgumentException when sched is asked for without the layout of task_struct
     */
    public static ProgramPlan plan(List<NumberedProbe> numbered, ProgramOptions options) {
        return new ProgramPlanner(options).plan(numbered);
    }

    private ProgramPlan plan(List<NumberedProbe> numbered) {
        options.tasks().ifPresent(this::life);
        functionGroups(numbered).values().forEach(this::function);
        for (NumberedProbe probe : numbered) {
            switch (probe.spec().kind()) {
                case UPROBE, URETPROBE, SPAN -> {}
                case TRACEPOINT -> tracepoint(probe);
                case RAWTRACEPOINT -> rawTracepoint(probe);
                case SYSCALLS -> syscalls(probe);
                case SCHED -> sched(probe);
            }
        }
        sharedMaps(maxProbeId(numbered));
        probes.sort(Comparator.comparingInt(PlannedProbe::probeId));
        return new ProgramPlan(maps, programs, probes, syscalls, pairingMaps);
    }

    private static int maxProbeId(List<NumberedProbe> numbered) {
        return numbered.stream()
                .mapToInt(probe ->
                        probe.probeId() + NumberedProbe.idCount(probe.spec().kind()) - 1)
                .max()
                .orElse(0);
    }

    private void sharedMaps(int maxProbeId) {
        maps.add(MapSpec.ringBuffer(MapNames.EVENTS, options.ringSizeBytes()));
        maps.add(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(maxProbeId)));
        if (options.filter().needsTargets()) {
            maps.add(MapSpec.hash(MapNames.TARGETS, Integer.BYTES, Integer.BYTES, MAX_TARGETS));
        }
        if (zeroSizeBytes > 0) {
            maps.add(MapSpec.array(MapNames.ZERO, zeroSizeBytes, 1));
        }
    }

    /** Probes that one program can serve, in the order of the first of each. */
    private Map<List<Object>, List<NumberedProbe>> functionGroups(List<NumberedProbe> numbered) {
        Map<List<Object>, List<NumberedProbe>> groups = new LinkedHashMap<>();
        for (NumberedProbe probe : numbered) {
            ProbeSpec spec = probe.spec();
            if (spec.kind().isUserFunction()) {
                List<Object> recordsAlike = List.of(
                        spec.kind(),
                        spec.arguments().stream().map(ProgramPlanner::shape).toList(),
                        spec.result().map(result -> result.type()),
                        spec.condition(),
                        spec.stack(),
                        options.cookies() ? 0 : probe.probeId());
                groups.computeIfAbsent(recordsAlike, key -> new ArrayList<>()).add(probe);
            }
        }
        return groups;
    }

    /** The argument without what only a reader sees. */
    private static ArgumentSpec shape(ArgumentSpec argument) {
        return new ArgumentSpec(
                "",
                argument.source(),
                argument.addend(),
                argument.dereferenceOffsetBytes(),
                argument.type(),
                argument.atReturn(),
                "",
                FlowStep.NONE,
                Map.of());
    }

    private void function(List<NumberedProbe> group) {
        ProbeSpec spec = group.get(0).spec();
        checkRegisters(spec);
        EventLayout layout = layout(spec, spec.arguments());
        for (NumberedProbe probe : group) {
            // Of programs that record alike only the kind can differ: a counter's numbers are values.
            add(
                    probe,
                    probe.spec().arguments(),
                    layout(probe.spec(), probe.spec().arguments()));
        }
        List<Integer> ids = group.stream().map(NumberedProbe::probeId).toList();
        if (spec.kind() == ProbeKind.SPAN) {
            span(ids, spec, layout);
        } else {
            boolean isReturn = spec.kind() == ProbeKind.URETPROBE;
            uprobe(
                    spec.kind().spelling(),
                    isReturn ? Attachment.USER_RETURN : Attachment.USER_ENTRY,
                    ids,
                    functions.instant(ids, spec, layout));
        }
    }

    private void span(List<Integer> ids, ProbeSpec spec, EventLayout layout) {
        SpanEntry entry = SpanEntry.of(layout, spec.arguments());
        String pairingMap = "open_" + ids.get(0);
        int size = entry.valueSizeBytes();
        long fitting = Math.max(MIN_OPEN_SPANS, MAX_PAIRING_BYTES / size);
        maps.add(MapSpec.hash(
                pairingMap, SpanEntry.KEY_SIZE_BYTES, size, (int) Math.min(options.maxOpenSpans(), fitting)));
        pairingMaps.add(new PairingMap(pairingMap, size));
        if (!SpanEntryProgram.isBuiltOnStack(spec.arguments(), entry)) {
            zeroSizeBytes = Math.max(zeroSizeBytes, size);
        }
        uprobe("span_return", Attachment.USER_RETURN, ids, functions.spanReturn(ids, spec, entry, pairingMap));
        uprobe("span_entry", Attachment.USER_ENTRY, ids, functions.spanEntry(ids, spec, entry, pairingMap));
    }

    private void uprobe(String name, Attachment attachment, List<Integer> ids, List<Instruction> instructions) {
        ProgramSpec program = new ProgramSpec(
                name + "_" + ids.get(0),
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                options.sleepableUprobes() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                instructions);
        programs.add(new PlannedProgram(program, attachment, "", ids));
    }

    private void checkRegisters(ProbeSpec spec) {
        for (ArgumentSpec argument : spec.arguments()) {
            boolean isRegister = argument.source().kind() == ArgumentSource.Kind.REGISTER_ARGUMENT;
            if (isRegister && argument.source().number() > options.registers().argumentCount()) {
                throw new ProbeArgumentException(
                        spec,
                        "arg" + argument.source().number()
                                + " is not passed in a register: this machine has arg1 to arg"
                                + options.registers().argumentCount());
            }
        }
    }

    private EventLayout layout(ProbeSpec spec, List<ArgumentSpec> arguments) {
        EventKind kind =
                spec.counter() ? EventKind.COUNTER : spec.kind() == ProbeKind.SPAN ? EventKind.SPAN : EventKind.INSTANT;
        EventLayout layout = EventLayout.of(
                kind, arguments, spec.result(), options.stackDepths().of(spec.stack()));
        if (layout.sizeBytes() > MAX_SAMPLE_BYTES) {
            throw new ProbeArgumentException(
                    spec, "a sample of " + layout.sizeBytes() + " bytes is too large; give its strings less room");
        }
        return layout;
    }

    private void add(NumberedProbe probe, List<ArgumentSpec> arguments, EventLayout layout) {
        probes.add(new PlannedProbe(probe.probeId(), probe.spec(), "", arguments, layout));
    }

    private void tracepoint(NumberedProbe probe) {
        ProbeSpec spec = probe.spec();
        TracepointArguments arguments = TracepointArguments.of(
                spec,
                probe.format()
                        .orElseThrow(() -> new IllegalArgumentException("no format is given for " + spec.text())));
        EventLayout layout = layout(spec, arguments.arguments());
        add(probe, arguments.arguments(), layout);
        Assembler assembler = new Assembler();
        ArgumentAccess access = new TracepointAccess(assembler, arguments, spec.module());
        kernelProgram(
                "tracepoint",
                ProgramType.TRACEPOINT,
                spec.module() + ":" + spec.function(),
                List.of(probe.probeId()),
                new InstantProgram(assembler, options.filter(), new ArgumentCode(assembler, access, false))
                        .write(
                                List.of(probe.probeId()),
                                Optional.empty(),
                                arguments.arguments(),
                                layout.arguments(),
                                layout));
    }

    private void rawTracepoint(NumberedProbe probe) {
        ProbeSpec spec = probe.spec();
        EventLayout layout = layout(spec, spec.arguments());
        add(probe, spec.arguments(), layout);
        Assembler assembler = new Assembler();
        ArgumentCode code = new ArgumentCode(assembler, new RawTracepointAccess(assembler), false);
        raw(
                "raw",
                spec.function(),
                List.of(probe.probeId()),
                new InstantProgram(assembler, options.filter(), code)
                        .write(
                                List.of(probe.probeId()),
                                Optional.empty(),
                                spec.arguments(),
                                layout.arguments(),
                                layout));
    }

    private void raw(String name, String tracepoint, List<Integer> ids, List<Instruction> instructions) {
        kernelProgram(name, ProgramType.RAW_TRACEPOINT, tracepoint, ids, instructions);
    }

    private void kernelProgram(
            String name, ProgramType type, String tracepoint, List<Integer> ids, List<Instruction> instructions) {
        String suffix = ids.isEmpty() ? "" : "_" + ids.get(0);
        ProgramSpec program = new ProgramSpec(name + suffix, type, AttachType.NONE, 0, 0, instructions);
        Attachment attachment = type == ProgramType.TRACEPOINT ? Attachment.TRACEPOINT : Attachment.RAW_TRACEPOINT;
        programs.add(new PlannedProgram(program, attachment, tracepoint, ids));
    }

    private void life(TaskOffsets tasks) {
        LifePrograms life = new LifePrograms(options.filter(), options.follow(), tasks);
        raw("life_fork", "sched_process_fork", List.of(), life.forkProgram());
        raw("life_exec", "sched_process_exec", List.of(), life.execProgram());
        raw("life_exit", "sched_process_exit", List.of(), life.exitProgram());
        raw("life_rename", "task_rename", List.of(), life.renameProgram());
    }

    private void sched(NumberedProbe probe) {
        TaskOffsets tasks = options.tasks()
                .orElseThrow(() -> new IllegalArgumentException(
                        "record " + probe.spec().text() + ": the layout of task_struct is not known"));
        SchedPrograms sched = new SchedPrograms(options.filter(), tasks);
        StackDepths depths = options.stackDepths().of(probe.spec().stack());
        int switchId = probe.probeId();
        int wakingId = switchId + 1;
        EventLayout switchLayout = SchedPrograms.switchLayout(depths);
        EventLayout wakingLayout = SchedPrograms.wakingLayout(depths);
        probes.add(new PlannedProbe(
                switchId, probe.spec(), "sched_switch", SchedPrograms.switchArguments(), switchLayout));
        probes.add(new PlannedProbe(
                wakingId, probe.spec(), "sched_waking", SchedPrograms.wakingArguments(), wakingLayout));
        raw("switch", "sched_switch", List.of(switchId), sched.switchProgram(switchId, switchLayout));
        raw("waking", "sched_waking", List.of(wakingId), sched.wakingProgram(wakingId, wakingLayout));
    }

    private void syscalls(NumberedProbe probe) {
        SyscallLayout layout = new SyscallLayout(
                options.registers(), options.stackDepths().of(probe.spec().stack()));
        int first = probe.probeId();
        if (syscalls.isPresent()) {
            throw new ProbeArgumentException(probe.spec(), "system calls are recorded already");
        }
        syscalls = Optional.of(new PlannedSyscalls(first, probe.spec(), layout));
        maps.add(MapSpec.hash(MapNames.OPEN_SYSCALLS, Integer.BYTES, layout.entrySizeBytes(), MAX_THREADS_IN_SYSCALLS));
        maps.add(MapSpec.array(MapNames.SYSCALL_TEXTS, Integer.BYTES, SyscallProbes.COUNT));
        pairingMaps.add(new PairingMap(MapNames.OPEN_SYSCALLS, layout.entrySizeBytes()));
        SyscallPrograms programsOfCalls = new SyscallPrograms(options.filter(), layout, first);
        List<Integer> ids = List.of(first);
        raw("sys_exit", "sys_exit", ids, programsOfCalls.exitProgram());
        raw("sys_end", "sched_process_exit", ids, programsOfCalls.threadEndProgram());
        raw("sys_enter", "sys_enter", ids, programsOfCalls.enterProgram());
    }
}
