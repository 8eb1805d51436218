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
 *
 * <p>V8 allocates the table right behind the JSMap, whose last word points to it, and mostly they stay neighbours when they are
 * moved: both are read at once, and the table alone where it is elsewhere.
 */
final class MapTableCode {
    static final int STACK_BYTES = 3 * Long.BYTES;

    /** What is read at once: the JSMap's last word, the table's map, and from its length to the value of its second entry. */
    static final int SCRATCH_BYTES = 13 * Long.BYTES;

    /** Of those, what the code that looks at an entry's value may lose. */
    static final int FREE_BYTES = 6 * Long.BYTES;

    /** How many entries of a table are looked at: as many as there can be. */
    static final int MAX_ENTRIES = 8;

    private static final int ENTRY_BYTES = 3 * Long.BYTES;

    /** Entries whose values are among what is read at once, of a table with 2 buckets. */
    private static final int READ_AT_ONCE = 2;

    private static final int LENGTH = 8;
    private static final int SMI_SHIFT = 32;

    // In what is read at once.
    private static final int TABLE = 0;
    private static final int FROM_LENGTH = 16;
    private static final int ELEMENTS = FROM_LENGTH + 8;
    private static final int DELETED = FROM_LENGTH + 16;
    private static final int BUCKETS = FROM_LENGTH + 24;
    private static final int FIRST_VALUE = FROM_LENGTH + 56;

    private final Assembler assembler;
    private final int scratchSlot;
    private final int addressSlot;
    private final int countSlot;
    private final int bucketsSlot;

    /**
     * @param scratchSlot {@link #SCRATCH_BYTES} for what is read
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
    void find(Label none) {
        Label small = assembler.newLabel();
        read(none);
        assembler.load(Width.DOUBLE_WORD, R2, R10, scratchSlot + BUCKETS);
        assembler.mov32(R1, R2).jumpIf(Condition.NOT_EQUAL, R1, 0, none);
        assembler.shiftRight(R2, SMI_SHIFT);
        assembler.jumpIf(Condition.EQUAL, R2, 2, small);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, 4, none);
        assembler.bind(small);
        assembler.mov(R1, R2).mul(R1, 7).add(R1, 3).shiftLeft(R1, SMI_SHIFT);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot + FROM_LENGTH);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R3, none);
        assembler.load(Width.DOUBLE_WORD, R4, R10, scratchSlot + ELEMENTS);
        assembler
                .load(Width.DOUBLE_WORD, R1, R10, scratchSlot + DELETED)
                .add(R4, R1)
                .shiftRight(R4, SMI_SHIFT);
        assembler.store(Width.DOUBLE_WORD, R10, countSlot, R4);
        assembler.store(Width.DOUBLE_WORD, R10, bucketsSlot, R2);
    }

    /** Reads what is read at once; the address of the table's length stands in its slot then. */
    private void read(Label none) {
        Label alone = assembler.newLabel();
        Label apart = assembler.newLabel();
        Label together = assembler.newLabel();
        assembler.store(Width.DOUBLE_WORD, R10, addressSlot, R3);
        assembler.add(R3, AsyncContextLayout.MAP_TABLE);
        UserWords.read(assembler, scratchSlot, SCRATCH_BYTES, alone);
        assembler.load(Width.DOUBLE_WORD, R2, R10, addressSlot).add(R2, AsyncContextLayout.MAP_BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + TABLE);
        assembler.mov(R3, R1).add(R3, LENGTH - 1).store(Width.DOUBLE_WORD, R10, addressSlot, R3);
        assembler.jumpIf(Condition.EQUAL, R1, R2, together);
        assembler.jump(apart);
        // What is behind the map cannot be read.
        assembler.bind(alone);
        assembler.load(Width.DOUBLE_WORD, R3, R10, addressSlot).add(R3, AsyncContextLayout.MAP_TABLE);
        UserWords.read(assembler, scratchSlot + TABLE, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot + TABLE).add(R3, LENGTH - 1);
        assembler.store(Width.DOUBLE_WORD, R10, addressSlot, R3);
        assembler.bind(apart);
        UserWords.read(assembler, scratchSlot + FROM_LENGTH, SCRATCH_BYTES - FROM_LENGTH, none);
        assembler.bind(together);
    }

    /** R1 = the value of the entry; jumps behind the last, and if it cannot be read. */
    void value(int entry, Label over) {
        Label read = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R4, R10, countSlot);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R4, entry, over);
        assembler.load(Width.DOUBLE_WORD, R2, R10, bucketsSlot);
        if (entry < READ_AT_ONCE) {
            assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + FIRST_VALUE + entry * ENTRY_BYTES);
            assembler.jumpIf(Condition.EQUAL, R2, 2, read);
        }
        assembler.load(Width.DOUBLE_WORD, R3, R10, addressSlot);
        assembler
                .mul(R2, Long.BYTES)
                .add(R3, R2)
                .add(R3, FIRST_VALUE - FROM_LENGTH - 2 * Long.BYTES + entry * ENTRY_BYTES);
        UserWords.read(assembler, scratchSlot, Long.BYTES, over);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot);
        assembler.bind(read);
    }
}
