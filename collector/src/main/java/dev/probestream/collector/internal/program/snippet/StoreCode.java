package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout;

/**
 * Emits the code that looks at the stores of the running async context: the values of the JSMap in the isolate's slot. Its
 * OrderedHashMap is a FixedArray (v8/src/objects/ordered-hash-table.h); Smis are in the upper half of a word:
 *
 * <pre>
 *  0  map       8  length, 3 + 7 * buckets
 * 16  elements  24  deleted   32  buckets, 2 or 4: of a map with up to 4 or 8 entries; others are not looked at
 * 40  8 for each bucket, then 24 for each entry: key, value, the next entry of its bucket
 * </pre>
 *
 * What the slot holds is no JSMap if this does not fit. A deleted entry has the hole for a value.
 */
final class StoreCode {
    /** From the length to the value of the second entry of a table with 2 buckets. */
    static final int SCRATCH_BYTES = 11 * Long.BYTES;

    private static final int LENGTH = 8;
    private static final int FIRST_VALUE = 48;
    private static final int ENTRY_BYTES = 3 * Long.BYTES;
    private static final int SMI_SHIFT = 32;
    private static final int MAX_ENTRIES = 8;

    // In what is read at once, from the length on.
    private static final int ELEMENTS = 8;
    private static final int DELETED = 16;
    private static final int BUCKETS = 24;

    private final Assembler assembler;
    private final int layoutSlot;
    private final int isolateSlot;
    private final int scratchSlot;

    /**
     * @param layoutSlot where on the stack a pointer to the process's {@link AsyncContextLayout} stands
     * @param isolateSlot where the isolate's address stands
     * @param scratchSlot {@link #SCRATCH_BYTES} that may be lost
     */
    StoreCode(Assembler assembler, int layoutSlot, int isolateSlot, int scratchSlot) {
        this.assembler = assembler;
        this.layoutSlot = layoutSlot;
        this.isolateSlot = isolateSlot;
        this.scratchSlot = scratchSlot;
    }

    /** Writes the number of the store with our mark to the stack, if there is one, and may jump. */
    void read(int numberSlot, Label none) {
        Label other = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.SLOT_OFFSET).jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot).add(R3, R1);
        user(assembler, R3, isolateSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.DOUBLE_WORD, R1, R4, AsyncContextLayout.NOTHING_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, R3, none);
        assembler.add(R3, AsyncContextLayout.MAP_TABLE);
        user(assembler, R3, scratchSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, LENGTH - 1);
        assembler.store(Width.DOUBLE_WORD, R10, numberSlot, R3); // until the number is known
        user(assembler, R3, scratchSlot, SCRATCH_BYTES, other);
        values(numberSlot, other, none);
        assembler.bind(other);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, numberSlot, 0);
        rememberNothing(none);
    }

    /** Ends in a jump in every case. */
    private void values(int numberSlot, Label other, Label done) {
        Label fits = assembler.newLabel();
        Label found = assembler.newLabel();
        Label over = assembler.newLabel();
        Label single = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R2, R10, scratchSlot + BUCKETS);
        assembler.mov32(R1, R2).jumpIf(Condition.NOT_EQUAL, R1, 0, other);
        assembler.shiftRight(R2, SMI_SHIFT);
        assembler.jumpIf(Condition.EQUAL, R2, 2, fits);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, 4, other);
        assembler.bind(fits);
        assembler.mov(R1, R2).mul(R1, 7).add(R1, 3).shiftLeft(R1, SMI_SHIFT);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R3, other);
        assembler.load(Width.DOUBLE_WORD, R4, R10, scratchSlot + ELEMENTS);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + DELETED).add(R4, R1).shiftRight(R4, SMI_SHIFT);
        assembler.jumpIf(Condition.EQUAL, R4, 0, over);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, 2, single);
        for (int entry = 0; entry < 2; entry++) {
            assembler.jumpIf(Condition.LESS_OR_EQUAL, R4, entry, over);
            int value = scratchSlot + FIRST_VALUE + Long.BYTES * 2 - LENGTH + entry * ENTRY_BYTES;
            assembler.load(Width.DOUBLE_WORD, R1, R10, value);
            jumpIfMarked(found);
        }
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R4, 2, over);
        assembler.bind(single);
        singly(found, over, numberSlot);
        assembler.bind(found);
        assembler.shiftRight(R1, SMI_SHIFT).and(R1, 0xffffff);
        assembler.store(Width.DOUBLE_WORD, R10, numberSlot, R1);
        assembler.jump(done);
        assembler.bind(over);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, numberSlot, 0);
        assembler.jump(done);
    }

    /** Looks at each entry for itself: R2 = buckets, R4 = entries, the slot has the address of the length. */
    private void singly(Label found, Label over, int numberSlot) {
        assembler.mul(R2, Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R10, numberSlot).add(R1, R2).add(R1, FIRST_VALUE - LENGTH);
        assembler.store(Width.DOUBLE_WORD, R10, numberSlot, R1);
        assembler.store(Width.DOUBLE_WORD, R10, scratchSlot + ELEMENTS, R4);
        for (int entry = 0; entry < MAX_ENTRIES; entry++) {
            assembler.load(Width.DOUBLE_WORD, R4, R10, scratchSlot + ELEMENTS);
            assembler.jumpIf(Condition.LESS_OR_EQUAL, R4, entry, over);
            assembler.load(Width.DOUBLE_WORD, R3, R10, numberSlot).add(R3, entry * ENTRY_BYTES);
            user(assembler, R3, scratchSlot, Long.BYTES, over);
            assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot);
            jumpIfMarked(found);
        }
        assembler.jump(over);
    }

    /** Looks at R1. */
    private void jumpIfMarked(Label found) {
        Label other = assembler.newLabel();
        assembler.mov32(R3, R1).jumpIf(Condition.NOT_EQUAL, R3, 0, other);
        assembler.mov(R3, R1).shiftRight(R3, 56);
        assembler.jumpIf(Condition.EQUAL, R3, AsyncContextLayout.STORE_MARK, found);
        assembler.bind(other);
    }

    /** What the slot holds is no table of stores: if it is undefined, it need not be looked at again. */
    private void rememberNothing(Label done) {
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot).add(R3, AsyncContextLayout.OBJECT_MAP);
        user(assembler, R3, scratchSlot, Long.BYTES, done);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.INSTANCE_TYPE_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, R1).sub(R3, 1);
        user(assembler, R3, scratchSlot, Short.BYTES, done);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.ODDBALL_TYPE_OFFSET);
        assembler.load(Width.HALF, R2, R10, scratchSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, done);
        assembler.load(Width.DOUBLE_WORD, R1, R10, isolateSlot);
        assembler.store(Width.DOUBLE_WORD, R4, AsyncContextLayout.NOTHING_OFFSET, R1);
    }

    /** Reads user memory to the stack. */
    static void user(Assembler assembler, Register address, int slot, int sizeBytes, Label unreadable) {
        assembler.mov(R3, address);
        assembler.mov(R1, R10).add(R1, slot).mov(R2, sizeBytes).call(Helper.PROBE_READ_USER);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }
}
