package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;
import java.util.Collection;
import java.util.List;

/**
 * Writes the program at the raw tracepoint sys_enter(pt_regs *, long number) that notes when a thread enters a system call that writes
 * (enter_write() in src/main/bpf/stream_bytes.bpf.c). Nothing is recorded: whether the write matters is known at its return.
 */
public final class WriteEntryProgram {
    private static final int CALLED_STACK_BYTES = 32;

    private WriteEntryProgram() {}

    /**
     * The program.
     *
     * @param numbers of the system calls on this machine
     */
    public static List<Instruction> write(TargetFilter filter, Collection<Integer> numbers) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label writes = assembler.newLabel();
        Label ignored = assembler.newLabel();
        assembler.mov(R6, R1).load(Width.DOUBLE_WORD, R2, R1, Long.BYTES);
        numbers.forEach(number -> assembler.jumpIf(Condition.EQUAL, R2, number, writes));
        assembler.jump(ignored);
        assembler.bind(writes);
        fragments.rejectUntracedThread(fragments.currentThread(), ignored);
        assembler.callFunction("enter_write", CALLED_STACK_BYTES);
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }
}
