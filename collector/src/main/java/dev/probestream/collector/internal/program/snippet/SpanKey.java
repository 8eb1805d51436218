package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;

/**
 * Emits the code that writes the key of an open span ({@link SpanEntry}). Calls of one thread can be nested and are
 * distinguished by their stack pointers. Between the two probes of a pair the stack pointer may change: of them a
 * thread has one open at a time.
 */
public final class SpanKey {
    private final Assembler assembler;
    /** In pt_regs; -1 = the key is the thread's alone. */
    private final int stackPointerOffset;

    private final int riseBytes;

    private SpanKey(Assembler assembler, int stackPointerOffset, int riseBytes) {
        this.assembler = assembler;
        this.stackPointerOffset = stackPointerOffset;
        this.riseBytes = riseBytes;
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

    /** Whether a thread has but one of a probe, so that what begins ends what was open. */
    public boolean isOfThread() {
        return stackPointerOffset < 0;
    }

    /** Writes the key to the stack; may lose R1. */
    public void write(int keySlot, int threadSlot, ProbeNumber probe) {
        if (isOfThread()) {
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
