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
 * and what it returned at sys_exit(pt_regs *, long result), where the registers still hold the arguments. What they point to is the
 * process's.
 */
public final class SyscallAccess implements ArgumentAccess {
    private static final int SECOND_ARGUMENT = Long.BYTES;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final int number;
    private final boolean isAtReturn;
    private final int firstOffset;
    /** Where on our stack the registers stand; 0 = they are not read yet. */
    private int slot;
    /** Where the first argument stands if it is in no register that is read with the others; 0 = not read yet. */
    private int firstSlot;

    /**
     * @param number of the call on this machine
     * @param isAtReturn whether the arguments are read at sys_exit
     */
    public SyscallAccess(Assembler assembler, RegisterTable registers, int number, boolean isAtReturn) {
        this.assembler = assembler;
        this.registers = registers;
        this.number = number;
        this.isAtReturn = isAtReturn;
        this.firstOffset = IntStream.rangeClosed(1, SyscallLayout.MAX_ARGUMENTS)
                .map(registers::systemCallArgumentOffset)
                .min()
                .orElseThrow();
    }

    /** Emits the beginning of a program at sys_enter that ends at once at other calls. Loses R2. */
    public void beginAtEntry() {
        assembler.load(Width.DOUBLE_WORD, R2, R1, SECOND_ARGUMENT);
        Label isIt = assembler.newLabel();
        assembler.jumpIf(Condition.EQUAL, R2, number, isIt);
        assembler.mov(R0, 0).exit();
        assembler.bind(isIt);
    }

    /**
     * Reads the number of the call at its return, where it is in the registers only. The program's context is in R6. Loses R0 to R5.
     *
     * @return where on the stack it stands, a number of 32 bits
     */
    public static int readNumber(Assembler assembler, RegisterTable registers) {
        return read(assembler, registers.systemCallNumberOffset(), Integer.BYTES);
    }

    @Override
    public void rejectOthers(Label other) {
        if (isAtReturn) {
            int numberSlot = readNumber(assembler, registers);
            assembler.load(Width.WORD, R1, R10, numberSlot).jumpIf(Condition.NOT_EQUAL, R1, number, other);
        }
    }

    @Override
    public void prepare(List<ArgumentSpec> arguments) {
        List<Integer> numbers = arguments.stream()
                .filter(argument -> argument.source().kind() == ArgumentSource.Kind.ARGUMENT)
                .map(argument -> argument.source().number())
                .toList();
        if (firstSlot == 0 && numbers.contains(1) && isFirstApart()) {
            firstSlot = read(registers.systemCallArgumentOffsetAtReturn(1), Long.BYTES);
        }
        if (slot == 0 && numbers.stream().anyMatch(number -> number != 1 || !isFirstApart())) {
            slot = read(firstOffset, SyscallLayout.REGISTERS_SIZE_BYTES);
        }
    }

    private boolean isFirstApart() {
        return isAtReturn && registers.systemCallArgumentOffsetAtReturn(1) != registers.systemCallArgumentOffset(1);
    }

    private int read(int offset, int sizeBytes) {
        return read(assembler, offset, sizeBytes);
    }

    /** Copies a part of the registers, which lie on the thread's own kernel stack, so that it cannot fail. */
    private static int read(Assembler assembler, int offset, int sizeBytes) {
        int to = assembler.stackSlot(sizeBytes);
        assembler.mov(R1, R10).add(R1, to).mov(R2, sizeBytes);
        assembler.load(Width.DOUBLE_WORD, R3, R6, 0).add(R3, offset);
        assembler.call(Helper.PROBE_READ_KERNEL);
        return to;
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        switch (argument.source().kind()) {
            case ARGUMENT -> assembler.load(Width.DOUBLE_WORD, destination, R10, place(argument));
            case RETURN_VALUE -> assembler.load(Width.DOUBLE_WORD, destination, R6, SECOND_ARGUMENT);
            case FIELD, RAW, CONTEXT ->
                throw new IllegalArgumentException("argument " + argument.name() + " is none of a system call");
        }
    }

    private int place(ArgumentSpec argument) {
        int number = argument.source().number();
        boolean isApart = number == 1 && isFirstApart();
        if ((isApart ? firstSlot : slot) == 0) {
            throw new IllegalStateException("argument " + argument.name() + " was not prepared");
        }
        return isApart ? firstSlot : slot + registers.systemCallArgumentOffset(number) - firstOffset;
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.USER;
    }
}
