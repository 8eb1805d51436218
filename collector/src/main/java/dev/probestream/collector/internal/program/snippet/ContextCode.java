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
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Emits the code that reads the async context of the running thread: from the thread's pointer to its isolate, and from
 * there (a) through the current context to Node's Environment and its async ids, (b) the slot of the continuation preserved
 * embedder data, in which Node keeps a JSMap from each AsyncLocalStorage to its store. Numbers are written to their slots
 * as integers. May lose R0 to R5.
 */
final class ContextCode {
    /** Of a double (IEEE 754): its exponent is that of a number with 52 bits behind the point, and the bias is 1023. */
    private static final int MANTISSA_BITS = 52;

    private static final int EXPONENT_BIAS = 1023;
    private static final int EXPONENT_BITS = 12;

    private final Assembler assembler;
    private final ThreadOffsets thread;
    private final int threadSlot;
    private final Map<ContextValue, Integer> slots;
    private final Set<ContextValue> values;
    private final int layoutSlot;
    private final int isolateSlot;
    private final int startSlot;
    private final int idsSlot;
    private final int scratchSlot;

    /**
     * @param threadSlot where on the stack the running thread's ids stand, tid first
     * @param slots where on the stack each value is written to
     * @param values that are read: those of these slots, or some of them
     */
    ContextCode(
            Assembler assembler,
            ThreadOffsets thread,
            int threadSlot,
            Map<ContextValue, Integer> slots,
            Set<ContextValue> values) {
        this.assembler = assembler;
        this.thread = thread;
        this.threadSlot = threadSlot;
        this.slots = slots;
        this.values = values;
        this.layoutSlot = assembler.stackSlot(Long.BYTES);
        this.isolateSlot = assembler.stackSlot(Long.BYTES);
        this.startSlot = assembler.stackSlot(Long.BYTES);
        this.idsSlot = assembler.stackSlot(Long.BYTES);
        this.scratchSlot = assembler.stackSlot(scratchBytes(values));
    }

    /** What of the stack reading these values takes, besides their slots. */
    static int stackBytes(Set<ContextValue> values) {
        boolean isOneIdUnwanted = values.contains(ContextValue.TRACE_ID) != values.contains(ContextValue.SPAN_ID);
        return 4 * Long.BYTES
                + scratchBytes(values)
                + (isStoreRead(values) ? StoreCode.STACK_BYTES : 0)
                + (isOneIdUnwanted ? Long.BYTES : 0);
    }

    private static boolean isStoreRead(Set<ContextValue> values) {
        return values.stream().anyMatch(value -> !value.isAsyncId());
    }

    private TraceCode trace() {
        return new TraceCode(
                assembler, layoutSlot, scratchSlot, slot(ContextValue.TRACE_ID), slot(ContextValue.SPAN_ID));
    }

    /** In bytes; enum UidFields in src/env.h. */
    private static int offsetAmongAsyncIds(ContextValue value) {
        return switch (value) {
            case ASYNC_ID -> 0;
            case TRIGGER_ID -> Long.BYTES;
            case ASYNC_COUNTER -> 2 * Long.BYTES;
            case REQUEST, TRACE_ID, SPAN_ID -> throw new IllegalArgumentException(value + " is no async id");
        };
    }

    /** Both ids of a span are looked for, whichever is wanted. */
    private int slot(ContextValue value) {
        Integer slot = slots.get(value);
        return slot == null ? assembler.stackSlot(Long.BYTES) : slot;
    }

    private static int scratchBytes(Set<ContextValue> values) {
        return isStoreRead(values) ? StoreCode.SCRATCH_BYTES : AsyncContextLayout.ASYNC_IDS_BYTES;
    }

    /** Reads the values; the slots of those that the thread has not are left as they are. */
    void read() {
        Label done = assembler.newLabel();
        assembler.loadMap(R1, MapNames.ASYNC_CONTEXTS);
        assembler.mov(R2, R10).add(R2, threadSlot + Integer.BYTES).call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.store(Width.DOUBLE_WORD, R10, layoutSlot, R0);
        isolate(done);
        if (values.stream().anyMatch(ContextValue::isAsyncId)) {
            asyncIds();
        }
        if (isStoreRead(values)) {
            boolean isTraceRead = values.stream().anyMatch(ContextValue::isText);
            new StoreCode(assembler, layoutSlot, isolateSlot, scratchSlot)
                    .read(
                            values.contains(ContextValue.REQUEST)
                                    ? Optional.of(slot(ContextValue.REQUEST))
                                    : Optional.empty(),
                            isTraceRead ? Optional.of(trace()) : Optional.empty(),
                            done);
        }
        assembler.bind(done);
    }

    /** Writes the isolate's address and that of its async ids to their slots. */
    private void isolate(Label none) {
        Label known = assembler.newLabel();
        assembler.call(Helper.GET_CURRENT_TASK_BTF);
        assembler.load(Width.DOUBLE_WORD, R2, R0, thread.startTime());
        assembler.load(Width.DOUBLE_WORD, R3, R0, thread.pointer());
        assembler.load(Width.DOUBLE_WORD, R5, R10, layoutSlot);
        knownThread(R5);
        assembler.load(Width.DOUBLE_WORD, R1, R5, AsyncContextLayout.THREADS_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R4, R5, AsyncContextLayout.THREADS_OFFSET + Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R5, R5, AsyncContextLayout.THREADS_OFFSET + 2 * Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, isolateSlot, R1);
        assembler.store(Width.DOUBLE_WORD, R10, idsSlot, R4);
        assembler.xor(R1, R4).xor(R1, R2).jumpIf(Condition.EQUAL, R1, R5, known);
        assembler.store(Width.DOUBLE_WORD, R10, startSlot, R2);
        findIsolate(none);
        findIds();
        remember();
        assembler.bind(known);
    }

