package dev.probestream.collector.internal.program.snippet.access;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtOperand;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a USDT probe at its attach points: constants, registers, and memory that registers point to. What lies in
 * memory is read once per hit, before its first use, onto the stack, where a second word holds whether that worked.
 */
public final class UsdtAccess implements ArgumentAccess {
    private final Assembler assembler;
    private final RegisterTable registers;
    private final List<UsdtArgument> arguments;
    private final boolean maySleep;
    /** Where on the stack an argument from memory stands, by its number; its error follows 8 bytes behind. */
    private final Map<Integer, Integer> slots = new HashMap<>();

    /**
     * @param arguments of the attach points, in their order; what is behind the last cannot be read
     * @param maySleep whether the program is sleepable, so that user memory that is not resident can be fetched
     */
    public UsdtAccess(Assembler assembler, RegisterTable registers, List<UsdtArgument> arguments, boolean maySleep) {
        this.assembler = assembler;
        this.registers = registers;
        this.arguments = arguments;
        this.maySleep = maySleep;
    }

    @Override
    public void prepare(List<ArgumentSpec> read) {
        for (ArgumentSpec argument : read) {
            int number = argument.source().number();
            if (readability(argument) == Readability.AT_TIMES && !slots.containsKey(number)) {
                int slot = assembler.stackSlot(2 * Long.BYTES);
                slots.put(number, slot);
                fetch(operand(argument), arguments.get(number - 1).sizeBytes(), slot);
            }
        }
    }

    @Override
    public Readability readability(ArgumentSpec argument) {
        int number = argument.source().number();
        if (number > arguments.size() || !isOfKind(argument, arguments.get(number - 1))) {
            return Readability.NEVER;
        }
        UsdtOperand operand = operand(argument);
        return switch (operand.kind()) {
            case CONSTANT -> Readability.ALWAYS;
            case REGISTER -> isKnown(operand.register()) ? Readability.ALWAYS : Readability.NEVER;
            case MEMORY ->
                isKnown(operand.register()) && (operand.indexRegister().isEmpty() || isKnown(operand.indexRegister()))
                        ? Readability.AT_TIMES
                        : Readability.NEVER;
            case FROM_INSTRUCTION -> Readability.AT_TIMES;
            case SYMBOL, UNREADABLE -> Readability.NEVER;
        };
    }

    /** A floating-point number is never taken for an integer, nor for one of another size. */
    private static boolean isOfKind(ArgumentSpec argument, UsdtArgument location) {
        boolean isFloat = argument.type().form().isFloat() && !argument.isDereferenced();
        return isFloat ? location.sizeBytes() == argument.type().capacityBytes() : !location.isFloat();
    }

    @Override
    public void jumpIfUnreadable(ArgumentSpec argument, Label unreadable) {
        assembler.load(Width.DOUBLE_WORD, R0, R10, slot(argument) + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        UsdtArgument location = arguments.get(argument.source().number() - 1);
        UsdtOperand operand = location.operand();
        switch (operand.kind()) {
            case CONSTANT -> assembler.loadImmediate64(destination, operand.value());
            case REGISTER -> {
                assembler.load(Width.DOUBLE_WORD, destination, R6, offset(operand.register()));
                if (operand.firstBit() != 0) {
                    assembler.shiftRight(destination, operand.firstBit());
                }
            }
            case MEMORY, FROM_INSTRUCTION -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot(argument));
            case SYMBOL, UNREADABLE ->
                throw new IllegalArgumentException(
                        "argument " + argument.name() + " cannot be read: " + location.text());
        }
        Width width = width(location.sizeBytes());
        if (location.isSigned()) {
            assembler.signExtend(destination, width);
        } else {
            assembler.zeroExtend(destination, width);
        }
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.USER;
    }

    /** Reads memory into the slot; the word behind it becomes 0 when that worked. */
    private void fetch(UsdtOperand operand, int sizeBytes, int slot) {
        Label done = assembler.newLabel();
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, 0);
        read(operand, sizeBytes, slot, Helper.PROBE_READ_USER);
        if (maySleep) {
            assembler.jumpIf(Condition.EQUAL, R0, 0, done);
            read(operand, sizeBytes, slot, Helper.COPY_FROM_USER);
        }
        assembler.bind(done);
        assembler.store(Width.DOUBLE_WORD, R10, slot + Long.BYTES, R0);
    }

    private void read(UsdtOperand operand, int sizeBytes, int slot, Helper helper) {
        address(R3, operand);
        assembler.mov(R1, R10).add(R1, slot).mov(R2, sizeBytes).call(helper);
    }

    private void address(Register destination, UsdtOperand operand) {
        if (operand.kind() == UsdtOperand.Kind.FROM_INSTRUCTION) {
            assembler.load(Width.DOUBLE_WORD, destination, R6, registers.instructionPointerOffset());
        } else {
            assembler.load(Width.DOUBLE_WORD, destination, R6, offset(operand.register()));
        }
        if (!operand.indexRegister().isEmpty()) {
            assembler.load(Width.DOUBLE_WORD, R4, R6, offset(operand.indexRegister()));
            assembler.mul(R4, operand.scale()).add(destination, R4);
        }
        if (operand.value() == (int) operand.value()) {
            assembler.add(destination, (int) operand.value());
        } else {
            assembler.loadImmediate64(R4, operand.value()).add(destination, R4);
        }
    }

    private UsdtOperand operand(ArgumentSpec argument) {
        return arguments.get(argument.source().number() - 1).operand();
    }

    private int slot(ArgumentSpec argument) {
        Integer slot = slots.get(argument.source().number());
        if (slot == null) {
            throw new IllegalStateException("argument " + argument.name() + " was not prepared");
        }
        return slot;
    }

    private boolean isKnown(String register) {
        return registers.namedOffset(register).isPresent();
    }

    private int offset(String register) {
        return registers.namedOffset(register).orElseThrow();
    }

    private static Width width(int sizeBytes) {
        return switch (sizeBytes) {
            case 1 -> Width.BYTE;
            case 2 -> Width.HALF;
            case 4 -> Width.WORD;
            case 8 -> Width.DOUBLE_WORD;
            default -> throw new IllegalArgumentException("an argument of " + sizeBytes + " bytes");
        };
    }
}
