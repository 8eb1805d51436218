package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.code.FrameTranslation.Closure;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Deoptimization;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Safepoints;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The functions that a frame of optimised code stands for, with bytecode offsets: from the pc to its safepoint, from there
 * to the deoptimisation entry and its translation. V8 finds them this way for its own stacks (OptimizedFrame::Summarize
 * in v8/src/execution/frames.cc).
 */
final class OptimizedFrames {
    /** Of a pointer in an array that holds its literals weakly, beside the tag (v8/src/objects/maybe-object.h). */
    private static final long WEAK = 2;

    private static final int WORD_BYTES = 8;

    /** InliningPosition (v8/src/codegen/source-position.h): 64 bits of position, 32 of literal, 32 unused. */
    private static final int INLINING_BYTES = 16;

    private static final int MAX_FRAMES = 127;

    private final HeapReader heap;
    private final V8CodeLayout layout;
    private final FunctionBytecode bytecodes;

    OptimizedFrames(HeapReader heap, V8CodeLayout layout, FunctionBytecode bytecodes) {
        this.heap = heap;
        this.layout = layout;
        this.bytecodes = bytecodes;
    }

    /**
     * A function at a bytecode.
     *
     * @param bytecodeOffset {@link SourcePositionTable#FUNCTION_ENTRY} at its entry
     * @param closure its function
     */
    record Frame(long sharedFunctionInfo, boolean isBuiltin, int bytecodeOffset, Closure closure) {}

    /**
     * The functions at the pc, the outermost first.
     *
     * @param sharedFunctionInfo of the frame: the outermost
     * @return empty if the pc is not where a call returns to, or if V8 keeps no deoptimisation entry for it
     */
    List<Frame> at(CodeObject code, long pc, long sharedFunctionInfo) throws HeapException, CodeFormatException {
        boolean isMaglev = code.kind() == layout.codes().maglevKind();
        OptionalInt index = deoptimisationIndex(
                code, code.offset(pc), isMaglev ? layout.maglevSafepoints() : layout.turbofanSafepoints());
        if (index.isEmpty()) {
            return List.of();
        }
        if (index.getAsInt() == SafepointTable.NONE) {
            // Maglev's check of the stack at the entry of a function (OptimizedFrame::Summarize).
            return isMaglev
                    ? List.of(
                            new Frame(sharedFunctionInfo, false, SourcePositionTable.FUNCTION_ENTRY, Closure.NOT_KNOWN))
                    : List.of();
        }
        return frames(code, index.getAsInt());
    }

    private OptionalInt deoptimisationIndex(CodeObject code, int pcOffset, Safepoints safepoints)
            throws HeapException, CodeFormatException {
        // The metadata of code begins with this table, right behind the instructions.
        long table = code.instructionStart() + code.instructionSize() + 1;
        SafepointTable header = new SafepointTable(safepoints, bytecodes.bytesAt(table, 0, safepoints.entries()));
        byte[] entries = bytecodes.bytesAt(table, safepoints.entries(), header.entryBytes());
        return header.deoptimisationAt(entries, pcOffset);
    }

    private List<Frame> frames(CodeObject code, int index) throws HeapException, CodeFormatException {
        long data = heap.pointer(code.address(), layout.codes().deoptimizationData());
        int entry = layout.deoptimization().firstEntry() + Deoptimization.ENTRY_WORDS * index;
        int translation = smi(element(data, entry + Deoptimization.TRANSLATION_IN_ENTRY));
        byte[] translations = bytecodes.byteArray(element(data, Deoptimization.TRANSLATIONS));
        long literals = element(data, layout.deoptimization().literals());
        List<Frame> frames = new ArrayList<>();
        for (FrameTranslation.Frame frame : FrameTranslation.frames(translations, translation, layout.translations())) {
            long function = function(element(literals, frame.literal()));
            frames.add(new Frame(function, frame.isBuiltin(), frame.bytecodeOffset(), frame.closure()));
        }
        return frames;
    }

    /**
     * The functions at an instruction, the innermost first, by the table of positions that V8 keeps of optimised code for
     * its profiler (SourcePosition::InliningStack). It covers each instruction, but has no builtins that were inlined.
     *
     * @return empty if the table has no position there
     */
    List<CodePosition> inliningStack(CodeObject code, int pcOffset) throws HeapException, CodeFormatException {
        long table = heap.word(code.address(), layout.codes().positionTable());
        long position =
                SourcePositionTable.rawPositionAt(bytecodes.byteArray(table), pcOffset, layout.hasPositionFlags());
        if (position == 0) {
            return List.of();
        }
        long data = heap.pointer(code.address(), layout.codes().deoptimizationData());
        List<CodePosition> frames = new ArrayList<>();
        int inlined = SourcePositionTable.inlinedFunction(position);
        if (inlined != SourcePositionTable.UNKNOWN) {
            long literals = element(data, layout.deoptimization().literals());
            ByteBuffer positions = ByteBuffer.wrap(bytecodes.byteArray(
                            element(data, layout.deoptimization().inliningPositions())))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (; inlined != SourcePositionTable.UNKNOWN; inlined = SourcePositionTable.inlinedFunction(position)) {
                int offset = INLINING_BYTES * inlined;
                if (offset + INLINING_BYTES > positions.capacity() || frames.size() == MAX_FRAMES) {
                    throw new CodeFormatException("inlining positions", offset, "no function " + inlined);
                }
                int literal = positions.getInt(offset + Long.BYTES);
                long function = literal < 0 ? outermost(data) : function(element(literals, literal));
                frames.add(new CodePosition(function, SourcePositionTable.scriptOffset(position)));
                position = positions.getLong(offset);
            }
        }
        frames.add(new CodePosition(outermost(data), SourcePositionTable.scriptOffset(position)));
        return frames;
    }

    /** The function that the code was compiled for. */
    long function(CodeObject code) throws HeapException {
        return outermost(heap.pointer(code.address(), layout.codes().deoptimizationData()));
    }

    private long outermost(long data) throws HeapException {
        long function = element(data, layout.deoptimization().sharedFunctionInfo());
        return heap.is(function, heap.layout().types().sharedFunctionInfo())
                ? function
                : function(heap.word(function, Deoptimization.IN_WRAPPER));
    }

    private long function(long literal) throws HeapException {
        long function = literal & ~WEAK;
        heap.require(function, heap.layout().types().sharedFunctionInfo());
        return function;
    }

    /** An element of one of the kinds of FixedArray, which begin in the same way. */
    private long element(long array, int index) throws HeapException {
        int length = heap.smi(array, heap.layout().arrays().length());
        if (index < 0 || index >= length) {
            throw new HeapException(HeapException.Reason.UNEXPECTED, "element " + index + " of " + length);
        }
        return heap.word(array, heap.layout().arrays().elements() + WORD_BYTES * index);
    }

    private static int smi(long word) throws HeapException {
        if (!HeapReader.isSmi(word)) {
            throw new HeapException(HeapException.Reason.UNEXPECTED, "no Smi in deoptimisation data");
        }
        return HeapReader.smi(word);
    }
}
