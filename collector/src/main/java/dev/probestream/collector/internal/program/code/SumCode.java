package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.snippet.Fragments;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Emits the code that adds a hit to the sums of its probe and thread ({@link SumLayout}). Sums are the thread's own, so
 * that nothing is atomic; the sums of those that found no room are shared, and are.
 */
final class SumCode {
    private static final int LAST = SumLayout.DURATION_COUNT - 1;

    private final Assembler assembler;
    private final Fragments fragments;
    private final String sums;
    private final String rest;
    private final int keySlot;
    private final int valueSlot;
    private final int restKeySlot;

    SumCode(Assembler assembler, Fragments fragments, String sums, String rest) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.sums = sums;
        this.rest = rest;
        this.keySlot = assembler.stackSlot(SumLayout.KEY_SIZE_BYTES);
        this.valueSlot = assembler.stackSlot(SumLayout.SIZE_BYTES);
        this.restKeySlot = assembler.stackSlot(Integer.BYTES);
    }

    /** Where on the stack the key is to be written. */
    int keySlot() {
        return keySlot;
    }

    /**
     * Adds a hit whose key is written; R8 = its duration. Loses R0 to R5 and R7.
     *
     * @param tgidSlot where on the stack the process of the thread stands
     * @param restIndexToR1 emits code that puts the index in the sums of those without room into R1
     * @param jumpUnlessFailed emits code that jumps when the hit did not fail; emitted twice; may lose R1; empty when none
     *     fails
     */
    void add(int tgidSlot, Runnable restIndexToR1, Optional<Consumer<Label>> jumpUnlessFailed) {
        Label known = assembler.newLabel();
        Label shared = assembler.newLabel();
        Label done = assembler.newLabel();
        fragments.lookup(sums, keySlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, known);
        for (int offset = 0; offset < SumLayout.SIZE_BYTES; offset += Long.BYTES) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + offset, 0);
        }
        assembler.load(Width.WORD, R1, R10, tgidSlot);
        assembler.store(Width.WORD, R10, valueSlot + SumLayout.TGID_OFFSET, R1);
        fragments.insert(sums, keySlot, valueSlot);
        fragments.lookup(sums, keySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, shared);
        assembler.bind(known);
        add(false, jumpUnlessFailed);
        assembler.jump(done);
        assembler.bind(shared);
        restIndexToR1.run();
        assembler.store(Width.WORD, R10, restKeySlot, R1);
        fragments.lookup(rest, restKeySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        add(true, jumpUnlessFailed);
        assembler.bind(done);
    }

    private void add(boolean isShared, Optional<Consumer<Label>> jumpUnlessFailed) {
        Label succeeded = assembler.newLabel();
        assembler.mov(R7, R0);
        durationIndex();
        assembler.shiftLeft(R2, 2).add(R2, R7);
        addTo(isShared, Width.WORD, SumLayout.DURATIONS_OFFSET, true);
        assembler.mov(R2, R7);
        addTo(isShared, Width.DOUBLE_WORD, SumLayout.TOTAL_OFFSET, false);
        jumpUnlessFailed.ifPresent(jump -> {
            jump.accept(succeeded);
            addTo(isShared, Width.DOUBLE_WORD, SumLayout.FAILED_OFFSET, true);
            assembler.bind(succeeded);
        });
        maximum();
    }

    /** Adds 1, or the duration, behind R2; loses R1. */
    private void addTo(boolean isShared, Width width, int offset, boolean isOne) {
        if (isShared) {
            if (isOne) {
                assembler.mov(R1, 1).atomicAdd(width, R2, offset, R1);
            } else {
                assembler.atomicAdd(width, R2, offset, R8);
            }
            return;
        }
        assembler.load(width, R1, R2, offset);
        if (isOne) {
            assembler.add(R1, 1);
        } else {
            assembler.add(R1, R8);
        }
        assembler.store(width, R2, offset, R1);
    }

    /** R2 = the place of the duration: its highest bit is searched for by halves. */
    private void durationIndex() {
        Label found = assembler.newLabel();
        assembler.mov(R1, R8).shiftRight(R1, SumLayout.FIRST_DURATION_BITS);
        assembler.mov(R2, 0).jumpIf(Condition.LESS_OR_EQUAL, R1, 1, found);
        assembler.mov(R2, LAST).jumpIf(Condition.GREATER_OR_EQUAL, R1, 1 << LAST, found);
        assembler.mov(R2, 0);
        for (int bits = 16; bits >= 1; bits /= 2) {
            Label isLower = assembler.newLabel();
            assembler.mov(R3, R1).shiftRight(R3, bits);
            assembler.jumpIf(Condition.EQUAL, R3, 0, isLower);
            assembler.mov(R1, R3).add(R2, bits);
            assembler.bind(isLower);
        }
        // Never true, but the verifier does not know the highest bit.
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R2, LAST, found);
        assembler.mov(R2, LAST);
        assembler.bind(found);
    }

    /** Keeps the longest of this interval apart from that of the last, which may not have been read yet. */
    private void maximum() {
        Label isFirst = assembler.newLabel();
        Label done = assembler.newLabel();
        assembler.loadMapValue(R1, MapNames.SUM_INTERVAL).load(Width.WORD, R1, R1, 0);
        assembler.mov(R2, R1).and(R2, 1);
        assembler.mov(R3, R2).shiftLeft(R3, 2).add(R3, R7);
        assembler.mov(R4, R2).shiftLeft(R4, 3).add(R4, R7);
        assembler.load(Width.WORD, R5, R3, SumLayout.INTERVAL_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R5, R1, isFirst);
        assembler.load(Width.DOUBLE_WORD, R5, R4, SumLayout.MAX_OFFSET);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R5, R8, done);
        assembler.bind(isFirst);
        assembler.store(Width.DOUBLE_WORD, R4, SumLayout.MAX_OFFSET, R8);
        assembler.store(Width.WORD, R3, SumLayout.INTERVAL_OFFSET, R1);
        assembler.bind(done);
    }
}
