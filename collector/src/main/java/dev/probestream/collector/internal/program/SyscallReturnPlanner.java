package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.code.ConnectedStreamProgram;
import dev.probestream.collector.internal.program.code.SyscallReturnProgram;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
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

    /** Plans what has such streams known as soon as they are connected. */
    static void connectedStreams(PlanParts parts) {
        ProgramOptions options = parts.options;
        SyscallTable.of(options.registers())
                .number(ConnectedStreamProgram.SYSCALL)
                .ifPresent(number -> {
                    Assembler assembler = new Assembler();
                    SyscallAccess access = new SyscallAccess(assembler, options.registers(), number, true);
                    ArgumentCode code = new ArgumentCode(assembler, access, false, options.kernelOffsets());
                    add(
                            parts,
                            "connected_streams",
                            List.of(),
                            ConnectedStreamProgram.write(assembler, options.filter(), code));
                });
    }

    private final PlanParts parts;
    private final ProgramOptions options;
    private final ResolvedProbe probe;
    private final ProbeSpec spec;
    private final List<Integer> ids;

    SyscallReturnPlanner(PlanParts parts, ResolvedProbe probe) {
        this.parts = parts;
        this.options = parts.options;
        this.probe = probe;
        this.spec = probe.spec();
        this.ids = List.of(probe.probeId());
    }

    /** What is made of a return: a sample, or a count. */
    interface ReturnProgram {
        List<Instruction> write(Assembler assembler, ArgumentCode argumentCode);
    }

    /** Plans those to be recorded that are at returns of system calls: one program for all of a set. */
    static void record(PlanParts parts, List<ResolvedProbe> resolved) {
        Map<List<Object>, List<SyscallReturnProgram.Return>> alike = new LinkedHashMap<>();
        for (ResolvedProbe probe : resolved) {
            if (probe.spec().kind() == ProbeKind.SYS_EXIT) {
                PresetTraits preset = probe.spec().preset();
                new SyscallReturnPlanner(parts, probe)
                        .sample()
                        .ifPresent(one -> alike.computeIfAbsent(
                                        List.of(preset.category(), preset.attaching()), unused -> new ArrayList<>())
                                .add(one));
            }
        }
        alike.values().forEach(returns -> together(parts, returns));
    }

    private static void together(PlanParts parts, List<SyscallReturnProgram.Return> returns) {
        List<Integer> ids =
                returns.stream().map(SyscallReturnProgram.Return::probeId).toList();
        try {
            List<Instruction> program = new SyscallReturnProgram(parts.options).write(returns);
            add(parts, "sys_exit_" + ids.get(0), ids, program);
        } catch (IllegalStateException e) {
            if (returns.size() == 1) {
                throw e;
            }
            returns.forEach(one -> together(parts, List.of(one))); // the stack is too small for all of them
        }
    }

    /** What is recorded of a return; empty: nothing, a part of the kernel's work has a program of its own for it. */
    private Optional<SyscallReturnProgram.Return> sample() {
        EventLayout layout = parts.layout(spec, spec.arguments());
        parts.add(probe, spec.arguments(), layout);
        Optional<FunctionPart.Member> member = FunctionPart.of(spec);
        if (member.isPresent()) {
            FunctionPart part = member.get().part();
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, part.zeroSizeBytes());
            plan(
                    part.programName(),
                    (assembler, code) -> part.program(
                            assembler, code, options, ids, spec, member.get().role(), layout));
            return Optional.empty();
        }
        List<ArgumentSpec> arguments = new ArrayList<>(spec.arguments());
        List<ArgumentSlot> slots = new ArrayList<>(layout.arguments());
        spec.result().ifPresent(result -> {
            arguments.add(ArgumentSpec.of("result", ArgumentSource.RETURN_VALUE, result.type()));
            slots.add(new ArgumentSlot(result.type(), layout.returnOffset(), false));
        });
        return Optional.of(new SyscallReturnProgram.Return(
                probe.probeId(),
                SyscallPlanner.number(spec, options),
                spec.filter(),
                arguments,
                slots,
                layout,
                spec.preset().wakes()));
    }

    /** Plans a program, of whose name that is the beginning. */
    void plan(String name, ReturnProgram program) {
        Assembler assembler = new Assembler();
        int number = SyscallPlanner.number(spec, options);
        SyscallAccess access = new SyscallAccess(assembler, options.registers(), number, true);
        ArgumentCode code = new ArgumentCode(assembler, access, false, options.kernelOffsets());
        add(parts, name + "_" + probe.probeId(), ids, program.write(assembler, code));
    }

    private static void add(PlanParts parts, String name, List<Integer> ids, List<Instruction> instructions) {
        ProgramSpec loaded = new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, instructions);
        parts.programs.add(new PlannedProgram(loaded, Attachment.rawTracepoint("sys_exit"), ids, false));
    }
}
