package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.access.SyscallAccess;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the program at the raw tracepoint sys_exit(pt_regs *, long result) for the returns of several system calls: it looks once at the thread and
 * at the number of the call, and goes on with the probes of that number one after the other. All calls of the machine pass it.
 */
public final class SyscallReturnProgram {
    private final Assembler assembler = new Assembler();
    private final ProgramOptions options;
    private final Fragments fragments;

    /**
     * What is recorded at the return of one call.
     *
     * @param number of the call on this machine
     * @param arguments with their types; the last one may be the returned value
     * @param slots as many
     * @param wakes whether the reader is to read each sample at once
     */
    public record Return(
            int probeId,
            int number,
            Optional<Filter> filter,
            List<ArgumentSpec> arguments,
            List<ArgumentSlot> slots,
            EventLayout layout,
            boolean wakes) {}

    public SyscallReturnProgram(ProgramOptions options) {
        this.options = options;
        this.fragments = new Fragments(assembler, options.filter());
    }

    /**
     * The program.
     *
     * @throws dev.probestream.bpf.asm.StackExceededException when one of the parts takes too much of the stack beside what another one calls
     */
    public List<Instruction> write(List<Return> returns) {
        Map<Integer, List<Return>> byNumber = new LinkedHashMap<>();
        returns.forEach(one -> byNumber.computeIfAbsent(one.number(), unused -> new ArrayList<>())
                .add(one));
        Label end = assembler.newLabel();
        assembler.mov(R6, R1);
        int thread = fragments.currentThread();
        fragments.rejectUntracedThread(thread, end);
        int number = SyscallAccess.readNumber(assembler, options.registers());
        assembler.load(Width.WORD, R1, R10, number);
        Map<Integer, Label> labels = new LinkedHashMap<>();
        byNumber.keySet().forEach(one -> labels.put(one, assembler.newLabel()));
        labels.forEach((one, label) -> assembler.jumpIf(Condition.EQUAL, R1, one, label));
        assembler.jump(end);
        int taken = assembler.takenStackBytes();
        labels.forEach((one, label) -> {
            assembler.bind(label);
            for (Return part : byNumber.getOrDefault(one, List.of())) {
                part(part, thread);
                assembler.returnStack(taken);
            }
            assembler.jump(end);
        });
        assembler.bind(end);
        fragments.exit();
        return assembler.assemble();
    }

    private void part(Return part, int thread) {
        SyscallAccess access = new SyscallAccess(assembler, options.registers(), part.number(), true);
        ArgumentCode code = new ArgumentCode(assembler, access, false, options.kernelOffsets());
        new InstantProgram(assembler, options.registers(), options.filter(), code, part.wakes())
                .part(part.probeId(), thread, part.filter(), part.arguments(), part.slots(), part.layout());
    }
}
