package dev.probestream.collector.internal.program.snippet.access;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The arguments of a system call at the raw tracepoint sys_enter(pt_regs *, long number): registers of pt_regs, read once per hit;
 * and what it returned at sys_exit(pt_regs *, long result). What they point to is the process's.
 */
public final class SyscallAccess implements ArgumentAccess {
    private static final int SECOND_ARGUMENT = Long.BYTES;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final int firstOffset;
    /** Where on our stack the registers stand; 0 = they are not read yet. */
    private int slot;

    public SyscallAccess(Assembler assembler, RegisterTable registers) {
        this.assembler = assembler;
        this.registers = registers;
        this.firstOffset = IntStream.rangeClosed(1, SyscallLayout.MAX_ARGUMENTS)
                .map(registers::systemCallArgumentOffset)
                .min()
                .orElseThrow();
    }

    /** Emits the beginning of a program that ends at once at calls of other numbers. Loses R2. */
    public void rejectOthers(int number) {
        assembler.load(Width.DOUBLE_WORD, R2, R1, SECOND_ARGUMENT);
        Label isIt = assembler.newLabel();
        assembler.jumpIf(Condition.EQUAL, R2, number, isIt);
        assembler.mov(R0, 0).exit();
        assembler.bind(isIt);
    }

    @Override
    public void prepare(List<ArgumentSpec> arguments) {
        if (slot != 0
                || arguments.stream().noneMatch(argument -> argument.source().kind() == ArgumentSource.Kind.ARGUMENT)) {
            return;
        }
        slot = assembler.stackSlot(SyscallLayout.REGISTERS_SIZE_BYTES);
        assembler.mov(R1, R10).add(R1, slot).mov(R2, SyscallLayout.REGISTERS_SIZE_BYTES);
        assembler.load(Width.DOUBLE_WORD, R3, R6, 0).add(R3, firstOffset);
        assembler.call(Helper.PROBE_READ_KERNEL); // cannot fail: the registers lie on the thread's own kernel stack
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        switch (argument.source().kind()) {
            case ARGUMENT -> {
                if (slot == 0) {
                    throw new IllegalStateException("argument " + argument.name() + " was not prepared");
                }
                int offset =
                        registers.systemCallArgumentOffset(argument.source().number()) - firstOffset;
                assembler.load(Width.DOUBLE_WORD, destination, R10, slot + offset);
            }
            case RETURN_VALUE -> assembler.load(Width.DOUBLE_WORD, destination, R6, SECOND_ARGUMENT);
            case FIELD, RAW, CONTEXT ->
                throw new IllegalArgumentException("argument " + argument.name() + " is none of a system call");
        }
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.USER;
    }
}
