package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.List;
import java.util.Optional;

/**
 * Emits the code that writes the key of an open span ({@link SpanEntry}). Calls of one thread can be nested and are
 * distinguished by their stack pointers. Between two probes the stack pointer may change: of a span between them a
 * thread has one open at a time, or, if values of the probes pair them, all threads have one open for the same values.
 */
public final class SpanKey {
    private final Assembler assembler;
    /** In pt_regs; -1 = the stack pointer is not part of the key. */
    private final int stackPointerOffset;

    private final int riseBytes;
    private final Optional<Values> values;

    /**
     * A value of the hit in a key.
     *
     * @param argument an integer that is known at the hit
     * @param sizeBytes so many of its lower bytes are in the key: 1, 2, 4 or 8
     */
    public record Value(ArgumentSpec argument, int sizeBytes) {}

    private record Values(ArgumentCode code, List<Value> all, boolean areOfProcess) {}

    private SpanKey(Assembler assembler, int stackPointerOffset, int riseBytes) {
        this(assembler, stackPointerOffset, riseBytes, Optional.empty());
    }

    private SpanKey(Assembler assembler, int stackPointerOffset, int riseBytes, Optional<Values> values) {
        this.assembler = assembler;
        this.stackPointerOffset = stackPointerOffset;
        this.riseBytes = riseBytes;
        this.values = values;
    }

    public static SpanKey atEntry(Assembler assembler, RegisterTable registers) {
        return new SpanKey(assembler, registers.stackPointerOffset(), 0);
    }

    public static SpanKey atReturn(Assembler assembler, RegisterTable registers) {
        return new SpanKey(assembler, registers.stackPointerOffset(), registers.stackPointerRiseOnReturnBytes());
    }

    public static SpanKey ofThread(Assembler assembler) {
        return new SpanKey(assembler, -1, 0);
    }

    /**
     * A key of values that both ends have, whichever threads they are on.
     *
     * @param areOfProcess whether the values of two processes are not the same
     */
    public static SpanKey ofValues(Assembler assembler, ArgumentCode code, List<Value> values, boolean areOfProcess) {
        return new SpanKey(assembler, -1, 0, Optional.of(new Values(code, values, areOfProcess)));
    }

    /** The size of a key of these values; without any that of a thread's. */
    public static int sizeBytes(List<Value> values, boolean areOfProcess) {
        return values.isEmpty() ? SpanEntry.KEY_SIZE_BYTES : (values.size() + (areOfProcess ? 1 : 0)) * Long.BYTES;
    }

    /** The size of this key. */
    public int sizeBytes() {
        return values.map(all -> sizeBytes(all.all(), all.areOfProcess())).orElse(SpanEntry.KEY_SIZE_BYTES);
    }

    /** Whether there is but one open span under it at a time, so that what begins ends what was open. */
    public boolean isOfOneSpan() {
        return stackPointerOffset < 0;
    }

    /** Whether it is made of values of the hit, so that another thread can have the same. */
    public boolean isOfValues() {
        return values.isPresent();
    }

    /**
     * Writes a key that {@link #isOfValues} to the stack. May lose R0 to R5 and R8.
     *
     * @param unreadable where to go when a value cannot be read
     */
    public void writeValues(int keySlot, int threadSlot, Label unreadable) {
        Values written = values.orElseThrow();
        List<ArgumentSpec> arguments =
                written.all().stream().map(Value::argument).toList();
        written.code().prepare(arguments);
        assembler.mov(R8, 0);
        for (int i = 0; i < arguments.size(); i++) {
            ArgumentSlot slot = new ArgumentSlot(arguments.get(i).type(), i * Long.BYTES, false);
            written.code().read(arguments.get(i), i, slot, R10, keySlot);
        }
        assembler.jumpIf(Condition.NOT_EQUAL, R8, 0, unreadable);
        for (int i = 0; i < arguments.size(); i++) {
            int sizeBytes = written.all().get(i).sizeBytes();
            if (sizeBytes < Long.BYTES) {
                int offset = keySlot + i * Long.BYTES;
                assembler.load(Width.DOUBLE_WORD, R1, R10, offset).zeroExtend(R1, width(sizeBytes));
                assembler.store(Width.DOUBLE_WORD, R10, offset, R1);
            }
        }
        if (written.areOfProcess()) {
            assembler.load(Width.WORD, R1, R10, threadSlot + Integer.BYTES);
            assembler.store(Width.DOUBLE_WORD, R10, keySlot + arguments.size() * Long.BYTES, R1);
        }
    }

    private static Width width(int sizeBytes) {
        return switch (sizeBytes) {
            case 1 -> Width.BYTE;
            case 2 -> Width.HALF;
            default -> Width.WORD;
        };
    }

    /** Writes a key of the thread to the stack; may lose R1. */
    public void write(int keySlot, int threadSlot, ProbeNumber probe) {
        if (isOfOneSpan()) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, keySlot + SpanEntry.KEY_STACK_POINTER_OFFSET, 0);
        } else {
            assembler.load(Width.DOUBLE_WORD, R1, R6, stackPointerOffset);
            if (riseBytes != 0) {
                assembler.sub(R1, riseBytes);
            }
            assembler.store(Width.DOUBLE_WORD, R10, keySlot + SpanEntry.KEY_STACK_POINTER_OFFSET, R1);
        }
        assembler.load(Width.WORD, R1, R10, threadSlot);
        assembler.store(Width.WORD, R10, keySlot + SpanEntry.KEY_TID_OFFSET, R1);
        probe.store(R10, keySlot + SpanEntry.KEY_PROBE_ID_OFFSET);
    }
}
