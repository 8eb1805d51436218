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
import java.util.Optional;

/**
 * Emits the code that looks at the stores of the running async context: the values of the JSMap in the isolate's slot, whose
 * table is a {@link MapTableCode}. A Smi with our mark is the number of the request, an object may be the context of
 * OpenTelemetry's SDK.
 */
final class StoreCode {
    /** From the length of a table to the value of its second entry. */
    static final int SCRATCH_BYTES = 11 * Long.BYTES;

    /** What {@link #StoreCode} takes of the stack besides. */
    static final int STACK_BYTES = MapTableCode.STACK_BYTES + 3 * Long.BYTES;

    /** Entries whose values are among what is read at once. */
    private static final int READ_AT_ONCE = 2;

    private static final int SMI_SHIFT = 32;
    private static final int MARK_SHIFT = 56;
    private static final int NUMBER_MASK = 0xffffff;

    private final Assembler assembler;
    private final int layoutSlot;
    private final int isolateSlot;
    private final int scratchSlot;
    private final MapTableCode table;
    private final int valuesSlot;
    private final int candidateSlot;

    /**
     * @param layoutSlot where on the stack a pointer to the process's {@link AsyncContextLayout} stands
     * @param isolateSlot where the isolate's address stands; it is lost
     * @param scratchSlot {@link #SCRATCH_BYTES} that may be lost
     */
    StoreCode(Assembler assembler, int layoutSlot, int isolateSlot, int scratchSlot) {
        this.assembler = assembler;
        this.layoutSlot = layoutSlot;
        this.isolateSlot = isolateSlot;
        this.scratchSlot = scratchSlot;
        this.table = new MapTableCode(assembler, scratchSlot, assembler.stackSlot(MapTableCode.STACK_BYTES));
        this.valuesSlot = assembler.stackSlot(READ_AT_ONCE * Long.BYTES);
        this.candidateSlot = assembler.stackSlot(Long.BYTES);
    }

    /**
     * Writes what there is to the stack, and jumps or falls through.
     *
     * @param numberSlot of the request's number, if that is wanted
     * @param trace what takes the trace, if that is wanted
     */
    void read(Optional<Integer> numberSlot, Optional<TraceCode> trace, Label done) {
        Label other = assembler.newLabel();
        Label over = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.SLOT_OFFSET).jumpIf(Condition.EQUAL, R1, 0, done);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot).add(R3, R1);
        user(assembler, R3, isolateSlot, Long.BYTES, done);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.DOUBLE_WORD, R1, R4, AsyncContextLayout.NOTHING_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, R3, done);
        table.find(SCRATCH_BYTES, other);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, candidateSlot, 0);
        copyValues();
        for (int entry = 0; entry < MapTableCode.MAX_ENTRIES; entry++) {
            Label next = assembler.newLabel();
            value(entry, over);
            store(numberSlot, trace, next, over);
            assembler.bind(next);
        }
        assembler.jump(over);
        assembler.bind(other);
        rememberNothing(done);
        assembler.bind(over);
        trace.ifPresent(code -> code.read(table, candidateSlot, done));
    }

    /** Of the first entries, as the scratch is lost when a store is looked at; of a larger table they are read again. */
    private void copyValues() {
        for (int entry = 0; entry < READ_AT_ONCE; entry++) {
            assembler.load(
                    Width.DOUBLE_WORD,
                    R1,
                    R10,
                    scratchSlot + MapTableCode.FIRST_VALUE + entry * MapTableCode.ENTRY_BYTES);
            assembler.store(Width.DOUBLE_WORD, R10, valuesSlot + entry * Long.BYTES, R1);
        }
    }

    /** R1 = the value of an entry. */
    private void value(int entry, Label over) {
        if (entry >= READ_AT_ONCE) {
            table.value(entry, over);
            return;
        }
        Label larger = assembler.newLabel();
        Label read = assembler.newLabel();
        table.jumpUnlessEntry(entry, over);
        table.jumpIfLarger(larger);
        assembler.load(Width.DOUBLE_WORD, R1, R10, valuesSlot + entry * Long.BYTES);
        assembler.jump(read);
        assembler.bind(larger);
        table.value(entry, over);
        assembler.bind(read);
    }

    /** Looks at the store in R1. */
    private void store(Optional<Integer> numberSlot, Optional<TraceCode> trace, Label next, Label over) {
        Label isObject = assembler.newLabel();
        assembler.mov32(R3, R1).jumpIf(Condition.NOT_EQUAL, R3, 0, isObject);
        numberSlot.ifPresent(slot -> {
            assembler.mov(R3, R1).shiftRight(R3, MARK_SHIFT);
            assembler.jumpIf(Condition.NOT_EQUAL, R3, AsyncContextLayout.STORE_MARK, next);
            assembler.shiftRight(R1, SMI_SHIFT).and(R1, NUMBER_MASK);
            assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
            if (trace.isEmpty()) {
                assembler.jump(over);
            }
        });
        if (numberSlot.isEmpty() || trace.isPresent()) {
            assembler.jump(next);
        }
        assembler.bind(isObject);
        trace.ifPresent(code -> code.candidate(candidateSlot, next));
    }

    /** What the slot holds is no table of stores: if it is undefined, it need not be looked at again. */
    private void rememberNothing(Label done) {
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot).add(R3, AsyncContextLayout.OBJECT_MAP);
        user(assembler, R3, scratchSlot, Long.BYTES, done);
        instanceType(assembler, layoutSlot, scratchSlot, scratchSlot, done);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.ODDBALL_TYPE_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, done);
        assembler.load(Width.DOUBLE_WORD, R1, R10, isolateSlot);
        assembler.store(Width.DOUBLE_WORD, R4, AsyncContextLayout.NOTHING_OFFSET, R1);
        assembler.jump(done);
    }

    /** R2 = the instance type that the Map at mapSlot has; the word at typeSlot is lost. */
    static void instanceType(Assembler assembler, int layoutSlot, int mapSlot, int typeSlot, Label unreadable) {
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.INSTANCE_TYPE_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R3, R10, mapSlot).add(R3, R1).sub(R3, 1);
        user(assembler, R3, typeSlot, Short.BYTES, unreadable);
        assembler.load(Width.HALF, R2, R10, typeSlot);
    }

    /** Reads user memory to the stack. */
    static void user(Assembler assembler, Register address, int slot, int sizeBytes, Label unreadable) {
        if (address != R3) {
            assembler.mov(R3, address);
        }
        assembler.mov(R1, R10).add(R1, slot).mov(R2, sizeBytes).call(Helper.PROBE_READ_USER);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }
}
