package dev.probestream.collector.internal.program.snippet.access;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.MemoryCode;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a user function at its entry, or what it returned at its return: registers of {@code pt_regs}, and
 * words of its stack, which are read once per hit.
 */
public final class FunctionAccess implements ArgumentAccess {
    private final Assembler assembler;
    private final RegisterTable registers;
    private final ArgumentLocations locations;
    private final MemoryCode memory;
    /** Where on our stack an argument of the function's stack stands; 8 bytes behind it, 0 when it could be read. */
    private final Map<Integer, Integer> slots = new HashMap<>();

    public FunctionAccess(Assembler assembler, RegisterTable registers, ArgumentLocations locations, boolean maySleep) {
        this.assembler = assembler;
        this.registers = registers;
        this.locations = locations;
        this.memory = new MemoryCode(assembler, maySleep);
    }

    @Override
    public void prepare(List<ArgumentSpec> arguments) {
        for (ArgumentSpec argument : arguments) {
            int number = argument.source().number();
            if (isOnStack(argument) && !slots.containsKey(number)) {
                int slot = assembler.stackSlot(2 * Long.BYTES);
                slots.put(number, slot);
                fetch(locations.stackOffsetBytes(number), slot);
            }
        }
    }

    private void fetch(int stackOffsetBytes, int slot) {
        Label unreadable = assembler.newLabel();
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot + Long.BYTES, 1);
        MemoryCode.Load address = destination -> {
            assembler.load(Width.DOUBLE_WORD, destination, R6, registers.stackPointerOffset());
            assembler.add(destination, stackOffsetBytes);
        };
        memory.bytes(address, Long.BYTES, Memory.USER, R10, slot, unreadable);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot + Long.BYTES, 0);
        assembler.bind(unreadable);
    }

    @Override
    public Readability readability(ArgumentSpec argument) {
        return isOnStack(argument) ? Readability.AT_TIMES : Readability.ALWAYS;
    }

    @Override
    public void jumpIfUnreadable(ArgumentSpec argument, Label unreadable) {
        assembler.load(Width.DOUBLE_WORD, R0, R10, slot(argument) + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        if (isOnStack(argument)) {
            assembler.load(Width.DOUBLE_WORD, destination, R10, slot(argument));
            return;
        }
        int offset = switch (argument.source().kind()) {
            case ARGUMENT ->
                locations.registerOffset(argument.source().number()).orElseThrow();
            case RETURN_VALUE -> registers.returnValueOffset();
            case FIELD, RAW, CONTEXT ->
                throw new IllegalArgumentException("argument " + argument.name() + " is none of a function");
        };
        assembler.load(Width.DOUBLE_WORD, destination, R6, offset);
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.USER;
    }

    private boolean isOnStack(ArgumentSpec argument) {
        return argument.source().kind() == ArgumentSource.Kind.ARGUMENT
                && locations.registerOffset(argument.source().number()).isEmpty();
    }

    private int slot(ArgumentSpec argument) {
        Integer slot = slots.get(argument.source().number());
        if (slot == null) {
            throw new IllegalStateException("argument " + argument.name() + " was not prepared");
        }
        return slot;
    }
}
