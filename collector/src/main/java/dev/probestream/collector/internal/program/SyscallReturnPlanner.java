package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.StackExceededException;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.code.ConnectedStreamProgram;
import dev.probestream.collector.internal.program.code.HistogramProgram;
import dev.probestream.collector.internal.program.code.SyscallReturnProgram;
import dev.probestream.collector.internal.program.code.SyscallReturnProgram.Return;
import dev.probestream.collector.internal.program.code.WriteEntryProgram;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.access.SyscallAccess;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Plans the returns of system calls, at the raw tracepoint sys_exit: one run of a program for a call, where a span has two. The
 * program sees all calls of the machine, and looks at the thread first.
 */
final class SyscallReturnPlanner {
    /** Whether anything is asked for that is found by the descriptor of a stream of libuv. */
    static boolean needsStreams(List<ProbeSpec> asked) {
        return asked.stream()
                .flatMap(spec -> Stream.concat(
                        spec.arguments().stream(),
                        spec.filter().stream().flatMap(filter -> filter.arguments().stream())))
                .anyMatch(argument -> argument.type().form().isOfLoop());
    }

    private final PlanParts parts;
    private final ProgramOptions options;

    SyscallReturnPlanner(PlanParts parts) {
        this.parts = parts;
        this.options = parts.options;
    }

    /** Plans those to be recorded that are at returns of system calls: one program for all of a set. */
    void record(List<ResolvedProbe> resolved) {
        Map<List<Object>, List<Return>> alike = new LinkedHashMap<>();
        Set<Integer> entries = new TreeSet<>();
        for (ResolvedProbe probe : resolved) {
            ProbeSpec spec = probe.spec();
            if (spec.kind() != ProbeKind.SYS_EXIT) {
                continue;
            }
            Optional<FunctionPart.Member> member = FunctionPart.of(spec);
            if (member.isPresent()) {
                part(probe, member.get().part(), member.get().role());
                if (member.get().part().needsEntries(member.get().role())) {
                    entries.add(SyscallPlanner.number(spec, options));
                }
            } else {
                PresetTraits preset = spec.preset();
                alike.computeIfAbsent(List.of(preset.category(), preset.attaching()), unused -> new ArrayList<>())
                        .add(sample(probe));
            }
        }
        alike.values().forEach(this::together);
        if (!entries.isEmpty()) {
            add("enter_write", "sys_enter", List.of(), WriteEntryProgram.write(options.filter(), entries));
        }
    }

    /** Plans a return that is none of the events, but part of the kernel's work. */
    private void part(ResolvedProbe probe, FunctionPart part, Enum<?> role) {
        ProbeSpec spec = probe.spec();
        EventLayout layout = parts.layout(spec, spec.arguments());
        parts.add(probe, spec.arguments(), layout);
        parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, part.zeroSizeBytes());
        Assembler assembler = new Assembler();
        List<Integer> ids = List.of(probe.probeId());
        ArgumentCode code = code(assembler, SyscallPlanner.number(spec, options));
        add(
                part.programName() + "_" + probe.probeId(),
                ids,
                part.program(assembler, code, options, ids, spec, role, layout));
    }

    private void together(List<Return> returns) {
        List<Integer> ids = returns.stream().map(Return::probeId).toList();
        List<Instruction> program;
        try {
            program = new SyscallReturnProgram(options).write(returns);
        } catch (StackExceededException e) {
            if (returns.size() == 1) {
                throw e;
            }
            returns.forEach(one -> together(List.of(one))); // each has a stack of its own
            return;
        }
        add("sys_exit_" + ids.get(0), ids, program);
    }

    private Return sample(ResolvedProbe probe) {
        ProbeSpec spec = probe.spec();
        EventLayout layout = parts.layout(spec, spec.arguments());
        parts.add(probe, spec.arguments(), layout);
        List<ArgumentSpec> arguments = new ArrayList<>(spec.arguments());
        List<ArgumentSlot> slots = new ArrayList<>(layout.arguments());
        spec.result().ifPresent(result -> {
            arguments.add(ArgumentSpec.of("result", ArgumentSource.RETURN_VALUE, result.type()));
            slots.add(new ArgumentSlot(result.type(), layout.returnOffset(), false));
        });
        return new Return(
                probe.probeId(),
                SyscallPlanner.number(spec, options),
                spec.filter(),
                arguments,
                slots,
                layout,
                spec.preset().wakes());
    }

    /** Plans a count at the returns that a probe stands for. */
    void count(ResolvedProbe probe, HistogramLayout layout) {
        Assembler assembler = new Assembler();
        List<Integer> ids = List.of(probe.probeId());
        ArgumentCode code = code(assembler, SyscallPlanner.number(probe.spec(), options));
        add(
                "hist_" + probe.probeId(),
                ids,
                new HistogramProgram(assembler, options, code, layout)
                        .write(ids, probe.spec().filter()));
    }

    /** Plans what has streams of libuv known as soon as they are connected. */
    void connectedStreams() {
        SyscallTable.of(options.registers())
                .number(ConnectedStreamProgram.SYSCALL)
                .ifPresent(number -> {
                    Assembler assembler = new Assembler();
                    add(
                            "connected_streams",
                            List.of(),
                            ConnectedStreamProgram.write(assembler, options.filter(), code(assembler, number)));
                });
    }

    private ArgumentCode code(Assembler assembler, int number) {
        SyscallAccess access = new SyscallAccess(assembler, options.registers(), number, true);
        return new ArgumentCode(assembler, access, false, options.kernelOffsets());
    }

    private void add(String name, List<Integer> ids, List<Instruction> instructions) {
        add(name, "sys_exit", ids, instructions);
    }

    private void add(String name, String tracepoint, List<Integer> ids, List<Instruction> instructions) {
        ProgramSpec program = new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, instructions);
        parts.programs.add(new PlannedProgram(program, Attachment.rawTracepoint(tracepoint), ids, false));
    }
}
