package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.PhasesLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.schema.record.LossReason;
import java.util.function.IntConsumer;

/**
 * Emits the code that ends open spans of the running thread ({@link PhasesLayout}), the innermost first: a sample each,
 * that lasts until now, or is open if the thread ends.
 */
public final class PhaseEnds {
    private final Assembler assembler;
    private final Fragments fragments;
    private final int nowSlot;
    private final int lossKeySlot;

    /**
     * @param nowSlot where on the stack the end stands, CLOCK_MONOTONIC; unused for those that are left open
     * @param lossKeySlot 4 bytes of stack to be used
     */
    public PhaseEnds(Assembler assembler, Fragments fragments, int nowSlot, int lossKeySlot) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.nowSlot = nowSlot;
        this.lossKeySlot = lossKeySlot;
    }

    /** Gives all up that R9 points to: their thread ends, or begins another program. */
    public void leaveOpen() {
        end(slotOffset -> {}, true);
    }

    /**
     * Ends those of those that R9 points to whose frames are gone when a function is entered with this stack pointer: their
     * own were not further up the stack. May lose R0 to R5 and R7.
     */
    public void ofFramesUpTo(int stackPointerSlot) {
        Label others = assembler.newLabel();
        end(
                slotOffset -> {
                    assembler.load(Width.DOUBLE_WORD, R1, R9, slotOffset);
                    assembler.load(Width.DOUBLE_WORD, R2, R10, stackPointerSlot);
                    assembler.jumpIf(Condition.GREATER, R1, R2, others);
                },
                false);
        assembler.bind(others);
    }

    private void end(IntConsumer unlessKept, boolean isOpen) {
        for (int i = PhasesLayout.MAX_DEPTH - 1; i >= 0; i--) {
            Label closed = assembler.newLabel();
            assembler.load(Width.WORD, R1, R9, PhasesLayout.DEPTH_OFFSET);
            assembler.jumpIf(Condition.LESS_OR_EQUAL, R1, i, closed);
            unlessKept.accept(PhasesLayout.slotOffset(i));
            assembler.storeImmediate(Width.WORD, R9, PhasesLayout.DEPTH_OFFSET, i);
            sample(PhasesLayout.sampleOffset(i), isOpen, closed);
            assembler.bind(closed);
        }
    }

    private void sample(int from, boolean isOpen, Label done) {
        Label full = assembler.newLabel();
        fragments.reserve(PhasesLayout.SAMPLE_SIZE_BYTES, full);
        copy(assembler, R9, from, R7, 0);
        if (isOpen) {
            assembler.storeImmediate(Width.HALF, R7, EventLayout.RECORD_TYPE_OFFSET, RecordType.OPEN_SPAN.code());
        } else {
            assembler.load(Width.DOUBLE_WORD, R1, R10, nowSlot);
            assembler.load(Width.DOUBLE_WORD, R2, R9, from + EventLayout.TIMESTAMP_OFFSET);
            assembler.sub(R1, R2).store(Width.DOUBLE_WORD, R7, EventLayout.DURATION_OFFSET, R1);
        }
        fragments.submit();
        assembler.jump(done);
        assembler.bind(full);
        assembler.load(Width.WORD, R1, R9, from + EventLayout.PROBE_ID_OFFSET);
        assembler.mul(R1, LossIndex.perProbe()).add(R1, LossIndex.of(0, LossReason.RING_FULL));
        assembler.store(Width.WORD, R10, lossKeySlot, R1);
        fragments.lookup(MapNames.LOSSES, lossKeySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.mov(R1, 1).atomicAdd(Width.DOUBLE_WORD, R0, 0, R1);
    }

    /** Copies a sample; may lose R1. */
    public static void copy(Assembler assembler, Register from, int fromOffset, Register to, int toOffset) {
        for (int i = 0; i < PhasesLayout.SAMPLE_SIZE_BYTES; i += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R1, from, fromOffset + i);
            assembler.store(Width.DOUBLE_WORD, to, toOffset + i, R1);
        }
    }
}
