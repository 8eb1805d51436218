package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.code.SpanEntryProgram;
import dev.probestream.collector.internal.program.code.SpanReturnProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.ArgumentLocations;
import dev.probestream.collector.internal.program.snippet.access.FunctionAccess;
import dev.probestream.collector.internal.program.snippet.access.RawTracepointAccess;
import dev.probestream.collector.internal.program.snippet.access.TracepointAccess;
import dev.probestream.collector.internal.program.snippet.access.TracepointArguments;
import dev.probestream.collector.internal.program.snippet.access.UsdtAccess;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.ResolvedProbe.Ends;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plans one span between any two probes: a map of open spans, and a program for each way in which the begin, or the end,
 * has its arguments.
 */
final class PairPlanner {
    private final PlanParts parts;
    private final ProgramOptions options;
    private final ResolvedProbe pair;
    private final PairArguments arguments;
    private final List<Integer> ids;

    PairPlanner(PlanParts parts, ResolvedProbe pair) {
        this.parts = parts;
        this.options = parts.options;
        this.pair = pair;
        this.arguments = PairArguments.of(pair);
        this.ids = List.of(pair.probeId());
    }

    /** What is made of an open span at its end: a sample, or a count. */
    interface EndProgram {
        List<Instruction> write(
                Assembler assembler,
                ArgumentCode argumentCode,
                SpanKey key,
                List<Integer> probeIds,
                Optional<Filter> filter,
                String pairingMap);
    }

    /** The program of one of the ends, without what it does with its arguments. */
    private interface Program {
        List<Instruction> write(Assembler assembler, ArgumentCode argumentCode, Optional<Filter> filter);
    }

    /** Plans it to be recorded. */
    void record() {
        List<ArgumentSpec> all = arguments.all();
        EventLayout layout = parts.layout(pair.spec(), all);
        parts.add(pair, all, layout);
        plan(
                all,
                layout,
                (assembler, code, key, probeIds, filter, pairingMap) -> new SpanReturnProgram(
                                assembler, options.registers(), key, options.filter(), code, pairingMap)
                        .write(probeIds, filter, all, Optional.empty(), layout));
    }

    /**
     * Plans it.
     *
     * @param kept those that the begin stores, and those that the end reads
     * @param layout of what the begin stores
     */
    void plan(List<ArgumentSpec> kept, EventLayout layout, EndProgram end) {
        Ends ends = pair.ends().orElseThrow();
        int keySizeBytes = SpanKey.sizeBytes(arguments.ofBegin(), arguments.isOfProcess());
        SpanEntry entry = SpanEntry.ofPair(layout, keySizeBytes);
        int size = entry.valueSizeBytes();
        String map = parts.addOpenSpans(pair, keySizeBytes, size, Entries.SPANS);
        ends.end()
                .forEach(probe -> programs(
                        probe,
                        true,
                        (assembler, code, filter) ->
                                end.write(assembler, code, key(assembler, code, arguments.ofEnd()), ids, filter, map)));
        ends.begin()
                .forEach(probe -> programs(probe, false, (assembler, code, filter) -> {
                    if (!SpanEntryProgram.isBuiltOnStack(kept, filter, entry)) {
                        parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, size);
                    }
                    SpanKey key = key(assembler, code, arguments.ofBegin());
                    return new SpanEntryProgram(assembler, key, options.filter(), code, map)
                            .write(ids, filter, kept, entry);
                }));
    }

    private SpanKey key(Assembler assembler, ArgumentCode code, List<SpanKey.Value> values) {
        return values.isEmpty()
                ? SpanKey.ofThread(assembler)
                : SpanKey.ofValues(assembler, code, values, arguments.isOfProcess());
    }

    private void programs(ResolvedProbe probe, boolean isEnd, Program program) {
        ProbeSpec spec = probe.spec();
        switch (spec.kind()) {
            case UPROBE, URETPROBE -> {
                ArgumentLocations locations = new ArgumentLocations(options.registers(), probe.convention());
                FunctionPlanner.checkLocations(spec, spec.arguments(), locations);
                List<ResolvedProbe> one = List.of(probe);
                uprobes(
                        spec.kind() == ProbeKind.URETPROBE ? Attachment.returnsOf(one) : Attachment.entriesOf(one),
                        assembler -> new FunctionAccess(
                                assembler, options.registers(), locations, options.sleepableUprobes()),
                        spec.filter(),
                        isEnd,
                        program);
            }
            case USDT ->
                byLocations(probe)
                        .forEach((read, uprobes) -> uprobes(
                                Attachment.entries(uprobes),
                                assembler -> new UsdtAccess(
                                        assembler, options.registers(), read, options.sleepableUprobes()),
                                spec.filter(),
                                isEnd,
                                program));
            case TRACEPOINT -> {
                TracepointArguments typed = TracepointArguments.of(spec, probe.tracepoint());
                kernel(
                        ProgramType.TRACEPOINT,
                        Attachment.tracepoint(probe),
                        assembler -> new TracepointAccess(assembler, typed, spec.module()),
                        typed.filter(),
                        isEnd,
                        program);
            }
            case RAWTRACEPOINT ->
                kernel(
                        ProgramType.RAW_TRACEPOINT,
                        Attachment.rawTracepoint(spec.function()),
                        RawTracepointAccess::new,
                        spec.filter(),
                        isEnd,
                        program);
            case SPAN, USDTSPAN, PAIR, USER, SYSCALL, SYS_EXIT, SYSCALLS, SCHED, SIGNALS, PROFILE, PROCESS ->
                throw new IllegalArgumentException(spec.text() + " is no end of a span");
        }
    }

    /** The attach points of a USDT probe, by where the arguments are that are read there. */
    private static Map<List<UsdtArgument>, List<Uprobe>> byLocations(ResolvedProbe probe) {
        Map<List<UsdtArgument>, List<Uprobe>> uprobes = new LinkedHashMap<>();
        for (UprobeLocation location : probe.locations()) {
            uprobes.computeIfAbsent(
                            UsdtPlanner.argumentsRead(probe.spec(), location, false), unused -> new ArrayList<>())
                    .add(new Uprobe(probe.probeId(), location));
        }
        return uprobes;
    }

    private void uprobes(
            Attachment attachment,
            Function<Assembler, ArgumentAccess> access,
            Optional<Filter> filter,
            boolean isEnd,
            Program program) {
        Assembler assembler = new Assembler();
        boolean maySleep = options.sleepableUprobes();
        ArgumentCode code = new ArgumentCode(assembler, access.apply(assembler), maySleep, options.kernelOffsets());
        ProgramSpec loaded = new ProgramSpec(
                name(isEnd),
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                maySleep ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                program.write(assembler, code, filter));
        parts.programs.add(new PlannedProgram(loaded, attachment, ids, isEnd));
    }

    private void kernel(
            ProgramType type,
            Attachment attachment,
            Function<Assembler, ArgumentAccess> access,
            Optional<Filter> filter,
            boolean isEnd,
            Program program) {
        Assembler assembler = new Assembler();
        ArgumentCode code = new ArgumentCode(assembler, access.apply(assembler), false, options.kernelOffsets());
        ProgramSpec loaded =
                new ProgramSpec(name(isEnd), type, AttachType.NONE, 0, 0, program.write(assembler, code, filter));
        parts.programs.add(new PlannedProgram(loaded, attachment, ids, isEnd));
    }

    private String name(boolean isEnd) {
        return (isEnd ? "span_end_" : "span_begin_") + pair.probeId() + "_" + parts.programs.size();
    }
}
