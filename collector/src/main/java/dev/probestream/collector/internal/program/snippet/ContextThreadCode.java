package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import java.util.List;

/**
 * Emits the code that finds where the running thread has its async ids and its slot: from the thread's pointer to its isolate,
 * and from there through the current context to Node's Environment. A thread that was found is a {@link KnownThreadLayout}.
 * May lose R0 to R5.
 */
final class ContextThreadCode {
    /** What {@link #ContextThreadCode} takes of the stack. */
    static final int STACK_BYTES = 7 * Long.BYTES;

    /** Of what may be lost: two words. */
    private static final int SECOND_WORD = Long.BYTES;

    private final Assembler assembler;
    private final ThreadOffsets offsets;
    private final int threadSlot;
    private final int scratchSlot;
    private final int knownSlot;
    private final int whoSlot;
    private final int layoutSlot;
    private final int isolateSlot;
    private final int idsSlot;
    private final int slotSlot;
    private final int nothingSlot;

    /**
     * @param threadSlot where on the stack the running thread's ids stand, tid first
     * @param scratchSlot two words that may be lost
     */
    ContextThreadCode(Assembler assembler, ThreadOffsets offsets, int threadSlot, int scratchSlot) {
        this.assembler = assembler;
        this.offsets = offsets;
        this.threadSlot = threadSlot;
        this.scratchSlot = scratchSlot;
        this.knownSlot = assembler.stackSlot(Long.BYTES);
        this.whoSlot = assembler.stackSlot(Long.BYTES);
        this.layoutSlot = assembler.stackSlot(Long.BYTES);
        this.isolateSlot = assembler.stackSlot(Long.BYTES);
        this.idsSlot = assembler.stackSlot(Long.BYTES);
        this.slotSlot = assembler.stackSlot(Long.BYTES);
        this.nothingSlot = assembler.stackSlot(Long.BYTES);
    }

    /** {@return where on the stack the address of the async ids stands; 0 = they were not found} */
    int idsSlot() {
        return idsSlot;
    }

    /** {@return where on the stack the address of the slot stands; 0 = there is none} */
    int slotSlot() {
        return slotSlot;
    }

    /** {@return where on the stack that stands which the slot holds when no store is set; 0 = not seen yet} */
    int nothingSlot() {
        return nothingSlot;
    }

    /** {@return a word of the stack that is free once the thread is found} */
    int freeSlot() {
        return isolateSlot;
    }

    /** Writes the addresses to their slots, or jumps. */
    void find(Label none) {
        Label known = assembler.newLabel();
        assembler.load(Width.WORD, R1, R10, threadSlot).and(R1, KnownThreadLayout.MAX_THREADS - 1);
        assembler.store(Width.WORD, R10, scratchSlot, R1);
        assembler.loadMap(R1, MapNames.CONTEXT_THREADS);
        assembler.mov(R2, R10).add(R2, scratchSlot).call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.store(Width.DOUBLE_WORD, R10, knownSlot, R0);
        assembler.call(Helper.GET_CURRENT_TASK_BTF);
        assembler.load(Width.DOUBLE_WORD, R2, R0, offsets.startTime());
        assembler.load(Width.DOUBLE_WORD, R1, R0, offsets.execId()).shiftLeft(R1, KnownThreadLayout.EXEC_ID_SHIFT);
        assembler.xor(R2, R1);
        assembler.load(Width.DOUBLE_WORD, R5, R10, knownSlot);
        assembler.load(Width.DOUBLE_WORD, R1, R5, KnownThreadLayout.CHECK_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R3, R5, KnownThreadLayout.IDS_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R4, R5, KnownThreadLayout.SLOT_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R5, R5, KnownThreadLayout.NOTHING_OFFSET);
        assembler.store(Width.DOUBLE_WORD, R10, idsSlot, R3);
        assembler.store(Width.DOUBLE_WORD, R10, slotSlot, R4);
        assembler.store(Width.DOUBLE_WORD, R10, nothingSlot, R5);
        assembler.store(Width.DOUBLE_WORD, R10, whoSlot, R2);
        assembler.xor(R1, R3).xor(R1, R4).xor(R1, R5).jumpIf(Condition.EQUAL, R1, R2, known);
        layout(none);
        findIsolate(none);
        findSlot();
        findIds();
        remember();
        assembler.bind(known);
    }

    /** Writes a pointer to the process's {@link AsyncContextLayout} to its slot. */
    private void layout(Label none) {
        assembler.loadMap(R1, MapNames.ASYNC_CONTEXTS);
        assembler.mov(R2, R10).add(R2, threadSlot + Integer.BYTES).call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.store(Width.DOUBLE_WORD, R10, layoutSlot, R0);
    }

