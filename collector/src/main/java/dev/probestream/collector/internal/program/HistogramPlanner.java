package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.program.HistogramPlan.ResolvedHistogram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.code.HistogramProgram;
import dev.probestream.collector.internal.program.code.HistogramReturnProgram;
import dev.probestream.collector.internal.program.code.SpanEntryProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanFilter;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.ArgumentLocations;
import dev.probestream.collector.internal.program.snippet.access.FunctionAccess;
import dev.probestream.collector.internal.program.snippet.access.RawTracepointAccess;
import dev.probestream.collector.internal.program.snippet.access.SampleAccess;
import dev.probestream.collector.internal.program.snippet.access.SavedAccess;
import dev.probestream.collector.internal.program.snippet.access.TracepointAccess;
import dev.probestream.collector.internal.program.snippet.access.TracepointArguments;
import dev.probestream.collector.internal.program.snippet.access.UsdtAccess;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes a {@link HistogramPlan}: a map for each histogram, and the programs that count in it. */
public final class HistogramPlanner {
    /** So many different keys, buckets apart, a histogram has room for. */
    public static final int DEFAULT_MAX_KEYS = 65_536;

    /** What a map of counts may take of the kernel's memory; all of it is taken at once. */
    private static final long MAX_MAP_BYTES = 32L << 20;

    private final PlanParts parts;
    private final ProgramOptions options;
    private final int maxKeys;
    private final int possibleCpus;

    private HistogramPlanner(PlanParts parts, int maxKeys, int possibleCpus) {
        this.parts = parts;
        this.options = parts.options;
        this.maxKeys = maxKeys;
        this.possibleCpus = possibleCpus;
    }

    /**
     * Plans them.
     *
     * @param maxKeys room in each map; less when the keys are long or the CPUs many
     * @param possibleCpus so many counts are kept under each key
     * @param maxProbeId the highest id there will ever be
     * @param hasStacks whether any key is a stack, now or later
     * @throws ProbeArgumentException when a key or the value is not there
     */
    public static HistogramPlan plan(
            List<ResolvedHistogram> histograms,
            ProgramOptions options,
            int maxKeys,
            int possibleCpus,
            int maxProbeId,
            boolean hasStacks) {
        PlanParts parts = new PlanParts(options, "");
        KernelPlanner kernel = new KernelPlanner(parts);
        boolean isFollowing = !options.follow().equals(FollowRule.NONE);
        options.tasks()
                .ifPresent(isFollowing || hasStacks ? tasks -> kernel.taskLifecycle(tasks, false) : kernel::forks);
        List<HistogramLayout> layouts = new HistogramPlanner(parts, maxKeys, possibleCpus).plan(histograms);
        ProgramPlanner.sharedMaps(parts, maxProbeId);
        return new HistogramPlan(parts.plan(), layouts);
    }

    /**
     * Plans probes in user space that were found while they are counted. The plan's maps are only those that the first plan
     * has not, or has too small.
     *
     * @param batch counts the plans that come later, from 1
     * @throws ProbeArgumentException when a key or the value is not there, or is of another type than in the map
     */
    public static HistogramPlan planMore(
            List<ResolvedHistogram> histograms, ProgramOptions options, int maxKeys, int possibleCpus, int batch) {
        PlanParts parts = new PlanParts(options, "_" + batch);
        List<HistogramLayout> layouts = new HistogramPlanner(parts, maxKeys, possibleCpus).plan(histograms);
        ProgramPlanner.zeros(parts);
        return new HistogramPlan(parts.plan(), layouts);
    }

    private List<HistogramLayout> plan(List<ResolvedHistogram> histograms) {
        List<HistogramLayout> layouts = new ArrayList<>();
        for (ResolvedHistogram histogram : histograms) {
            HistogramLayout layout = layout(histogram);
            if (histogram.layout().isEmpty()) {
                layout.sums().ifPresentOrElse(sums -> sumsMaps(layout, sums), () -> parts.maps.add(map(layout)));
                layout.stack().ifPresent(this::stackMaps);
            }
            alike(histogram).forEach(alike -> program(alike, layout));
            layouts.add(layout);
        }
        return layouts;
    }

    private MapSpec map(HistogramLayout layout) {
        int entrySizeBytes = layout.sizeBytes() + possibleCpus * Long.BYTES;
        int room = (int) Math.min(maxKeys, MAX_MAP_BYTES / entrySizeBytes);
        return MapSpec.perCpuHash(layout.mapName(), layout.sizeBytes(), Long.BYTES, room);
    }

