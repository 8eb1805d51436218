package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
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
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanFilter;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.UsdtAccess;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans the pairs of USDT probes. Those that record alike share a map of open spans; their attach points that have the
 * arguments at the same locations share a program, the beginnings one and the ends another.
 */
final class UsdtPairPlanner {
    private final PlanParts parts;
    private final ProgramOptions options;

    UsdtPairPlanner(PlanParts parts) {
        this.parts = parts;
        this.options = parts.options;
    }

    /** What is made of an open span at the end of its pair: a sample, or a count. */
    interface EndProgram {
        /** @param filter the part of the probe's own that only the end can decide */
        List<Instruction> write(
                Assembler assembler,
                ArgumentCode argumentCode,
                List<Integer> probeIds,
                Optional<Filter> filter,
                String pairingMap);
    }

    /** Plans those that are {@link ProbeKind#USDTSPAN}, to be recorded. */
    void plan(List<ResolvedProbe> resolved) {
        Map<List<Object>, List<ResolvedProbe>> groups = new LinkedHashMap<>();
        for (ResolvedProbe probe : resolved) {
            ProbeSpec spec = probe.spec();
            if (spec.kind() == ProbeKind.USDTSPAN) {
                parts.add(probe, spec.arguments(), parts.layout(spec, spec.arguments()));
                List<Object> recordsAlike = List.of(
                        spec.preset().category(),
                        spec.arguments().stream().map(ArgumentSpec::undescribed).toList(),
                        spec.filter(),
                        spec.stack(),
                        options.cookies() ? 0 : probe.probeId());
                groups.computeIfAbsent(recordsAlike, key -> new ArrayList<>()).add(probe);
            }
        }
        groups.values().forEach(this::record);
    }

    private void record(List<ResolvedProbe> alike) {
        ProbeSpec spec = alike.get(0).spec();
        EventLayout layout = parts.layout(spec, spec.arguments());
        plan(
                alike,
                spec.arguments(),
                layout,
                (assembler, code, ids, filter, map) -> new SpanReturnProgram(
                                assembler,
                                options.registers(),
                                SpanKey.ofThread(assembler),
                                options.filter(),
                                code,
                                map)
                        .write(ids, filter, spec.arguments(), Optional.empty(), layout));
    }

    /**
     * Plans pairs that differ in their ids alone.
     *
     * @param arguments those that the beginning stores, and those that the end reads
     * @param layout of what the beginning stores
     */
    void plan(List<ResolvedProbe> alike, List<ArgumentSpec> arguments, EventLayout layout, EndProgram end) {
        ProbeSpec spec = alike.get(0).spec();
        SpanFilter filter = SpanFilter.of(spec);
        SpanEntry entry = SpanEntry.ofPair(layout, SpanEntry.KEY_SIZE_BYTES);
        int size = entry.valueSizeBytes();
        String map = parts.addOpenSpans(alike.get(0), SpanEntry.KEY_SIZE_BYTES, size, Entries.SPANS);
        if (!SpanEntryProgram.isBuiltOnStack(arguments, filter.atEntry(), entry)) {
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, size);
        }
        uprobes(alike, true).forEach((read, uprobes) -> {
            Assembler assembler = new Assembler();
            ArgumentCode code = code(assembler, read);
            add("pair_end_", uprobes, true, end.write(assembler, code, ids(uprobes), filter.atReturn(), map));
        });
        uprobes(alike, false).forEach((read, uprobes) -> {
            Assembler assembler = new Assembler();
            SpanKey key = SpanKey.ofThread(assembler);
            List<Instruction> instructions = new SpanEntryProgram(
                            assembler, key, options.filter(), code(assembler, read), map)
                    .write(ids(uprobes), filter.atEntry(), arguments, entry);
            add("pair_begin_", uprobes, false, instructions);
        });
    }

    /** The attach points of the ends or of the beginnings, by where the arguments are that are read there. */
    private static Map<List<UsdtArgument>, List<Uprobe>> uprobes(Collection<ResolvedProbe> alike, boolean ofEnds) {
        Map<List<UsdtArgument>, List<Uprobe>> uprobes = new LinkedHashMap<>();
        for (ResolvedProbe probe : alike) {
            for (UprobeLocation location : probe.locations()) {
                if (probe.isEnd(location) == ofEnds) {
                    List<UsdtArgument> read = UsdtPlanner.argumentsRead(probe.spec(), location, ofEnds);
                    uprobes.computeIfAbsent(read, unused -> new ArrayList<>())
                            .add(new Uprobe(probe.probeId(), location));
                }
            }
        }
        return uprobes;
    }

    private static List<Integer> ids(List<Uprobe> uprobes) {
        return uprobes.stream().map(Uprobe::probeId).distinct().toList();
    }

    private ArgumentCode code(Assembler assembler, List<UsdtArgument> read) {
        UsdtAccess access = new UsdtAccess(assembler, options.registers(), read, options.sleepableUprobes());
        return new ArgumentCode(assembler, access, options.sleepableUprobes(), options.kernelOffsets());
    }

    private void add(String name, List<Uprobe> uprobes, boolean isEnd, List<Instruction> instructions) {
        List<Integer> ids = ids(uprobes);
        ProgramSpec program = new ProgramSpec(
                name + ids.get(0) + "_" + parts.programs.size(),
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                options.sleepableUprobes() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                instructions);
        parts.programs.add(new PlannedProgram(program, Attachment.entries(uprobes), ids, isEnd));
    }
}
