package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout.Awaits;
import dev.probestream.collector.internal.program.layout.KnownThreadLayout;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Emits the code that reads the async context of the running thread: its async ids, its microtask, and the slot of the continuation preserved
 * embedder data, in which Node keeps a JSMap from each AsyncLocalStorage to its store. Where these are is given by a
 * {@link ContextThreadCode}. Numbers are written to their slots as integers. May lose R0 to R5.
 *
 * <p>Each reading of the process's memory is a call of the kernel, which costs as much as a hundred other instructions, however
 * many bytes it reads: one is made for the async ids, one for the microtask and three for its async function, one for the slot, and one for the stores.
 */
final class ContextCode {
    /** Of a double (IEEE 754): its exponent is that of a number with 52 bits behind the point, and the bias is 1023. */
    private static final int MANTISSA_BITS = 52;

    private static final int EXPONENT_BIAS = 1023;
    private static final int EXPONENT_BITS = 12;

    private final Assembler assembler;
    private final Map<ContextValue, Integer> slots;
    private final Set<ContextValue> values;
    private final int scratchSlot;
    private final ContextThreadCode thread;

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
        this.slots = slots;
        this.values = values;
        this.scratchSlot = assembler.stackSlot(scratchBytes(values));
        this.thread = new ContextThreadCode(assembler, thread, threadSlot, scratchSlot);
    }

    /** What of the stack reading these values takes, besides their slots. */
    static int stackBytes(Set<ContextValue> values) {
        boolean isOneIdUnwanted = values.contains(ContextValue.TRACE_ID) != values.contains(ContextValue.SPAN_ID);
        boolean isMicrotaskUnwanted =
                values.contains(ContextValue.ASYNC_FUNCTION) && !values.contains(ContextValue.MICROTASK);
        return ContextThreadCode.STACK_BYTES
                + scratchBytes(values)
                + (isStoreRead(values) ? StoreCode.STACK_BYTES : 0)
                + (isOneIdUnwanted ? Long.BYTES : 0)
                + (isMicrotaskUnwanted ? Long.BYTES : 0);
    }

    private static boolean isStoreRead(Set<ContextValue> values) {
        return values.stream().anyMatch(value -> !value.isAsyncId() && !value.isAddress());
    }

    private TraceCode trace() {
        return new TraceCode(assembler, thread, scratchSlot, slot(ContextValue.TRACE_ID), slot(ContextValue.SPAN_ID));
    }

    /** In bytes; enum UidFields in src/env.h. */
    private static int offsetAmongAsyncIds(ContextValue value) {
        return switch (value) {
            case ASYNC_ID -> 0;
            case TRIGGER_ID -> Long.BYTES;
            case ASYNC_COUNTER -> 2 * Long.BYTES;
            case REQUEST, TRACE_ID, SPAN_ID, ALLOCATED, MICROTASK, ASYNC_FUNCTION ->
                throw new IllegalArgumentException(value + " is no async id");
        };
    }

    /** Both ids of a span are looked for, whichever is wanted. */
    private int slot(ContextValue value) {
        Integer slot = slots.get(value);
        return slot == null ? assembler.stackSlot(Long.BYTES) : slot;
    }

    private static int scratchBytes(Set<ContextValue> values) {
        return isStoreRead(values) ? MapTableCode.SCRATCH_BYTES : AsyncContextLayout.ASYNC_IDS_BYTES;
    }

    /** Reads the values; the slots of those that the thread has not are left as they are. */
    void read() {
        Label done = assembler.newLabel();
        thread.find(done);
        if (values.stream().anyMatch(ContextValue::isAsyncId)) {
            asyncIds();
        }
        if (values.contains(ContextValue.ALLOCATED)) {
            Label unknown = assembler.newLabel();
            isolateWord(AsyncContextLayout.ALLOCATION_TOP_OFFSET, slot(ContextValue.ALLOCATED), unknown);
            assembler.bind(unknown);
        }
        Label stored = assembler.newLabel();
        if (isStoreRead(values)) {
            boolean isTraceRead = values.stream().anyMatch(ContextValue::isText);
            new StoreCode(assembler, thread, scratchSlot)
                    .read(
                            values.contains(ContextValue.REQUEST)
                                    ? Optional.of(slot(ContextValue.REQUEST))
                                    : Optional.empty(),
                            isTraceRead ? Optional.of(trace()) : Optional.empty(),
                            stored);
        }
        assembler.bind(stored);
        if (values.stream().anyMatch(ContextValue::isOfMicrotask)) {
            microtask();
        }
        assembler.bind(done);
    }

    private void asyncIds() {
        Label none = assembler.newLabel();
        thread.load(R3, KnownThreadLayout.IDS_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, none);
        UserWords.read(assembler, scratchSlot, AsyncContextLayout.ASYNC_IDS_BYTES, none);
        for (ContextValue value : values) {
            Integer slot = slots.get(value);
            if (value.isAsyncId() && slot != null) {
                assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + offsetAmongAsyncIds(value));
                integer(slot);
            }
        }
        assembler.bind(none);
    }

    /** What has an async id or a request's number needs no microtask. */
    private void microtask() {
        Label none = assembler.newLabel();
        for (ContextValue other : List.of(ContextValue.ASYNC_ID, ContextValue.REQUEST)) {
            if (values.contains(other)) {
                assembler.load(Width.DOUBLE_WORD, R1, R10, slot(other));
                assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, none);
            }
        }
        int slot = slot(ContextValue.MICROTASK);
        isolateWord(Awaits.MICROTASK_OFFSET, slot, none);
        if (values.contains(ContextValue.ASYNC_FUNCTION)) {
            assembler.load(Width.DOUBLE_WORD, R3, R10, slot);
            asyncFunction(slot(ContextValue.ASYNC_FUNCTION), none);
        }
        assembler.bind(none);
    }

    /**
     * From the tagged pointer to a microtask in R3: to its handler, the context of that, and the object there, which is an async function's if
     * the handler is the closure that continues one. Whether it is shows at the first one of the same SharedFunctionInfo.
     */
    private void asyncFunction(int slot, Label none) {
        Label isOne = assembler.newLabel();
        Label isOther = assembler.newLabel();
        int second = scratchSlot + Long.BYTES;
        thread.loadOfLayout(R1, Awaits.HANDLER_OFFSET);
        assembler.add(R3, R1).sub(R3, 1);
        UserWords.read(assembler, scratchSlot, Long.BYTES, none);
        thread.loadOfLayout(R1, Awaits.FUNCTION_CONTEXT_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R3, R10, scratchSlot).add(R3, R1).sub(R3, 1 + Long.BYTES);
        UserWords.read(assembler, scratchSlot, 2 * Long.BYTES, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, second).add(R3, Awaits.CONTINUED);
        UserWords.read(assembler, slot, Long.BYTES, none);
        thread.load(R1, KnownThreadLayout.AWAIT_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R2, R10, scratchSlot).jumpIf(Condition.EQUAL, R1, R2, none);
        assembler.load(Width.DOUBLE_WORD, R3, R10, slot).add(R3, AsyncContextLayout.OBJECT_MAP);
        UserWords.read(assembler, second, Long.BYTES, isOther);
        thread.instanceType(second, second, isOther);
        thread.loadOfLayout(R1, Awaits.TYPES_OFFSET);
        assembler.mov(R3, R1).shiftRight(R3, Short.SIZE).jumpIf(Condition.EQUAL, R3, R2, isOne);
        assembler.and(R1, 0xffff).jumpIf(Condition.NOT_EQUAL, R1, R2, isOther);
        assembler.bind(isOne);
        thread.note(KnownThreadLayout.AWAIT_OFFSET, scratchSlot);
        assembler.jump(none);
        assembler.bind(isOther);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, 0);
    }

    /** Writes a word of the isolate to its slot, if it is known where that is. */
    private void isolateWord(int layoutField, int slot, Label unknown) {
        thread.loadOfLayout(R1, layoutField);
        assembler.jumpIf(Condition.EQUAL, R1, 0, unknown);
        thread.load(R3, KnownThreadLayout.ISOLATE_OFFSET);
        assembler.add(R3, R1);
        UserWords.read(assembler, slot, Long.BYTES, unknown);
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
