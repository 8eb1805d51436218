package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import java.util.List;

/**
 * Emits the code that finds where an argument's bytes lie. Pointers that must be read on the way stand in two slots of
 * the stack, one after the other: the one is still needed when the other's reading is tried again.
 */
final class PointerCode {
    private final Assembler assembler;
    private final ArgumentAccess access;
    private final MemoryCode memory;
    private final int[] pointerSlots = new int[2];
    /** 16 bytes: pointer and length of a text; 0 = none was needed yet. */
    private int pairSlot;
    /** A text's pointer, its length, and what lies between; 0 = none was needed yet. */
    private int apartSlot;

    private int apartBytes;
    /** 4 bytes: a file descriptor; 0 = none was needed yet. */
    private int descriptorSlot;

    PointerCode(Assembler assembler, ArgumentAccess access, MemoryCode memory) {
        this.assembler = assembler;
        this.access = access;
        this.memory = memory;
    }

    /** The source's value with the addend. */
    void value(Register destination, ArgumentSpec argument) {
        access.load(destination, argument);
        if (argument.addend() != 0) {
            assembler.add(destination, Math.toIntExact(argument.addend()));
        }
    }

    /** Where a number or an array of characters lies. */
    MemoryCode.Load address(ArgumentSpec argument, Label unreadable) {
        List<Long> offsets = argument.dereferenceOffsetsBytes();
        int last = offsets.size() - 1;
        return last < 0
                ? plainPlace(argument)
                : MemoryCode.plus(assembler, follow(argument, offsets.subList(0, last), unreadable), offsets.get(last));
    }

    /** What lies so many bytes behind the pointer of the argument, instead of its own last offset. */
    MemoryCode.Load addressAt(ArgumentSpec argument, long lastOffsetBytes, Label unreadable) {
        List<Long> offsets = argument.dereferenceOffsetsBytes();
        MemoryCode.Load pointer = follow(argument, offsets.subList(0, offsets.size() - 1), unreadable);
        return MemoryCode.plus(assembler, pointer, lastOffsetBytes);
    }

    /** Where the text of a {@code str} begins. */
    MemoryCode.Load text(ArgumentSpec argument, Label unreadable) {
        return follow(argument, argument.dereferenceOffsetsBytes(), unreadable);
    }

    private MemoryCode.Load plainPlace(ArgumentSpec argument) {
        return destination -> value(destination, argument);
    }

    /** Reads a pointer at each of the offsets; the result is the last. */
    private MemoryCode.Load follow(ArgumentSpec argument, List<Long> offsets, Label unreadable) {
        MemoryCode.Load pointer = plainPlace(argument);
        for (int i = 0; i < offsets.size(); i++) {
            int slot = pointerSlot(i % 2);
            memory.bytes(
                    MemoryCode.plus(assembler, pointer, offsets.get(i)),
                    Long.BYTES,
                    access.memory(argument),
                    R10,
                    slot,
                    unreadable);
            pointer = destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot);
        }
        return pointer;
    }

    private int pointerSlot(int which) {
        if (pointerSlots[which] == 0) {
            pointerSlots[which] = assembler.stackSlot(Long.BYTES);
        }
        return pointerSlots[which];
    }

    /**
     * Writes the file descriptor that the argument is, a number of 32 bits, to the stack. May lose R0 to R5.
     *
     * @return where it is on the stack
     */
    int descriptor(ArgumentSpec argument, Label unreadable) {
        descriptorSlot = descriptorSlot == 0 ? assembler.stackSlot(Integer.BYTES) : descriptorSlot;
        if (argument.isDereferenced()) {
            MemoryCode.Load place = address(argument, unreadable);
            memory.bytes(place, Integer.BYTES, access.memory(argument), R10, descriptorSlot, unreadable);
        } else {
            value(R1, argument);
            assembler.store(Width.WORD, R10, descriptorSlot, R1);
        }
        return descriptorSlot;
    }

    /**
     * Writes where a text begins whose length or end is given, and behind it the length as a number of 64 bits, to 16
     * bytes of the stack. A given length below 0, as a number of 32 bits, is none, and neither is an end before the
     * beginning. May lose R0 to R5.
     *
     * @return where these are on the stack
     */
    int counted(ArgumentSpec argument, Label unreadable) {
        if (pairSlot == 0) {
            pairSlot = assembler.stackSlot(2 * Long.BYTES);
        }
        int lengthSlot = pairSlot + Long.BYTES;
        boolean isLengthBehindPointer =
                argument.isDereferenced() && argument.type().boundArgument() == 0;
        if (isLengthBehindPointer) {
            pair(argument, unreadable);
        } else {
            text(argument, unreadable).into(R1);
            assembler.store(Width.DOUBLE_WORD, R10, pairSlot, R1);
            access.load(R1, bound(argument));
            assembler.store(Width.DOUBLE_WORD, R10, lengthSlot, R1);
        }
        assembler.load(Width.DOUBLE_WORD, R1, R10, lengthSlot);
        if (argument.type().form() == ArgumentType.Form.UP_TO) {
            assembler.load(Width.DOUBLE_WORD, R2, R10, pairSlot).sub(R1, R2);
        } else if (!isLengthBehindPointer) { // there it is a size_t, or Go's int; an argument may be an int
            assembler.signExtend(R1, Width.WORD);
        }
        assembler.jumpIf(Condition.SIGNED_LESS, R1, 0, unreadable);
        assembler.store(Width.DOUBLE_WORD, R10, lengthSlot, R1);
        return pairSlot;
    }

    /** Pointer and length lie in memory, perhaps apart: one reading fetches both, and what is between. */
    private void pair(ArgumentSpec argument, Label unreadable) {
        int sizeBytes = argument.type().lengthOffsetBytes() + Long.BYTES;
        MemoryCode.Load pair = address(argument, unreadable);
        if (sizeBytes == 2 * Long.BYTES) {
            memory.bytes(pair, sizeBytes, access.memory(argument), R10, pairSlot, unreadable);
            return;
        }
        if (apartBytes < sizeBytes) {
            apartSlot = assembler.stackSlot(sizeBytes);
            apartBytes = sizeBytes;
        }
        memory.bytes(pair, sizeBytes, access.memory(argument), R10, apartSlot, unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R10, apartSlot).store(Width.DOUBLE_WORD, R10, pairSlot, R1);
        assembler
                .load(Width.DOUBLE_WORD, R1, R10, apartSlot + sizeBytes - Long.BYTES)
                .store(Width.DOUBLE_WORD, R10, pairSlot + Long.BYTES, R1);
    }

    /** The argument that holds the length or the end of a text. */
    static ArgumentSpec bound(ArgumentSpec text) {
        int number = text.type().boundArgument();
        ArgumentSource source;
        if (number == ArgumentType.RETURNED) {
            source = ArgumentSource.RETURN_VALUE;
        } else if (text.source().kind() == ArgumentSource.Kind.RAW) {
            source = ArgumentSource.raw(number);
        } else {
            source = ArgumentSource.argument(number);
        }
        return ArgumentSpec.of("bound of " + text.name(), source, ArgumentType.S64)
                .readAtReturn(text.atReturn());
    }
}
