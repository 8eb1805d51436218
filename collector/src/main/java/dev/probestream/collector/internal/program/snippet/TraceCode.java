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
import dev.probestream.collector.internal.program.layout.KnownThreadLayout;

/**
 * Emits the code that finds the trace and the span in a store of OpenTelemetry's AsyncLocalStorageContextManager (API 1, SDK 2):
 *
 * <pre>
 * BaseContext   24  _currentContext, a JSMap     32, 40, 48  getValue, setValue, deleteValue: closures, whose Map is one
 *  its values   24  of the one that is a span (SpanImpl, NonRecordingSpan): _spanContext
 * SpanContext   24  traceId, of 32 characters    32  spanId, of 16
 * </pre>
 *
 * These are the first properties of their objects, which V8 keeps in the object behind its three words, in the order in which the
 * constructors set them. A text is where its characters are: V8's string of one-byte characters, a slice of one (an id that
 * came in a header), or what leads to one (an id that was used as a property's name).
 */
final class TraceCode {
    private static final int TAG_MASK = 3;
    private static final int HEAP_OBJECT_TAG = 1;

    // From a tagged pointer.
    private static final int FIRST_PROPERTY = 23;

    private static final int TRACE_ID_CHARACTERS = 32;
    private static final int SPAN_ID_CHARACTERS = 16;
    private static final int HALF = 32;

    /** Instance types of strings (v8/src/objects/instance-type.h): representation and encoding of one byte. */
    private static final int LAST_STRING_TYPE = 127;

    private static final int KIND_MASK = 15;
    private static final int SEQUENTIAL = 8;
    private static final int SLICED = 8 + 3;
    private static final int THIN = 8 + 5;
    private static final int CHARACTERS = 16;

    private final Assembler assembler;
    private final ContextThreadCode thread;
    private final int scratchSlot;
    private final int traceSlot;
    private final int spanSlot;

    /**
     * @param thread has been found
     * @param scratchSlot {@link MapTableCode#SCRATCH_BYTES}, of which {@link MapTableCode#FREE_BYTES} may be lost
     * @param traceSlot where the address of the trace's characters is written; what is not wanted may be lost
     * @param spanSlot likewise
     */
    TraceCode(Assembler assembler, ContextThreadCode thread, int scratchSlot, int traceSlot, int spanSlot) {
        this.assembler = assembler;
        this.thread = thread;
        this.scratchSlot = scratchSlot;
        this.traceSlot = traceSlot;
        this.spanSlot = spanSlot;
    }

