package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout;

/**
 * Emits the code that goes through a small JSMap. Its OrderedHashMap is a FixedArray (v8/src/objects/ordered-hash-table.h);
 * Smis are in the upper half of a word:
 *
 * <pre>
 *  0  map       8  length, 3 + 7 * buckets
 * 16  elements  24  deleted   32  buckets, 2 or 4: of a map with up to 4 or 8 entries; others are not looked at
 * 40  8 for each bucket, then 24 for each entry: key, value, the next entry of its bucket
 * </pre>
 *
 * What does not fit is no JSMap. A deleted entry has the hole for a value.
 */
final class MapTableCode {
    static final int STACK_BYTES = 3 * Long.BYTES;

    static final int ENTRY_BYTES = 3 * Long.BYTES;

    /** Of a table with 2 buckets, from the length on. */
    static final int FIRST_VALUE = 56;

    /** Of a table, and how many of them are looked at. */
    static final int MAX_ENTRIES = 8;

    private static final int LENGTH = 8;
    private static final int SMI_SHIFT = 32;

    // In what is read at once, from the length on.
    private static final int HEADER_BYTES = 32;
    private static final int ELEMENTS = 8;
    private static final int DELETED = 16;
    private static final int BUCKETS = 24;

    private final Assembler assembler;
    private final int scratchSlot;
    private final int addressSlot;
    private final int countSlot;
    private final int bucketsSlot;

    /**
     * @param scratchSlot what is read is there, from the table's length on
     * @param ownSlot {@link #STACK_BYTES}
     */
    MapTableCode(Assembler assembler, int scratchSlot, int ownSlot) {
        this.assembler = assembler;
        this.scratchSlot = scratchSlot;
        this.addressSlot = ownSlot;
        this.countSlot = ownSlot + Long.BYTES;
        this.bucketsSlot = ownSlot + 2 * Long.BYTES;
    }

    /** Reads the table of the map that R3 points to, tagged. */
    void find(int sizeBytes, Label none) {
        Label small = assembler.newLabel();
        assembler.add(R3, AsyncContextLayout.MAP_TABLE);
        StoreCode.user(assembler, R3, addressSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, addressSlot).add(R3, LENGTH - 1);
        assembler.store(Width.DOUBLE_WORD, R10, addressSlot, R3);
        StoreCode.user(assembler, R3, scratchSlot, Math.max(HEADER_BYTES, sizeBytes), none);
        assembler.load(Width.DOUBLE_WORD, R2, R10, scratchSlot + BUCKETS);
        assembler.mov32(R1, R2).jumpIf(Condition.NOT_EQUAL, R1, 0, none);
        assembler.shiftRight(R2, SMI_SHIFT);
        assembler.jumpIf(Condition.EQUAL, R2, 2, small);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, 4, none);
        assembler.bind(small);
        assembler.mov(R1, R2).mul(R1, 7).add(R1, 3).shiftLeft(R1, SMI_SHIFT);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R3, none);
        assembler.load(Width.DOUBLE_WORD, R4, R10, scratchSlot + ELEMENTS);
        assembler
                .load(Width.DOUBLE_WORD, R1, R10, scratchSlot + DELETED)
                .add(R4, R1)
                .shiftRight(R4, SMI_SHIFT);
        assembler.store(Width.DOUBLE_WORD, R10, countSlot, R4);
        assembler.store(Width.DOUBLE_WORD, R10, bucketsSlot, R2);
        assembler.load(Width.DOUBLE_WORD, R3, R10, addressSlot).add(R3, FIRST_VALUE - 2 * Long.BYTES);
        assembler.mul(R2, Long.BYTES).add(R3, R2).store(Width.DOUBLE_WORD, R10, addressSlot, R3);
    }

    void jumpUnlessEntry(int entry, Label over) {
        assembler.load(Width.DOUBLE_WORD, R4, R10, countSlot);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R4, entry, over);
    }

    /** Jumps if the table that was found has 4 buckets, so that its values are not at {@link #FIRST_VALUE}. */
    void jumpIfLarger(Label larger) {
        assembler.load(Width.DOUBLE_WORD, R4, R10, bucketsSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R4, 2, larger);
    }

    /** R1 = the value of the entry; jumps behind the last, and if it cannot be read. */
    void value(int entry, Label over) {
        jumpUnlessEntry(entry, over);
        assembler.load(Width.DOUBLE_WORD, R3, R10, addressSlot).add(R3, entry * ENTRY_BYTES);
        StoreCode.user(assembler, R3, scratchSlot, Long.BYTES, over);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot);
    }
}
