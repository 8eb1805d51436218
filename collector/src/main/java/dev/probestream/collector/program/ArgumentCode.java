package dev.probestream.collector.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentCondition;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;

/** Emits the code that reads one argument and writes it into its slot; what cannot be read sets its bit in R8. */
final class ArgumentCode {
    private final Assembler assembler;
    private final ArgumentAccess access;
    private final boolean maySleep;
    /** Where on the stack the pointer of the string at hand stands; 0 = no string has needed it yet. */
    private int pointerSlot;

    /**
     * @param maySleep whether the program is sleepable, so that user memory that is not resident can be fetched
     */
    ArgumentCode(Assembler assembler, ArgumentAccess access, boolean maySleep) {
        this.assembler = assembler;
        this.access = access;
        this.maySleep = maySleep;
    }

    /**
     * Reads the argument into its slot of what lies at {@code base + baseOffset}.
     *
     * @param index of the argument: the bit that says it could not be read
     */
    void read(ArgumentSpec argument, int index, ArgumentSlot slot, Register base, int baseOffset) {
        int offset = baseOffset + slot.offset();
        switch (argument.type().form()) {
            case STR -> string(argument, index, base, offset);
            case CHARS -> bytes(argument, index, base, offset, argument.type().capacityBytes());
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL -> {
                if (argument.dereferenceOffsetBytes().isPresent()) {
                    numberInMemory(argument, index, base, offset);
                } else {
                    address(R1, argument);
                    extend(R1, argument.type());
                    assembler.store(Width.DOUBLE_WORD, base, offset, R1);
                }
            }
            case DECLARED -> throw new IllegalArgumentException("argument " + argument.name() + " has no type yet");
        }
    }

    /** Jumps unless the condition holds. May lose R8. */
    void rejectUnless(ArgumentCondition condition, Label rejected) {
        Label holds = assembler.newLabel();
        ArgumentType type = condition.argument().type();
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.mov(R8, 0);
        read(condition.argument(), 0, new ArgumentSlot(type, 0, false), R10, slot);
        assembler.jumpIf(Condition.NOT_EQUAL, R8, 0, rejected);
        assembler.load(Width.DOUBLE_WORD, R1, R10, slot);
        assembler.jumpIf(comparison(condition.comparison(), type.isSigned()), R1, condition.value(), holds);
        assembler.jump(rejected);
        assembler.bind(holds);
    }

    private static Condition comparison(ArgumentCondition.Comparison comparison, boolean isSigned) {
        return switch (comparison) {
            case EQUAL -> Condition.EQUAL;
            case NOT_EQUAL -> Condition.NOT_EQUAL;
            case GREATER -> isSigned ? Condition.SIGNED_GREATER : Condition.GREATER;
            case GREATER_OR_EQUAL -> isSigned ? Condition.SIGNED_GREATER_OR_EQUAL : Condition.GREATER_OR_EQUAL;
            case LESS -> isSigned ? Condition.SIGNED_LESS : Condition.LESS;
            case LESS_OR_EQUAL -> isSigned ? Condition.SIGNED_LESS_OR_EQUAL : Condition.LESS_OR_EQUAL;
        };
    }

    /** Spreads a number of this type over the whole register. */
    static void extend(Assembler assembler, Register register, ArgumentType type) {
        if (type.isSigned()) {
            assembler.signExtend(register, width(type));
        } else {
            assembler.zeroExtend(register, width(type));
        }
    }

    private void extend(Register register, ArgumentType type) {
        extend(assembler, register, type);
    }

    /** The source's value with the addend. */
    private void address(Register destination, ArgumentSpec argument) {
        access.load(destination, argument);
        if (argument.addend() != 0) {
            assembler.add(destination, Math.toIntExact(argument.addend()));
        }
    }

    /** Where the pointer points, plus the offset. */
    private void target(Register destination, ArgumentSpec argument) {
        address(destination, argument);
        int offset = Math.toIntExact(argument.dereferenceOffsetBytes().orElse(0));
        if (offset != 0) {
            assembler.add(destination, offset);
        }
    }

    private void numberInMemory(ArgumentSpec argument, int index, Register base, int offset) {
        assembler.storeImmediate(Width.DOUBLE_WORD, base, offset, 0);
        bytes(argument, index, base, offset, argument.type().capacityBytes());
        if (argument.type().isSigned() && width(argument.type()) != Width.DOUBLE_WORD) {
            assembler.load(width(argument.type()), R1, base, offset);
            extend(R1, argument.type());
            assembler.store(Width.DOUBLE_WORD, base, offset, R1);
        }
    }

