package dev.probestream.collector.internal.program.snippet.histogram;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import dev.probestream.collector.internal.program.snippet.Fragments;

/**
 * Emits the code that adds a value up under a key, as {@link HistogramSumsLayout} draws it. Every word is changed by an atomic
 * instruction: a program can be preempted by another on the same CPU, and user space takes the extremes out meanwhile.
 */
final class HistogramSumsCode {
    private static final int EEXIST = 17; // asm-generic/errno-base.h

    /**
     * So often another program may come between the reading and the writing of an extreme: programs on the same CPU alone, each
     * of which would have to preempt the one before. Then the hit is counted as a loss.
     */
    private static final int ATTEMPTS = 8;

    private static final int HALF = 32;

    private final Assembler assembler;
    private final Fragments fragments;
    private final HistogramLayout layout;
    private final HistogramSumsLayout sums;
    private final int valueSlot;
    private final int wordSlot;

    HistogramSumsCode(Assembler assembler, Fragments fragments, HistogramLayout layout, HistogramSumsLayout sums) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.layout = layout;
        this.sums = sums;
        this.valueSlot = assembler.stackSlot(Long.BYTES);
        this.wordSlot = assembler.stackSlot(Integer.BYTES);
    }

    /** Keeps the value in R1. */
    void keepValue() {
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot, R1);
    }

    /** Adds the kept value up under the key; loses all registers. */
    void add(int keySlot, Label notCounted) {
        Label counted = assembler.newLabel();
        number(keySlot, notCounted);
        assembler.call(Helper.GET_SMP_PROCESSOR_ID).mul(R6, sums.cpus()).add(R6, R0);
        assembler.store(Width.WORD, R10, wordSlot, R6);
        fragments.lookup(sums.sumsMap(), wordSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, notCounted);
        assembler.mov(R9, R0);
        assembler.load(Width.DOUBLE_WORD, R1, R10, keySlot + HistogramLayout.BUCKET_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, Bucketing.UNREADABLE, counted);
        assembler.load(Width.DOUBLE_WORD, R7, R10, valueSlot);
        ordered();
        greater(HistogramSumsLayout.GREATEST_OFFSET, notCounted);
        ordered();
        assembler.xor(R1, -1);
        greater(HistogramSumsLayout.LEAST_OFFSET, notCounted);
        assembler.mov32(R1, R7).atomicAdd(Width.DOUBLE_WORD, R9, HistogramSumsLayout.LOW_OFFSET, R1);
        assembler.mov(R1, R7);
        if (layout.value().isSigned()) {
            assembler.shiftRightArithmetic(R1, HALF);
        } else {
            assembler.shiftRight(R1, HALF);
        }
        assembler.atomicAdd(Width.DOUBLE_WORD, R9, HistogramSumsLayout.HIGH_OFFSET, R1);
        assembler.bind(counted);
        assembler.mov(R1, 1).atomicAdd(Width.DOUBLE_WORD, R9, HistogramSumsLayout.COUNT_OFFSET, R1);
    }

    /** R6 = the number of the key, which gets one if it has none. */
    private void number(int keySlot, Label full) {
        Label isThere = assembler.newLabel();
        Label isKnown = assembler.newLabel();
        fragments.lookup(layout.mapName(), keySlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, isThere);
        assembler.loadMapValue(R1, sums.nextMap()).mov(R6, 1);
        assembler.atomicFetchAdd(Width.DOUBLE_WORD, R1, 0, R6);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R6, sums.keys(), full);
        assembler.store(Width.WORD, R10, wordSlot, R6);
        fragments.insert(layout.mapName(), keySlot, wordSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, isKnown);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, -EEXIST, full);
        // Another hit put the key there meanwhile; keys are never deleted. The number is not used by any.
        fragments.lookup(layout.mapName(), keySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, full);
        assembler.bind(isThere);
        assembler.load(Width.WORD, R6, R0, 0);
        assembler.bind(isKnown);
    }

    /** R1 = the value in R7, as a number without a sign of the same order. */
    private void ordered() {
        assembler.mov(R1, R7);
        if (layout.value().isSigned()) {
            assembler.loadImmediate64(R2, Long.MIN_VALUE).xor(R1, R2);
        }
    }

    /** Replaces a word by R1, if R1 is greater. */
    private void greater(int offset, Label failed) {
        Label done = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R0, R9, offset);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            assembler.jumpIf(Condition.GREATER_OR_EQUAL, R0, R1, done);
            assembler.mov(R2, R0).atomicCompareExchange(Width.DOUBLE_WORD, R9, offset, R1);
            assembler.jumpIf(Condition.EQUAL, R0, R2, done);
        }
        assembler.jump(failed);
        assembler.bind(done);
    }
}