    private void sumsMaps(HistogramLayout layout, HistogramSumsLayout sums) {
        parts.maps.add(MapSpec.hash(layout.mapName(), layout.sizeBytes(), Integer.BYTES, sums.keys()));
        parts.maps.add(MapSpec.array(sums.nextMap(), Long.BYTES, 1));
        parts.maps.add(
                MapSpec.mappableArray(sums.sumsMap(), HistogramSumsLayout.SIZE_BYTES, sums.keys() * sums.cpus()));
    }

    private void stackMaps(HistogramStackLayout stack) {
        parts.maps.add(MapSpec.hash(stack.sentMap(), HistogramStackLayout.KEY_SIZE_BYTES, Integer.BYTES, maxKeys));
        parts.maps.add(MapSpec.perCpuArray(stack.roomMap(), stack.roomSizeBytes(), HistogramStackLayout.ROOMS));
    }

    private HistogramLayout layout(ResolvedHistogram histogram) {
        HistogramSpec spec = histogram.spec();
        List<ResolvedProbe> probes = histogram.probes();
        String mapName = histogram.mapName();
        HistogramLayout layout = histogram
                .layout()
                .orElseGet(() -> new HistogramLayoutBuilder(
                                spec, arguments(probes.get(0)), depths(spec), maxKeys, possibleCpus)
                        .build(mapName));
        for (ResolvedProbe probe : probes) {
            if (probe.spec().kind().isUserFunction()) {
                FunctionPlanner.checkLocations(probe.spec(), layout.arguments(), argumentLocations(probe));
            }
        }
        for (ResolvedProbe probe : probes) {
            // Only the events of a glob can differ: each declares its own fields.
            if (!new HistogramLayoutBuilder(spec, arguments(probe), depths(spec), maxKeys, possibleCpus)
                    .build(mapName)
                    .equals(layout)) {
                boolean hasTypes = probe.spec().kind() == ProbeKind.USDT;
                throw new ProbeArgumentException(
                        spec.probe(),
                        hasTypes
                                ? "the probes declare other types: name the type, such as (x=arg1:s64), or count at"
                                        + " each of them apart"
                                : "the events declare the fields differently: count at each of them apart");
            }
        }
        return layout;
    }

    private StackDepths depths(HistogramSpec spec) {
        return parts.stackDepths(spec.probe());
    }

    private static List<ArgumentSpec> arguments(ResolvedProbe probe) {
        return switch (probe.spec().kind()) {
            case TRACEPOINT -> tracepoint(probe).arguments();
            case PAIR -> PairArguments.of(probe).all();
            case PROFILE -> SampleAccess.arguments();
            case UPROBE,
                    URETPROBE,
                    SPAN,
                    USDT,
                    USDTSPAN,
                    USER,
                    RAWTRACEPOINT,
                    SYSCALL,
                    SYS_EXIT,
                    SYSCALLS,
                    SCHED,
                    SIGNALS,
                    PROCESS -> probe.spec().arguments();
        };
    }

    private static TracepointArguments tracepoint(ResolvedProbe probe) {
        return TracepointArguments.of(probe.spec(), probe.tracepoint());
    }

    /** Probes that one program can serve: functions that get their arguments alike, when links can carry cookies. */
    private Collection<List<ResolvedProbe>> alike(ResolvedHistogram histogram) {
        Map<List<Object>, List<ResolvedProbe>> alike = new LinkedHashMap<>();
        for (ResolvedProbe probe : histogram.probes()) {
            ProbeKind kind = probe.spec().kind();
            boolean isShared = options.cookies() && (kind.isUserFunction() || kind.isUsdt());
            List<Object> key = List.of(kind, probe.convention(), isShared ? 0 : probe.probeId());
            alike.computeIfAbsent(key, unused -> new ArrayList<>()).add(probe);
        }
        return alike.values();
    }

    private void program(List<ResolvedProbe> alike, HistogramLayout layout) {
        ResolvedProbe first = alike.get(0);
        List<Integer> ids = alike.stream().map(ResolvedProbe::probeId).toList();
        switch (first.spec().kind()) {
            case SPAN -> span(alike, ids, layout);
            case UPROBE ->
                add(
                        functionProgram("hist_entry", ids, instant(first, ids, layout)),
                        Attachment.entriesOf(alike),
                        ids,
                        false);
            case URETPROBE ->
                add(
                        functionProgram("hist_return", ids, instant(first, ids, layout)),
                        Attachment.returnsOf(alike),
                        ids,
                        false);
            case TRACEPOINT -> tracepoint(first, layout);
            case RAWTRACEPOINT -> rawTracepoint(first, layout);
            case PROFILE -> profile(first, layout);
            case USDT -> usdt(alike, layout);
            case USDTSPAN -> usdtPair(alike, layout);
            case PAIR -> pair(first, layout);
            case SYSCALL -> syscall(first, layout);
            case SYS_EXIT -> new SyscallReturnPlanner(parts).count(first, layout);
            case USER, SYSCALLS, SCHED, SIGNALS, PROCESS ->
                throw new ProbeArgumentException(
                        first.spec(), first.spec().kind().spelling() + " cannot be counted in this version");
        }
    }

