package dev.probestream.collector.program;

import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentSpec;

/** The arguments of a user function at its entry, or what it returned at its return: registers of {@code pt_regs}. */
final class FunctionAccess implements ArgumentAccess {
    private final Assembler assembler;
    private final RegisterTable registers;

    FunctionAccess(Assembler assembler, RegisterTable registers) {
        this.assembler = assembler;
        this.registers = registers;
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        int offset = switch (argument.source().kind()) {
            case ARGUMENT -> registers.argumentOffset(argument.source().number());
            case RETURN_VALUE -> registers.returnValueOffset();
            case FIELD, RAW ->
                throw new IllegalArgumentException("argument " + argument.name() + " is none of a function");
        };
        assembler.load(Width.DOUBLE_WORD, destination, R6, offset);
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.USER;
    }
}
