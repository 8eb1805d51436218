package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Translations;
import java.util.ArrayList;
import java.util.List;

/**
 * What V8 would make of one frame of optimised code if it had to leave it: the frames of the function and of those
 * inlined into it, the outermost first (v8/src/deoptimizer/translation-opcode.h, DeoptimizationFrameTranslation::Iterator).
 *
 * <p>A translation is a sequence of operations with operands. It begins with BEGIN: the distance back to the translation
 * that it shares operations with (0: none), how many frames, how many of them of JavaScript. MATCH_PREVIOUS_TRANSLATION n
 * means: the next n operations are those of the shared translation at the same place; a byte behind the last operation's
 * number stands for it and its n. In V8 10.x nothing is shared, and operations are signed numbers.
 */
final class FrameTranslation {
    /** More frames than any stack that we record. */
    private static final int MAX_FRAMES = 127;

    private static final int MAX_OPERATIONS = 100_000;

    private final Translations layout;
    private final TableCursor cursor;
    /** In the shared translation. */
    private final TableCursor shared;

    private final boolean isSharing;
    /** Of this translation; the shared one is before it. */
    private final int start;

    private int sharedOperationsLeft;
    /** How many operations {@link #shared} is behind. */
    private int operationsBehind;

    private int operationsLeft = MAX_OPERATIONS;

    private FrameTranslation(byte[] translations, int index, Translations layout) throws CodeFormatException {
        this.layout = layout;
        this.cursor = new TableCursor("translation", translations, index);
        this.shared = new TableCursor("shared translation", translations, index);
        this.isSharing = layout.matchPrevious() >= 0;
        this.start = index;
    }

    /**
     * @param isBuiltin a builtin that calls JavaScript, such as Array.prototype.map, was inlined; it has no position
     * @param bytecodeOffset of the call; of a builtin, its number
     * @param literal the SharedFunctionInfo's place among the literals
     * @param closure its function; of a builtin, {@link Closure#OF_CODE}
     */
    record Frame(boolean isBuiltin, int bytecodeOffset, int literal, Closure closure) {}

    /**
     * Which JSFunction the frame is one of: the first value of its translation.
     *
     * @param kind where it is
     * @param offsetBytes of the slot, from the frame pointer on
     */
    record Closure(Kind kind, int offsetBytes) {
        /** Where a closure is. */
        enum Kind {
            /** It is a constant of the code, or the code has made it and not written it to memory. */
            OF_CODE,
            /** It is in a slot of the stack. */
            IN_SLOT,
            /** It is in a register, or nowhere. */
            NOT_KNOWN
        }

        static final Closure OF_CODE = new Closure(Kind.OF_CODE, 0);
        static final Closure NOT_KNOWN = new Closure(Kind.NOT_KNOWN, 0);
        /** The first slot is that of the return address, the following ones are below it (OptimizedFrame::StackSlotOffsetRelativeToFp). */
        private static final int FIRST_SLOT_BYTES = 8;

        static Closure inSlot(int slot) {
            return new Closure(Kind.IN_SLOT, FIRST_SLOT_BYTES - Long.BYTES * slot);
        }
    }

    /** The frames of JavaScript, the outermost first; at least one. */
    static List<Frame> frames(byte[] translations, int index, Translations layout) throws CodeFormatException {
        return new FrameTranslation(translations, index, layout).frames();
    }

    private List<Frame> frames() throws CodeFormatException {
        int count = begin();
        if (count <= 0 || count > MAX_FRAMES) {
            throw cursor.malformed(count + " frames");
        }
        List<Frame> frames = new ArrayList<>(count);
        while (frames.size() < count) {
            int operation = next();
            int operands = layout.operands().of(operation);
            boolean isBuiltin = operation >= layout.firstContinuation() && operation <= layout.lastContinuation();
            boolean isInterpreted = operation >= layout.firstInterpreted() && operation <= layout.lastInterpreted();
            if (!isBuiltin && !isInterpreted) {
                skip(operands);
                continue;
            }
            int bytecodeOffset = operand();
            int literal = operand();
            skip(operands - 2);
            frames.add(new Frame(isBuiltin, bytecodeOffset, literal, isBuiltin ? Closure.OF_CODE : closure()));
        }
        return frames;
    }

    private void skip(int operands) throws CodeFormatException {
        for (int i = 0; i < operands; i++) {
            operand();
        }
    }

    /** A function is a tagged value: one that is none of these is an object that the code has made. */
    private Closure closure() throws CodeFormatException {
        int operation = next();
        if (operation == layout.stackSlot()) {
            return Closure.inSlot(operand());
        }
        skip(layout.operands().of(operation));
        return operation == layout.register() || operation == layout.optimizedOut()
                ? Closure.NOT_KNOWN
                : Closure.OF_CODE;
    }

    /** Reads BEGIN and returns how many frames of JavaScript follow. */
    private int begin() throws CodeFormatException {
        int operation = isSharing ? cursor.unsignedByte() : cursor.signed();
        if (operation < layout.firstBegin() || operation > layout.lastBegin()) {
            throw cursor.malformed("operation " + operation + " is not the begin of a translation");
        }
        if (!isSharing) {
            cursor.signed();
            int javaScriptFrames = cursor.signed();
            cursor.signed();
            return javaScriptFrames;
        }
        int distance = cursor.unsigned();
        shared.moveTo(start - distance);
        operationsBehind = 1;
        cursor.signed();
        return cursor.signed();
    }

    private int next() throws CodeFormatException {
        if (operationsLeft-- <= 0) {
            throw cursor.malformed("too many operations");
        }
        if (!isSharing) {
            return known(cursor.signed());
        }
        if (sharedOperationsLeft > 0 && --sharedOperationsLeft > 0) {
            return sharedOperation();
        }
        int operation = cursor.unsignedByte();
        if (operation < layout.matchPrevious()) {
            operationsBehind++;
            return operation;
        }
        sharedOperationsLeft = operation == layout.matchPrevious()
                ? cursor.unsigned()
                : operation - layout.operands().size();
        if (sharedOperationsLeft <= 0 || shared.offset() >= start) {
            throw cursor.malformed("no operation is shared");
        }
        for (; operationsBehind > 0; operationsBehind--) {
            int skipped = sharedOperation();
            for (int i = layout.operands().of(skipped); i > 0; i--) {
                shared.unsigned();
            }
        }
        return sharedOperation();
    }

    private int sharedOperation() throws CodeFormatException {
        int operation = shared.unsignedByte();
        if (operation >= layout.matchPrevious()) {
            throw shared.malformed("operation " + operation + " in a translation that shares none");
        }
        return operation;
    }

    private int known(int operation) throws CodeFormatException {
        if (operation < 0 || operation >= layout.operands().size()) {
            throw cursor.malformed("operation " + operation);
        }
        return operation;
    }

    /** Signed or not, which is one length; those that are not signed are skipped only. */
    private int operand() throws CodeFormatException {
        return sharedOperationsLeft > 0 ? shared.signed() : cursor.signed();
    }
}