    /** Copies bytes of a fixed count; the helpers fill the place with zeros when they fail. */
    private void bytes(ArgumentSpec argument, int index, Register base, int offset, int sizeBytes) {
        Label done = assembler.newLabel();
        copy(argument, base, offset, sizeBytes, done);
        unavailable(index);
        assembler.bind(done);
    }

    /** Tries to copy, jumps when it worked and falls through when it did not. */
    private void copy(ArgumentSpec argument, Register base, int offset, int sizeBytes, Label done) {
        boolean isUser = access.memory(argument) == ArgumentAccess.Memory.USER;
        place(base, offset).mov(R2, sizeBytes);
        target(R3, argument);
        assembler.call(isUser ? Helper.PROBE_READ_USER : Helper.PROBE_READ_KERNEL);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        if (isUser && maySleep) {
            place(base, offset).mov(R2, sizeBytes);
            target(R3, argument);
            assembler.call(Helper.COPY_FROM_USER);
            assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        }
    }

    private void string(ArgumentSpec argument, int index, Register base, int offset) {
        Label unreadable = assembler.newLabel();
        Label done = assembler.newLabel();
        StringPointer pointer = stringPointer(argument, unreadable);
        boolean isUser = access.memory(argument) == ArgumentAccess.Memory.USER;
        int textOffset = offset + ArgumentSlot.TEXT_OFFSET;
        int sizeBytes = ArgumentSlot.readSizeBytes(argument.type());

        pointer.load(R3);
        assembler.jumpIf(Condition.EQUAL, R3, 0, unreadable);
        place(base, textOffset).mov(R2, sizeBytes);
        assembler.call(isUser ? Helper.PROBE_READ_USER_STR : Helper.PROBE_READ_KERNEL_STR);
        assembler.jumpIf(Condition.SIGNED_GREATER, R0, 0, done);
        if (isUser && maySleep) {
            // A text of at most a page lies on two pages: have them brought in, then read it again as a string. The
            // second is only touched when the first was not enough, for it may not be the program's at all.
            for (int touched : new int[] {0, sizeBytes - 1}) {
                touch(pointer, base, textOffset, touched, unreadable);
                place(base, textOffset).mov(R2, sizeBytes);
                pointer.load(R3);
                assembler.call(Helper.PROBE_READ_USER_STR);
                assembler.jumpIf(Condition.SIGNED_GREATER, R0, 0, done);
            }
        }
        assembler.bind(unreadable);
        unavailable(index);
        assembler.mov(R0, 0);
        assembler.bind(done);
        assembler.store(Width.WORD, base, offset, R0);
    }

    private void touch(StringPointer pointer, Register base, int textOffset, int distance, Label unreadable) {
        place(base, textOffset).mov(R2, 1);
        pointer.load(R3);
        if (distance != 0) {
            assembler.add(R3, distance);
        }
        assembler.call(Helper.COPY_FROM_USER);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    /** Emits the load of the address of a string's first byte. */
    private interface StringPointer {
        void load(Register destination);
    }

    private StringPointer stringPointer(ArgumentSpec argument, Label unreadable) {
        if (argument.dereferenceOffsetBytes().isEmpty()) {
            return destination -> address(destination, argument);
        }
        if (pointerSlot == 0) {
            pointerSlot = assembler.stackSlot(Long.BYTES);
        }
        int slot = pointerSlot;
        Label read = assembler.newLabel();
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, 0);
        copy(argument, R10, slot, Long.BYTES, read);
        assembler.jump(unreadable);
        assembler.bind(read);
        return destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot);
    }

    private Assembler place(Register base, int offset) {
        return assembler.mov(R1, base).add(R1, offset);
    }

    private void unavailable(int index) {
        if (index < 31) {
            assembler.or(R8, 1 << index);
        } else {
            assembler.loadImmediate64(R1, 1L << index).or(R8, R1);
        }
    }

    private static Width width(ArgumentType type) {
        return switch (type.capacityBytes()) {
            case 1 -> Width.BYTE;
            case 2 -> Width.HALF;
            case 4 -> Width.WORD;
            case 8 -> Width.DOUBLE_WORD;
            default -> throw new IllegalArgumentException("a number of " + type.capacityBytes() + " bytes");
        };
    }
}
