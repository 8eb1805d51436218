package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.code.FunctionPrograms;
import dev.probestream.collector.internal.program.code.SpanEntryProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanFilter;
import dev.probestream.collector.internal.program.snippet.access.ArgumentLocations;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.code.CallingConvention;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Plans the probes of user functions: those that record alike share a program when links can carry cookies. */
final class FunctionPlanner {
    private final PlanParts parts;
    private final ProgramOptions options;
    private final FunctionPrograms programs;

    FunctionPlanner(PlanParts parts) {
        this.parts = parts;
        this.options = parts.options;
        this.programs = new FunctionPrograms(options);
    }

    /** Plans those that sit in user functions. */
    void plan(List<ResolvedProbe> resolved) {
        groups(resolved).values().forEach(this::group);
    }

    /** Probes that one program can serve, in the order of the first of each. */
    private Map<List<Object>, List<ResolvedProbe>> groups(List<ResolvedProbe> resolved) {
        Map<List<Object>, List<ResolvedProbe>> groups = new LinkedHashMap<>();
        for (ResolvedProbe probe : resolved) {
            ProbeSpec spec = probe.spec();
            if (spec.kind().isUserFunction()) {
                List<Object> recordsAlike = List.of(
                        spec.kind(),
                        spec.untilNext(),
                        spec.preset().category(),
                        spec.preset().wakes(),
                        spec.preset().attaching(),
                        FunctionPart.of(spec),
                        spec.arguments().stream().map(ArgumentSpec::undescribed).toList(),
                        spec.result().map(result -> result.type()),
                        spec.filter(),
                        spec.stack(),
                        probe.convention(),
                        options.cookies() ? 0 : probe.probeId());
                groups.computeIfAbsent(recordsAlike, key -> new ArrayList<>()).add(probe);
            }
        }
        return groups;
    }

    private void group(List<ResolvedProbe> group) {
        ProbeSpec spec = group.get(0).spec();
        CallingConvention convention = group.get(0).convention();
        checkLocations(spec, spec.arguments(), new ArgumentLocations(options.registers(), convention));
        EventLayout layout = parts.layout(spec, spec.arguments());
        for (ResolvedProbe probe : group) {
            // Of probes that record alike only the kind can differ: a counter's numbers are values.
            ProbeSpec own = probe.spec();
            parts.add(probe, own.arguments(), parts.layout(own, own.arguments()));
        }
        List<Integer> ids = group.stream().map(ResolvedProbe::probeId).toList();
        Optional<FunctionPart.Member> member = FunctionPart.of(spec);
        if (member.isPresent()) {
            FunctionPart part = member.get().part();
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, part.zeroSizeBytes());
            add(
                    part.programName(),
                    Attachment.entriesOf(group),
                    ids,
                    false,
                    programs.write(
                            convention,
                            (assembler, arguments) -> part.program(
                                    assembler,
                                    arguments,
                                    options,
                                    ids,
                                    spec,
                                    member.get().role(),
                                    layout)));
        } else if (spec.untilNext()) {
            parts.withPhases(spec.preset().category());
            add("phase", Attachment.entriesOf(group), ids, false, programs.phase(ids, spec, convention, layout));
        } else if (spec.kind() == ProbeKind.SPAN) {
            span(group, ids, layout);
        } else {
            boolean isReturn = spec.kind() == ProbeKind.URETPROBE;
            Attachment attachment = isReturn ? Attachment.returnsOf(group) : Attachment.entriesOf(group);
            add(spec.kind().spelling(), attachment, ids, false, programs.instant(ids, spec, convention, layout));
        }
    }

    private void span(List<ResolvedProbe> group, List<Integer> ids, EventLayout layout) {
        ProbeSpec spec = group.get(0).spec();
        CallingConvention convention = group.get(0).convention();
        SpanFilter filter = SpanFilter.of(spec);
        List<ArgumentSpec> arguments = new ArrayList<>(spec.arguments());
        filter.atReturn().ifPresent(returned -> arguments.addAll(returned.arguments()));
        SpanEntry entry = SpanEntry.of(layout, arguments);
        int size = entry.valueSizeBytes();
        String map = parts.addOpenSpans(group.get(0), SpanEntry.KEY_SIZE_BYTES, size, Entries.CALLS);
        if (!SpanEntryProgram.isBuiltOnStack(spec.arguments(), filter.atEntry(), entry)) {
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, size);
        }
        add(
                "span_return",
                Attachment.returnsOf(group),
                ids,
                true,
                programs.spanReturn(ids, spec, convention, filter.atReturn(), entry, map));
        add(
                "span_entry",
                Attachment.entriesOf(group),
                ids,
                false,
                programs.spanEntry(ids, spec, convention, filter.atEntry(), entry, map));
    }

    private void add(
            String name,
            Attachment attachment,
            List<Integer> ids,
            boolean isSpanReturn,
            List<Instruction> instructions) {
        ProgramSpec program = new ProgramSpec(
                name + "_" + ids.get(0),
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                options.sleepableUprobes() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                instructions);
        parts.programs.add(new PlannedProgram(program, attachment, ids, isSpanReturn));
    }

    /** Throws when it is unknown where an argument that is read is passed. */
    static void checkLocations(ProbeSpec spec, List<ArgumentSpec> arguments, ArgumentLocations locations) {
        List<ArgumentSpec> all = new ArrayList<>(arguments);
        spec.filter().ifPresent(filter -> all.addAll(filter.arguments()));
        for (ArgumentSpec argument : all) {
            for (ArgumentSpec source : ArgumentCode.sources(argument)) {
                int number = source.source().number();
                if (source.source().kind() == ArgumentSource.Kind.ARGUMENT && !locations.isKnown(number)) {
                    throw new ProbeArgumentException(
                            spec,
                            "it is unknown where arg" + number + " is passed: Go passes arg1 to arg"
                                    + locations.registerCount()
                                    + " in registers here, and the rest in an order that depends on their types");
                }
            }
        }
    }
}
