package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.code.SpanEntryProgram;
import dev.probestream.collector.internal.program.code.SpanReturnProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanFilter;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.SavedAccess;
import dev.probestream.collector.internal.program.snippet.access.SyscallAccess;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Plans one system call as a span, from the raw tracepoint sys_enter to sys_exit. Both see all calls of the machine: the program at
 * the entry looks at the number first, the one at the exit finds an entry only of a thread that is in the call. A thread is in one
 * call at a time.
 */
final class SyscallPlanner {
    private final PlanParts parts;
    private final ProgramOptions options;
    private final ResolvedProbe probe;
    private final ProbeSpec spec;
    private final List<Integer> ids;
    private final int number;

    SyscallPlanner(PlanParts parts, ResolvedProbe probe) {
        this.parts = parts;
        this.options = parts.options;
        this.probe = probe;
        this.spec = probe.spec();
        this.ids = List.of(probe.probeId());
        this.number = number(spec, options);
    }

    /** The number of the system call that a spec names. */
    static int number(ProbeSpec spec, ProgramOptions options) {
        return SyscallTable.of(options.registers())
                .number(spec.function())
                .orElseThrow(() -> new ProbeArgumentException(
                        spec, "this machine has no system call of the name " + spec.function()));
    }

    /** What is made of an open call at its return: a sample, or a count. */
    interface EndProgram {
        List<Instruction> write(
                Assembler assembler,
                ArgumentCode argumentCode,
                SpanKey key,
                Optional<Filter> filter,
                String pairingMap);
    }

    /** Plans it to be recorded. */
    void record() {
        EventLayout layout = parts.layout(spec, spec.arguments());
        parts.add(probe, spec.arguments(), layout);
        plan(
                spec.arguments(),
                layout,
                (assembler, code, key, filter, map) -> new SpanReturnProgram(
                                assembler, options.registers(), key, options.filter(), code, map)
                        .write(ids, filter, spec.arguments(), spec.result(), layout));
    }

    /**
     * Plans it.
     *
     * @param arguments those that the entry stores, and those that the return reads
     * @param layout of what the entry stores
     */
    void plan(List<ArgumentSpec> arguments, EventLayout layout, EndProgram end) {
        SpanFilter filter = SpanFilter.of(spec);
        List<ArgumentSpec> read = new ArrayList<>(arguments);
        filter.atReturn().ifPresent(returned -> read.addAll(returned.arguments()));
        SpanEntry entry = SpanEntry.of(layout, read);
        int size = entry.valueSizeBytes();
        String map = parts.addOpenSpans(probe, SpanEntry.KEY_SIZE_BYTES, size, Entries.SPANS);
        if (!SpanEntryProgram.isBuiltOnStack(arguments, filter.atEntry(), entry)) {
            parts.zeroSizeBytes = Math.max(parts.zeroSizeBytes, size);
        }
        exit(entry, filter.atReturn(), map, end);
        enter(arguments, entry, filter.atEntry(), map);
    }

    private void enter(List<ArgumentSpec> arguments, SpanEntry entry, Optional<Filter> filter, String map) {
        Assembler assembler = new Assembler();
        SyscallAccess access = new SyscallAccess(assembler, options.registers(), number, false);
        access.beginAtEntry();
        SpanKey key = SpanKey.ofThread(assembler);
        add(
                "enter",
                "sys_enter",
                false,
                new SpanEntryProgram(assembler, key, options.filter(), code(assembler, access), map)
                        .write(ids, filter, arguments, entry));
    }

    private void exit(SpanEntry entry, Optional<Filter> filter, String map, EndProgram end) {
        Assembler assembler = new Assembler();
        ArgumentAccess access =
                new SavedAccess(assembler, entry, new SyscallAccess(assembler, options.registers(), number, false));
        SpanKey key = SpanKey.ofThread(assembler);
        add("exit", "sys_exit", true, end.write(assembler, code(assembler, access), key, filter, map));
    }

    private ArgumentCode code(Assembler assembler, ArgumentAccess access) {
        return new ArgumentCode(assembler, access, false, options.kernelOffsets());
    }

    private void add(String end, String tracepoint, boolean isReturn, List<Instruction> instructions) {
        ProgramSpec program = new ProgramSpec(
                "syscall_" + end + "_" + probe.probeId(),
                ProgramType.RAW_TRACEPOINT,
                AttachType.NONE,
                0,
                0,
                instructions);
        parts.programs.add(new PlannedProgram(program, Attachment.rawTracepoint(tracepoint), ids, isReturn));
    }
}