    private void findIsolate(Label none) {
        Label noKey = assembler.newLabel();
        assembler.call(Helper.GET_CURRENT_TASK_BTF).load(Width.DOUBLE_WORD, R3, R0, offsets.pointer());
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler
                .load(Width.DOUBLE_WORD, R1, R4, AsyncContextLayout.ISOLATE_OFFSET)
                .add(R1, R3);
        assembler.store(Width.DOUBLE_WORD, R10, isolateSlot, R1);
        assembler.load(Width.DOUBLE_WORD, R3, R4, AsyncContextLayout.ISOLATE_KEY_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, noKey);
        // Before V8 11 the isolate is kept under a key of pthread_getspecific, behind the keys before it.
        UserWords.read(assembler, scratchSlot, Integer.BYTES, none);
        assembler.load(Width.WORD, R1, R10, scratchSlot);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, AsyncCallerLayout.FIRST_KEYS, none);
        assembler.mul(R1, AsyncCallerLayout.KEY_BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R10, isolateSlot).add(R2, R1);
        assembler.store(Width.DOUBLE_WORD, R10, isolateSlot, R2);
        assembler.bind(noKey);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot);
        UserWords.read(assembler, isolateSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R1, R10, isolateSlot).jumpIf(Condition.EQUAL, R1, 0, none);
    }

    private void findSlot() {
        Label none = assembler.newLabel();
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, nothingSlot, 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slotSlot, 0);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.SLOT_OFFSET).jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot).add(R3, R1);
        assembler.store(Width.DOUBLE_WORD, R10, slotSlot, R3);
        assembler.bind(none);
    }

    private void findIds() {
        Label none = assembler.newLabel();
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, idsSlot, 0);
        assembler.load(Width.DOUBLE_WORD, R3, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R3, AsyncContextLayout.CONTEXT_OFFSET).jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot);
        plusField(R3, AsyncContextLayout.CONTEXT_OFFSET);
        follow(none);
        assembler.add(R3, AsyncContextLayout.OBJECT_MAP);
        follow(none);
        assembler.add(R3, AsyncContextLayout.NATIVE_CONTEXT);
        follow(none);
        assembler.add(R3, AsyncContextLayout.EMBEDDER_DATA);
        UserWords.read(assembler, scratchSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, AsyncContextLayout.NODE_TAG);
        UserWords.read(assembler, scratchSlot + SECOND_WORD, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R2, R10, layoutSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R2, AsyncContextLayout.NODE_TAG_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + SECOND_WORD);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, AsyncContextLayout.ENVIRONMENT);
        follow(none);
        plusField(R3, AsyncContextLayout.ASYNC_IDS_OFFSET);
        follow(none);
        assembler.store(Width.DOUBLE_WORD, R10, idsSlot, R3);
        assembler.bind(none);
    }

    /** Notes the thread, once its Environment is there. */
    private void remember() {
        Label unknown = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R3, R10, idsSlot).jumpIf(Condition.EQUAL, R3, 0, unknown);
        assembler.load(Width.DOUBLE_WORD, R5, R10, knownSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R10, slotSlot);
        assembler.load(Width.DOUBLE_WORD, R1, R10, whoSlot).xor(R1, R2).xor(R1, R3);
        assembler.store(Width.DOUBLE_WORD, R5, KnownThreadLayout.CHECK_OFFSET, R1);
        assembler.store(Width.DOUBLE_WORD, R5, KnownThreadLayout.IDS_OFFSET, R3);
        assembler.store(Width.DOUBLE_WORD, R5, KnownThreadLayout.SLOT_OFFSET, R2);
        assembler.storeImmediate(Width.DOUBLE_WORD, R5, KnownThreadLayout.NOTHING_OFFSET, 0);
        assembler.bind(unknown);
    }

    /**
     * If the object that a slot of the stack points to, tagged, is undefined, notes that the thread's slot holds it when no
     * store is set.
     */
    void rememberNothing(int objectSlot, Label done) {
        layout(done);
        assembler.load(Width.DOUBLE_WORD, R3, R10, objectSlot).add(R3, AsyncContextLayout.OBJECT_MAP);
        UserWords.read(assembler, scratchSlot, Long.BYTES, done);
        instanceType(scratchSlot, scratchSlot, done);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.ODDBALL_TYPE_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, done);
        assembler.load(Width.DOUBLE_WORD, R3, R10, whoSlot);
        for (int slot : List.of(idsSlot, slotSlot)) {
            assembler.load(Width.DOUBLE_WORD, R1, R10, slot).xor(R3, R1);
        }
        assembler.mov(R2, R3).load(Width.DOUBLE_WORD, R1, R10, nothingSlot).xor(R2, R1);
        assembler.load(Width.DOUBLE_WORD, R5, R10, knownSlot);
        assembler.load(Width.DOUBLE_WORD, R1, R5, KnownThreadLayout.CHECK_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, done); // the entry is another thread's
        assembler.load(Width.DOUBLE_WORD, R1, R10, objectSlot).xor(R3, R1);
        assembler.store(Width.DOUBLE_WORD, R5, KnownThreadLayout.CHECK_OFFSET, R3);
        assembler.store(Width.DOUBLE_WORD, R5, KnownThreadLayout.NOTHING_OFFSET, R1);
    }

    /** Comes before {@link #instanceType}; jumps if the process is none that has contexts. */
    void prepareTypes(Label none) {
        layout(none);
    }

    /** R2 = the instance type that the Map at mapSlot has, R4 = the layout; the word at typeSlot is lost. */
    void instanceType(int mapSlot, int typeSlot, Label unreadable) {
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R4, AsyncContextLayout.INSTANCE_TYPE_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R3, R10, mapSlot).add(R3, R1).sub(R3, 1);
        UserWords.read(assembler, typeSlot, Short.BYTES, unreadable);
        assembler.load(Width.HALF, R2, R10, typeSlot);
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
    }

    private void plusField(Register address, int field) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R1, field).add(address, R1);
    }

    /** R3 and the scratch = the pointer at R3, if there is one. */
    private void follow(Label none) {
        UserWords.read(assembler, scratchSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).jumpIf(Condition.EQUAL, R3, 0, none);
    }
}
