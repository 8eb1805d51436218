package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.schema.record.LossReason;

/**
 * Emits the code that notes something open in a map, so that it can be paired with its end. A key that is there already
 * belongs to a call that never ended: it is counted and overwritten. A call that finds the map full is counted itself.
 */
public final class PairingCode {
    /** linux/bpf.h. */
    private static final int BPF_ANY = 0;

    private static final int BPF_NOEXIST = 1;

    /** asm-generic/errno-base.h. */
    private static final int EEXIST = 17;

    private final Assembler assembler;
    private final Fragments fragments;
    private final String map;
    private final int keySlot;
    private final int lossKeySlot;

    /**
     * @param keySlot where on the stack the key stands
     * @param lossKeySlot 4 bytes of stack to be used
     */
    public PairingCode(Assembler assembler, Fragments fragments, String map, int keySlot, int lossKeySlot) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.map = map;
        this.keySlot = keySlot;
        this.lossKeySlot = lossKeySlot;
    }

    /**
     * Puts a value under the key; jumps when it is stored and falls through when it is counted as lost.
     *
     * @param valueToR3 emits code that puts the address of the value into R3; emitted twice
     */
    public void put(Runnable valueToR3, ProbeNumber probe, Label stored) {
        Label full = assembler.newLabel();
        put(valueToR3, BPF_NOEXIST);
        assembler.jumpIf(Condition.EQUAL, R0, 0, stored);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, -EEXIST, full);
        fragments.countLoss(LossReason.RETURN_NOT_SEEN, probe, lossKeySlot);
        put(valueToR3, BPF_ANY);
        assembler.jumpIf(Condition.EQUAL, R0, 0, stored);
        assembler.bind(full);
        fragments.countLoss(LossReason.TOO_MANY_OPEN_SPANS, probe, lossKeySlot);
    }

    private void put(Runnable valueToR3, int flags) {
        valueToR3.run();
        fragments.update(map, keySlot, flags);
    }
}