    /** If the object in R1 looks like a context, notes the map that is in it; ends in a jump or falls through. */
    void candidate(int candidateSlot, Label next) {
        jumpUnlessObject(next);
        assembler.mov(R3, R1).add(R3, FIRST_PROPERTY);
        UserWords.read(assembler, scratchSlot, 4 * Long.BYTES, next);
        for (int property = 0; property < 4; property++) {
            assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + property * Long.BYTES);
            jumpUnlessObject(next);
        }
        int maps = scratchSlot + 4 * Long.BYTES;
        for (int closure = 1; closure < 3; closure++) {
            assembler
                    .load(Width.DOUBLE_WORD, R3, R10, scratchSlot + closure * Long.BYTES)
                    .sub(R3, HEAP_OBJECT_TAG);
            UserWords.read(assembler, maps + (closure - 1) * Long.BYTES, Long.BYTES, next);
        }
        assembler.load(Width.DOUBLE_WORD, R1, R10, maps).load(Width.DOUBLE_WORD, R2, R10, maps + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, next);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot);
        assembler.store(Width.DOUBLE_WORD, R10, candidateSlot, R1);
    }

    /** Looks for a span in the map that was noted, if one was. */
    void read(MapTableCode table, int candidateSlot, Label done) {
        Label found = assembler.newLabel();
        Label incomplete = assembler.newLabel();
        Label complete = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R3, R10, candidateSlot).jumpIf(Condition.EQUAL, R3, 0, done);
        table.find(done);
        for (int entry = 0; entry < MapTableCode.MAX_ENTRIES / 2; entry++) {
            Label next = assembler.newLabel();
            table.value(entry, incomplete);
            span(next);
            assembler.jump(found);
            assembler.bind(next);
        }
        assembler.jump(incomplete);
        assembler.bind(found);
        characters(traceSlot, incomplete);
        characters(spanSlot, incomplete);
        assembler.jump(complete);
        assembler.bind(incomplete);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, traceSlot, 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, spanSlot, 0);
        assembler.bind(complete);
    }

    /** Falls through if the value in R1 is a span, with its ids' strings, or their characters, in the slots. */
    private void span(Label next) {
        jumpUnlessObject(next);
        assembler.mov(R3, R1).add(R3, FIRST_PROPERTY);
        UserWords.read(assembler, scratchSlot, Long.BYTES, next);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot);
        jumpUnlessObject(next);
        assembler.mov(R3, R1).add(R3, FIRST_PROPERTY);
        UserWords.read(assembler, scratchSlot, 2 * Long.BYTES, next);
        id(scratchSlot, TRACE_ID_CHARACTERS, traceSlot, next);
        id(scratchSlot + Long.BYTES, SPAN_ID_CHARACTERS, spanSlot, next);
    }

    /**
     * Moves a string to its slot if it is so long; instead the address of its characters, if it is the same as the last
     * one.
     */
    private void id(int place, int characters, int slot, Label other) {
        int head = scratchSlot + 2 * Long.BYTES;
        Label unknown = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R10, place);
        jumpUnlessObject(other);
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
        assembler.mov(R3, R1).sub(R3, HEAP_OBJECT_TAG);
        UserWords.read(assembler, head, 2 * Long.BYTES, other);
        assembler.load(Width.DOUBLE_WORD, R1, R10, head + Long.BYTES).shiftRight(R1, HALF);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, characters, other);
        assembler.load(Width.DOUBLE_WORD, R1, R10, head);
        thread.load(R2, KnownThreadLayout.STRING_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, unknown);
        toCharacters(slot);
        assembler.bind(unknown);
    }

    /** Of a string in one piece. */
    private void toCharacters(int slot) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, slot).add(R1, CHARACTERS - HEAP_OBJECT_TAG);
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
    }

    /** Replaces the string in the slot, if it is one, by the address of its characters. */
    private void characters(int slot, Label none) {
        Label direct = assembler.newLabel();
        Label sliced = assembler.newLabel();
        Label done = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R10, slot);
        jumpUnlessObject(done);
        string(slot, none);
        assembler.jumpIf(Condition.EQUAL, R2, SEQUENTIAL, direct);
        assembler.jumpIf(Condition.EQUAL, R2, SLICED, sliced);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, THIN, none);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + 2 * Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
        string(slot, none);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, SEQUENTIAL, none);
        assembler.bind(direct);
        thread.note(KnownThreadLayout.STRING_OFFSET, scratchSlot);
        toCharacters(slot);
        assembler.jump(done);
        assembler.bind(sliced);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + 2 * Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R10, scratchSlot + 3 * Long.BYTES).shiftRight(R2, HALF);
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
        assembler.add(R1, R2).add(R1, CHARACTERS - HEAP_OBJECT_TAG);
        assembler.store(Width.DOUBLE_WORD, R10, scratchSlot + 5 * Long.BYTES, R1);
        string(slot, none);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, SEQUENTIAL, none);
        assembler.load(Width.DOUBLE_WORD, R1, R10, scratchSlot + 5 * Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
        assembler.bind(done);
    }

    /** Reads the string in the slot to the scratch: map, hash and length, two words; R2 = its representation and encoding. */
    private void string(int slot, Label none) {
        assembler.load(Width.DOUBLE_WORD, R3, R10, slot).sub(R3, HEAP_OBJECT_TAG);
        UserWords.read(assembler, scratchSlot, 4 * Long.BYTES, none);
        thread.instanceType(scratchSlot, scratchSlot + 4 * Long.BYTES, none);
        assembler.jumpIf(Condition.GREATER, R2, LAST_STRING_TYPE, none);
        assembler.and(R2, KIND_MASK);
    }

    /** Looks at R1; loses R4. */
    private void jumpUnlessObject(Label other) {
        assembler.mov(R4, R1).and(R4, TAG_MASK).jumpIf(Condition.NOT_EQUAL, R4, HEAP_OBJECT_TAG, other);
    }
}
