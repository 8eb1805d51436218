package dev.probestream.collector.program;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.program.PlannedProgram.Attachment;
import dev.probestream.schema.record.FlowStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plans the probes of user functions: those that record alike share a program when links can carry cookies. */
final class FunctionPlanner {
    /** What a map of open spans may take of the kernel's memory. */
    private static final long MAX_PAIRING_BYTES = 32L << 20;

    private static final int MIN_OPEN_SPANS = 256;

    private final PlanParts parts;
    private final ProgramOptions options;
    private final FunctionPrograms programs;

    FunctionPlanner(PlanParts parts) {
        this.parts = parts;
        this.options = parts.options;
        this.programs = new FunctionPrograms(options);
    }

    /** Plans those that sit in user functions. */
    void plan(List<NumberedProbe> numbered) {
        groups(numbered).values().forEach(this::group);
    }

    /** Probes that one program can serve, in the order of the first of each. */
    private Map<List<Object>, List<NumberedProbe>> groups(List<NumberedProbe> numbered) {
        Map<List<Object>, List<NumberedProbe>> groups = new LinkedHashMap<>();
        for (NumberedProbe probe : numbered) {
            ProbeSpec spec = probe.spec();
            if (spec.kind().isUserFunction()) {
                List<Object> recordsAlike = List.of(
                        spec.kind(),
                        spec.arguments().stream().map(FunctionPlanner::shape).toList(),
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

    private void group(List<NumberedProbe> group) {
        ProbeSpec spec = group.get(0).spec();
        checkRegisters(spec);
        EventLayout layout = parts.layout(spec, spec.arguments());
        for (NumberedProbe probe : group) {
            // Of probes that record alike only the kind can differ: a counter's numbers are values.
            ProbeSpec own = probe.spec();
            parts.add(probe, own.arguments(), parts.layout(own, own.arguments()));
        }
        List<Integer> ids = group.stream().map(NumberedProbe::probeId).toList();
        if (spec.kind() == ProbeKind.SPAN) {
            span(ids, spec, layout);
        } else {
            boolean isReturn = spec.kind() == ProbeKind.URETPROBE;
            Attachment attachment = isReturn ? Attachment.USER_RETURN : Attachment.USER_ENTRY;
            add(spec.kind().spelling(), attachment, ids, false, programs.instant(ids, spec, layout));
        }
    }

    private void span(List<Integer> ids, ProbeSpec spec, EventLayout layout) {
        SpanEntry entry = SpanEntry.of(layout, spec.arguments());
        String map = "open_" + ids.get(0);
        int size = entry.valueSizeBytes();
        long fitting = Math.max(MIN_OPEN_SPANS, MAX_PAIRING_BYTES / size);
        int room = (int) Math.min(options.maxOpenSpans(), fitting);
        parts.maps.add(MapSpec.hash(map, SpanEntry.KEY_SIZE_BYTES, size, room));
        parts.pairingMaps.add(new PairingMap(map, size));
        if (!SpanEntryProgram.isBuiltOnStack(spec.arguments(), entry)) {
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, size);
        }
        add("span_return", Attachment.USER_RETURN, ids, true, programs.spanReturn(ids, spec, entry, map));
        add("span_entry", Attachment.USER_ENTRY, ids, false, programs.spanEntry(ids, spec, entry, map));
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
        parts.programs.add(new PlannedProgram(program, attachment, "", ids, isSpanReturn));
    }

    private void checkRegisters(ProbeSpec spec) {
        int registers = options.registers().argumentCount();
        List<ArgumentSpec> all = new ArrayList<>(spec.arguments());
        spec.condition().ifPresent(condition -> all.add(condition.argument()));
        for (ArgumentSpec argument : all) {
            ArgumentSource source = argument.source();
            if (source.kind() == ArgumentSource.Kind.ARGUMENT && source.number() > registers) {
                throw new ProbeArgumentException(
                        spec,
                        "arg" + source.number() + " is not passed in a register: this machine has arg1 to arg"
                                + registers);
            }
        }
    }
}
