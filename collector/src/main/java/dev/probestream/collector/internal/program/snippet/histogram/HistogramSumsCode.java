package dev.probestream.collector.internal.program.snippet.histogram;

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
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import dev.probestream.collector.internal.program.snippet.Fragments;

/** Emits the code that adds a value up under a key, as {@link HistogramSumsLayout} draws it (src/main/bpf/histogram.bpf.c). */
final class HistogramSumsCode {
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
        assembler.loadMap(R1, layout.mapName()).mov(R2, R10).add(R2, keySlot);
        assembler.loadMapValue(R3, sums.nextMap()).mov(R4, sums.keys());
        assembler.callFunction("number_of_key", HistogramKeyCode.CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R0, sums.keys(), notCounted);
        assembler.mov(R6, R0).call(Helper.GET_SMP_PROCESSOR_ID);
        assembler.mul(R6, sums.cpus()).add(R6, R0).store(Width.WORD, R10, wordSlot, R6);
        fragments.lookup(sums.sumsMap(), wordSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, notCounted);
        assembler.mov(R1, R0).load(Width.DOUBLE_WORD, R2, R10, keySlot + HistogramLayout.BUCKET_OFFSET);
        assembler
                .load(Width.DOUBLE_WORD, R3, R10, valueSlot)
                .mov(R4, layout.value().isSigned() ? 1 : 0);
        assembler.callFunction("add_value", HistogramKeyCode.CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, notCounted);
    }
}