    private List<Instruction> instant(ResolvedProbe probe, List<Integer> ids, HistogramLayout layout) {
        Assembler assembler = new Assembler();
        ArgumentCode code = functionCode(assembler, functionAccess(assembler, probe));
        return new HistogramProgram(assembler, options, code, layout)
                .write(ids, probe.spec().filter());
    }

    private void span(List<ResolvedProbe> alike, List<Integer> ids, HistogramLayout layout) {
        ResolvedProbe probe = alike.get(0);
        ProbeSpec spec = probe.spec();
        EventLayout entryLayout = entryLayout(probe, layout);
        SpanFilter filter = SpanFilter.of(spec);
        List<ArgumentSpec> kept = new ArrayList<>(layout.arguments());
        filter.atReturn().ifPresent(returned -> kept.addAll(returned.arguments()));
        SpanEntry entry = SpanEntry.of(entryLayout, kept);
        int size = entry.valueSizeBytes();
        String map = parts.addOpenSpans(probe, SpanEntry.KEY_SIZE_BYTES, size, Entries.CALLS);
        if (!SpanEntryProgram.isBuiltOnStack(layout.arguments(), filter.atEntry(), entry)) {
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, size);
        }
        add(
                functionProgram("hist_return", ids, atReturn(probe, ids, layout, entry, filter.atReturn(), map)),
                Attachment.returnsOf(alike),
                ids,
                true);
        add(
                functionProgram("hist_entry", ids, atEntry(probe, ids, layout, entry, filter.atEntry(), map)),
                Attachment.entriesOf(alike),
                ids,
                false);
    }

    private List<Instruction> atReturn(
            ResolvedProbe probe,
            List<Integer> ids,
            HistogramLayout layout,
            SpanEntry entry,
            Optional<Filter> filter,
            String map) {
        Assembler assembler = new Assembler();
        ArgumentAccess access = new SavedAccess(assembler, entry, functionAccess(assembler, probe));
        return new HistogramReturnProgram(
                        assembler,
                        SpanKey.atReturn(assembler, options.registers()),
                        options,
                        functionCode(assembler, access),
                        layout,
                        entry.layout())
                .write(ids, filter, map);
    }

    private List<Instruction> atEntry(
            ResolvedProbe probe,
            List<Integer> ids,
            HistogramLayout layout,
            SpanEntry entry,
            Optional<Filter> filter,
            String map) {
        Assembler assembler = new Assembler();
        ArgumentCode code = functionCode(assembler, functionAccess(assembler, probe));
        SpanKey key = SpanKey.atEntry(assembler, options.registers());
        return new SpanEntryProgram(assembler, key, options.filter(), code, map)
                .write(ids, filter, layout.arguments(), entry);
    }

    private FunctionAccess functionAccess(Assembler assembler, ResolvedProbe probe) {
        return new FunctionAccess(assembler, options.registers(), argumentLocations(probe), options.sleepableUprobes());
    }

    private ArgumentLocations argumentLocations(ResolvedProbe probe) {
        return new ArgumentLocations(options.registers(), probe.convention());
    }

    private ArgumentCode functionCode(Assembler assembler, ArgumentAccess access) {
        return new ArgumentCode(assembler, access, options.sleepableUprobes(), options.kernelOffsets());
    }

    /** Attach points that have the arguments at the same locations share a program. */
    private void usdt(List<ResolvedProbe> alike, HistogramLayout layout) {
        Map<List<UsdtArgument>, List<Uprobe>> uprobes = new LinkedHashMap<>();
        for (ResolvedProbe probe : alike) {
            for (UprobeLocation location : probe.locations()) {
                uprobes.computeIfAbsent(
                                UsdtPlanner.argumentsRead(probe.spec(), location, false), unused -> new ArrayList<>())
                        .add(new Uprobe(probe.probeId(), location));
            }
        }
        Optional<Filter> filter = alike.get(0).spec().filter();
        uprobes.forEach((read, served) -> {
            List<Integer> ids = served.stream().map(Uprobe::probeId).distinct().toList();
            Assembler assembler = new Assembler();
            UsdtAccess access = new UsdtAccess(assembler, options.registers(), read, options.sleepableUprobes());
            List<Instruction> instructions = new HistogramProgram(
                            assembler, options, functionCode(assembler, access), layout)
                    .write(ids, filter);
            ProgramSpec program = functionProgram("hist_usdt_" + parts.programs.size(), ids, instructions);
            add(program, Attachment.entries(served), ids, false);
        });
    }

    private void usdtPair(List<ResolvedProbe> alike, HistogramLayout layout) {
        EventLayout entryLayout = EventLayout.of(
                EventKind.SPAN,
                layout.arguments(),
                Optional.empty(),
                options.stackDepths().of(alike.get(0).spec().stack()));
        new UsdtPairPlanner(parts)
                .plan(
                        alike,
                        layout.arguments(),
                        entryLayout,
                        (assembler, code, ids, filter, map) -> new HistogramReturnProgram(
                                        assembler, SpanKey.ofThread(assembler), options, code, layout, entryLayout)
                                .write(ids, filter, map));
    }

    private EventLayout entryLayout(ResolvedProbe probe, HistogramLayout layout) {
        return EventLayout.of(
                EventKind.SPAN,
                layout.arguments(),
                Optional.empty(),
                options.stackDepths().of(probe.spec().stack()));
    }

    private void syscall(ResolvedProbe probe, HistogramLayout layout) {
        EventLayout entryLayout = entryLayout(probe, layout);
        new SyscallPlanner(parts, probe)
                .plan(
                        layout.arguments(),
                        entryLayout,
                        (assembler, code, key, filter, map) -> new HistogramReturnProgram(
                                        assembler, key, options, code, layout, entryLayout)
                                .write(List.of(probe.probeId()), filter, map));
    }

    private void pair(ResolvedProbe probe, HistogramLayout layout) {
        EventLayout entryLayout = entryLayout(probe, layout);
        new PairPlanner(parts, probe)
                .plan(
                        layout.arguments(),
                        entryLayout,
                        (assembler, code, key, ids, filter, map) -> new HistogramReturnProgram(
                                        assembler, key, options, code, layout, entryLayout)
                                .write(ids, filter, map));
    }

    private void tracepoint(ResolvedProbe probe, HistogramLayout layout) {
        Assembler assembler = new Assembler();
        TracepointArguments arguments = tracepoint(probe);
        ArgumentAccess access =
                new TracepointAccess(assembler, arguments, probe.spec().module());
        List<Instruction> program = kernelProgram(assembler, access, probe, arguments.filter(), layout);
        kernel(probe, ProgramType.TRACEPOINT, program, Attachment.tracepoint(probe));
    }

    private void rawTracepoint(ResolvedProbe probe, HistogramLayout layout) {
        Assembler assembler = new Assembler();
        ArgumentAccess access = new RawTracepointAccess(assembler);
        List<Instruction> program =
                kernelProgram(assembler, access, probe, probe.spec().filter(), layout);
        kernel(
                probe,
                ProgramType.RAW_TRACEPOINT,
                program,
                Attachment.rawTracepoint(probe.spec().function()));
    }

    private void profile(ResolvedProbe probe, HistogramLayout layout) {
        int frequencyHz = probe.spec().frequencyHz();
        Assembler assembler = new Assembler();
        ArgumentAccess access = new SampleAccess(assembler, frequencyHz);
        List<Instruction> program =
                kernelProgram(assembler, access, probe, probe.spec().filter(), layout);
        kernel(probe, ProgramType.PERF_EVENT, program, Attachment.cpuClock(frequencyHz));
    }

    private List<Instruction> kernelProgram(
            Assembler assembler,
            ArgumentAccess access,
            ResolvedProbe probe,
            Optional<Filter> filter,
            HistogramLayout layout) {
        ArgumentCode code = new ArgumentCode(assembler, access, false, options.kernelOffsets());
        return new HistogramProgram(assembler, options, code, layout).write(List.of(probe.probeId()), filter);
    }

    private void kernel(ResolvedProbe probe, ProgramType type, List<Instruction> instructions, Attachment attachment) {
        ProgramSpec program = new ProgramSpec("hist_" + probe.probeId(), type, AttachType.NONE, 0, 0, instructions);
        add(program, attachment, List.of(probe.probeId()), false);
    }

    private ProgramSpec functionProgram(String name, List<Integer> ids, List<Instruction> instructions) {
        return new ProgramSpec(
                name + "_" + ids.get(0),
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                options.sleepableUprobes() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                instructions);
    }

    private void add(ProgramSpec program, Attachment attachment, List<Integer> ids, boolean isSpanReturn) {
        parts.programs.add(new PlannedProgram(program, attachment, ids, isSpanReturn));
    }
}
