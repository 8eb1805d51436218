package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.KnownThreadLayout;
import java.util.Optional;

/**
 * Emits the code that looks at the stores of the running async context: the values of the JSMap in the isolate's slot, whose
 * table is a {@link MapTableCode}. A Smi with our mark is the number of the request, an object may be the context of
 * OpenTelemetry's SDK.
 */
final class StoreCode {
    /** What {@link #StoreCode} takes of the stack. */
    static final int STACK_BYTES = MapTableCode.STACK_BYTES + Long.BYTES;

    private static final int SMI_SHIFT = 32;
    private static final int MARK_SHIFT = 56;
    private static final int NUMBER_MASK = 0xffffff;

    private final Assembler assembler;
    private final ContextThreadCode thread;
    private final MapTableCode table;
    private final int mapSlot;
    private final int candidateSlot;

    /**
     * @param thread has been found
     * @param scratchSlot {@link MapTableCode#SCRATCH_BYTES} that may be lost
     */
    StoreCode(Assembler assembler, ContextThreadCode thread, int scratchSlot) {
        this.assembler = assembler;
        this.thread = thread;
        this.table = new MapTableCode(assembler, scratchSlot, assembler.stackSlot(MapTableCode.STACK_BYTES));
        this.mapSlot = thread.freeSlot();
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
        thread.loadOfLayout(R1, AsyncContextLayout.SLOT_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, done);
        thread.load(R3, KnownThreadLayout.ISOLATE_OFFSET);
        assembler.add(R3, R1);
        UserWords.read(assembler, mapSlot, Long.BYTES, done);
        assembler.load(Width.DOUBLE_WORD, R3, R10, mapSlot);
        thread.load(R1, KnownThreadLayout.NOTHING_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, R3, done);
        table.find(other);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, candidateSlot, 0);
        for (int entry = 0; entry < MapTableCode.MAX_ENTRIES; entry++) {
            Label next = assembler.newLabel();
            table.value(entry, over);
            store(numberSlot, trace, next, over);
            assembler.bind(next);
        }
        assembler.jump(over);
        assembler.bind(other);
        thread.rememberNothing(mapSlot, done);
        assembler.jump(done);
        assembler.bind(over);
        trace.ifPresent(code -> code.read(table, candidateSlot, done));
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
}
