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

/**
 * Emits the code that finds the isolate of the running thread, from the thread's pointer, and through its current context
 * Node's Environment with its async ids. A thread that was found is a {@link KnownThreadLayout}. May lose R0 to R5.
 */
final class ContextThreadCode {
    /** Of an entry's fields, which all but the first are copied to the stack. */
    private static final int COPY_BYTES = KnownThreadLayout.SIZE_BYTES - KnownThreadLayout.IDS_OFFSET;

    /** What {@link #ContextThreadCode} takes of the stack. */
    static final int STACK_BYTES = 3 * Long.BYTES + COPY_BYTES;

    /** Of what may be lost: two words. */
    private static final int SECOND_WORD = Long.BYTES;

    private final Assembler assembler;
    private final ThreadOffsets offsets;
    private final int threadSlot;
    private final int scratchSlot;
    private final int knownSlot;
    private final int whoSlot;
    private final int layoutSlot;
    private final int copySlot;

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
        this.copySlot = assembler.stackSlot(COPY_BYTES);
    }

    /** Loads a word of the entry of the thread that was found. */
    void load(Register destination, int knownThreadField) {
        assembler.load(Width.DOUBLE_WORD, destination, R10, copyOf(knownThreadField));
    }

    /** Loads a u32 of the process's layout, one of {@link AsyncContextLayout#HIT_FIELDS_OFFSET} or behind it. */
    void loadOfLayout(Register destination, int layoutField) {
        int field = KnownThreadLayout.FIELDS_OFFSET + layoutField - AsyncContextLayout.HIT_FIELDS_OFFSET;
        assembler.load(Width.WORD, destination, R10, copyOf(field));
    }

    private int copyOf(int knownThreadField) {
        return copySlot + knownThreadField - KnownThreadLayout.IDS_OFFSET;
    }

    private void set(int knownThreadField, Register value) {
        assembler.store(Width.DOUBLE_WORD, R10, copyOf(knownThreadField), value);
    }

    /** {@return a word of the stack that is free once the thread is found} */
    int freeSlot() {
        return layoutSlot;
    }

    /** Finds the thread, or jumps. */
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
        assembler.xor(R2, R1).store(Width.DOUBLE_WORD, R10, whoSlot, R2);
        assembler.load(Width.DOUBLE_WORD, R5, R10, knownSlot);
        assembler.load(Width.DOUBLE_WORD, R1, R5, KnownThreadLayout.CHECK_OFFSET);
        for (int field = KnownThreadLayout.IDS_OFFSET; field < KnownThreadLayout.SIZE_BYTES; field += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R3, R5, field).xor(R1, R3);
            set(field, R3);
        }
        assembler.jumpIf(Condition.EQUAL, R1, R2, known);
        assembler.loadMap(R1, MapNames.ASYNC_CONTEXTS);
        assembler.mov(R2, R10).add(R2, threadSlot + Integer.BYTES).call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.store(Width.DOUBLE_WORD, R10, layoutSlot, R0);
        for (int field = AsyncContextLayout.HIT_FIELDS_OFFSET;
                field < AsyncContextLayout.SIZE_BYTES;
                field += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R1, R0, field);
            set(KnownThreadLayout.FIELDS_OFFSET + field - AsyncContextLayout.HIT_FIELDS_OFFSET, R1);
        }
        findIsolate(none);
        findIds();
        remember();
        assembler.bind(known);
    }

    private void findIsolate(Label none) {
        int isolateSlot = copyOf(KnownThreadLayout.ISOLATE_OFFSET);
        Label noKey = assembler.newLabel();
        assembler.call(Helper.GET_CURRENT_TASK_BTF).load(Width.DOUBLE_WORD, R3, R0, offsets.pointer());
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler
                .load(Width.DOUBLE_WORD, R1, R4, AsyncContextLayout.ISOLATE_OFFSET)
                .add(R1, R3);
        set(KnownThreadLayout.ISOLATE_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R3, R4, AsyncContextLayout.ISOLATE_KEY_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, noKey);
        // Before V8 11 the isolate is kept under a key of pthread_getspecific, behind the keys before it.
        UserWords.read(assembler, scratchSlot, Integer.BYTES, none);
        assembler.load(Width.WORD, R1, R10, scratchSlot);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, AsyncCallerLayout.FIRST_KEYS, none);
        assembler.mul(R1, AsyncCallerLayout.KEY_BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R10, isolateSlot).add(R2, R1);
        set(KnownThreadLayout.ISOLATE_OFFSET, R2);
        assembler.bind(noKey);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot);
        UserWords.read(assembler, isolateSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R1, R10, isolateSlot).jumpIf(Condition.EQUAL, R1, 0, none);
    }

    private void findIds() {
        Label none = assembler.newLabel();
        assembler.mov(R1, 0);
        set(KnownThreadLayout.IDS_OFFSET, R1);
        set(KnownThreadLayout.NOTHING_OFFSET, R1);
        set(KnownThreadLayout.STRING_OFFSET, R1);
        set(KnownThreadLayout.AWAIT_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R3, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R3, AsyncContextLayout.CONTEXT_OFFSET).jumpIf(Condition.EQUAL, R1, 0, none);
        load(R3, KnownThreadLayout.ISOLATE_OFFSET);
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
        set(KnownThreadLayout.IDS_OFFSET, R3);
        assembler.bind(none);
    }

    /** Notes the thread, once its Environment is there. */
    private void remember() {
        Label unknown = assembler.newLabel();
        load(R3, KnownThreadLayout.IDS_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, unknown);
        assembler.load(Width.DOUBLE_WORD, R5, R10, knownSlot);
        check();
        assembler.store(Width.DOUBLE_WORD, R5, KnownThreadLayout.CHECK_OFFSET, R1);
        for (int field = KnownThreadLayout.IDS_OFFSET; field < KnownThreadLayout.SIZE_BYTES; field += Long.BYTES) {
            load(R1, field);
            assembler.store(Width.DOUBLE_WORD, R5, field, R1);
        }
        assembler.bind(unknown);
    }

    /** R1 = what the entry's check is for the fields on the stack; loses R3. */
    private void check() {
        assembler.load(Width.DOUBLE_WORD, R1, R10, whoSlot);
        for (int field = KnownThreadLayout.IDS_OFFSET; field < KnownThreadLayout.SIZE_BYTES; field += Long.BYTES) {
            load(R3, field);
            assembler.xor(R1, R3);
        }
    }

    /**
     * If the object that a slot of the stack points to, tagged, is undefined, notes that the thread's slot holds it when no
     * store is set.
     */
    void rememberNothing(int objectSlot, Label done) {
        assembler.load(Width.DOUBLE_WORD, R3, R10, objectSlot).add(R3, AsyncContextLayout.OBJECT_MAP);
        UserWords.read(assembler, scratchSlot, Long.BYTES, done);
        instanceType(scratchSlot, scratchSlot, done);
        loadOfLayout(R1, AsyncContextLayout.ODDBALL_TYPE_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, done);
        note(KnownThreadLayout.NOTHING_OFFSET, objectSlot);
    }

    /** Notes a word of the stack in the thread's entry, which is another thread's by now if the check is another. */
    void note(int knownThreadField, int wordSlot) {
        Label foreign = assembler.newLabel();
        check();
        assembler.load(Width.DOUBLE_WORD, R5, R10, knownSlot);
        assembler.load(Width.DOUBLE_WORD, R3, R5, KnownThreadLayout.CHECK_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R3, foreign);
        assembler.load(Width.DOUBLE_WORD, R1, R10, wordSlot);
        set(knownThreadField, R1);
        remember();
        assembler.bind(foreign);
    }

    /** R2 = the instance type that the Map at mapSlot has; the word at typeSlot is lost. */
    void instanceType(int mapSlot, int typeSlot, Label unreadable) {
        loadOfLayout(R1, AsyncContextLayout.INSTANCE_TYPE_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R3, R10, mapSlot).add(R3, R1).sub(R3, 1);
        UserWords.read(assembler, typeSlot, Short.BYTES, unreadable);
        assembler.load(Width.HALF, R2, R10, typeSlot);
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