    /** From the thread's pointer in R3. */
    private void findIsolate(Label none) {
        Label noKey = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R4, R10, layoutSlot);
        assembler
                .load(Width.DOUBLE_WORD, R1, R4, AsyncContextLayout.ISOLATE_OFFSET)
                .add(R1, R3);
        assembler.store(Width.DOUBLE_WORD, R10, isolateSlot, R1);
        assembler.load(Width.DOUBLE_WORD, R3, R4, AsyncContextLayout.ISOLATE_KEY_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, noKey);
        // Before V8 11 the isolate is kept under a key of pthread_getspecific, behind the keys before it.
        user(R3, scratchSlot, Integer.BYTES, none);
        assembler.load(Width.WORD, R1, R10, scratchSlot);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, AsyncCallerLayout.FIRST_KEYS, none);
        assembler.mul(R1, AsyncCallerLayout.KEY_BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R10, isolateSlot).add(R2, R1);
        assembler.store(Width.DOUBLE_WORD, R10, isolateSlot, R2);
        assembler.bind(noKey);
        assembler.load(Width.DOUBLE_WORD, R3, R10, isolateSlot);
        user(R3, isolateSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R1, R10, isolateSlot).jumpIf(Condition.EQUAL, R1, 0, none);
    }

    private void asyncIds() {
        Label none = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R3, R10, idsSlot).jumpIf(Condition.EQUAL, R3, 0, none);
        user(R3, scratchSlot, AsyncContextLayout.ASYNC_IDS_BYTES, none);
        for (ContextValue value : values) {
            Integer slot = slots.get(value);
            if (value.isAsyncId() && slot != null) {
                assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + offsetAmongAsyncIds(value));
                integer(slot);
            }
        }
        assembler.bind(none);
    }

    /** Moves a pointer to the layout by the thread's entry; loses R1. */
    private void knownThread(Register layout) {
        assembler.load(Width.WORD, R1, R10, threadSlot).and(R1, AsyncContextLayout.KNOWN_THREADS - 1);
        assembler.mul(R1, AsyncContextLayout.THREAD_SIZE_BYTES).add(layout, R1);
    }

    /** Notes the thread, once its Environment is there. */
    private void remember() {
        Label unknown = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R3, R10, idsSlot).jumpIf(Condition.EQUAL, R3, 0, unknown);
        assembler.load(Width.DOUBLE_WORD, R5, R10, layoutSlot);
        knownThread(R5);
        assembler.load(Width.DOUBLE_WORD, R2, R10, isolateSlot);
        assembler.load(Width.DOUBLE_WORD, R4, R10, startSlot);
        assembler.store(Width.DOUBLE_WORD, R5, AsyncContextLayout.THREADS_OFFSET, R2);
        assembler.store(Width.DOUBLE_WORD, R5, AsyncContextLayout.THREADS_OFFSET + Long.BYTES, R3);
        assembler.xor(R4, R2).xor(R4, R3);
        assembler.store(Width.DOUBLE_WORD, R5, AsyncContextLayout.THREADS_OFFSET + 2 * Long.BYTES, R4);
        assembler.bind(unknown);
    }

    /** Writes where the async ids of the isolate's Environment are to their slot; 0 = they cannot be found. */
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
        user(R3, scratchSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, AsyncContextLayout.NODE_TAG);
        user(R3, scratchSlot + Long.BYTES, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R2, R10, layoutSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R2, AsyncContextLayout.NODE_TAG_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, AsyncContextLayout.ENVIRONMENT);
        follow(none);
        plusField(R3, AsyncContextLayout.ASYNC_IDS_OFFSET);
        follow(none);
        assembler.store(Width.DOUBLE_WORD, R10, idsSlot, R3);
        assembler.bind(none);
    }

    private void plusField(Register address, int field) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R1, field).add(address, R1);
    }

    /** R3 and the scratch = the pointer at R3, if there is one. */
    private void follow(Label none) {
        user(R3, scratchSlot, Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).jumpIf(Condition.EQUAL, R3, 0, none);
    }

    private void user(Register address, int slot, int sizeBytes, Label unreadable) {
        StoreCode.user(assembler, address, slot, sizeBytes, unreadable);
    }

    /** Writes the double in R1, which is a count, as an integer; what is none is left out. */
    private void integer(int slot) {
        Label none = assembler.newLabel();
        int lastExponent = EXPONENT_BIAS + MANTISSA_BITS;
        assembler.mov(R2, R1).shiftRight(R2, MANTISSA_BITS);
        assembler.jumpIf(Condition.LESS, R2, EXPONENT_BIAS, none);
        assembler.jumpIf(Condition.GREATER, R2, lastExponent, none);
        assembler.mov(R3, lastExponent).sub(R3, R2);
        assembler.loadImmediate64(R2, 1L << MANTISSA_BITS);
        assembler.shiftLeft(R1, EXPONENT_BITS).shiftRight(R1, EXPONENT_BITS).or(R1, R2);
        assembler.shiftRight(R1, R3).store(Width.DOUBLE_WORD, R10, slot, R1);
        assembler.bind(none);
    }
}
