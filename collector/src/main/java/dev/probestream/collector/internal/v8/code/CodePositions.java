package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Codes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Where in the source a frame of JavaScript is, and which functions were inlined there: what V8 itself finds for
 * {@code Error.stack}, from the memory of the process. Whatever does not check out leaves the function of the frame,
 * without a position, and is counted.
 *
 * <p>Objects must not have moved since the frame was recorded; see {@code V8ProcessLayout}. For one thread at a time.
 */
public final class CodePositions {
    /** An entry's pc below this is the kind of an async caller. */
    static final long FIRST_PC = 4096;
    /** A pc that stands for an async function that awaits: the word is where, as an interpreted frame has it. */
    public static final long AWAITING = 1;

    /** Not a Smi. */
    private static final long NO_WORD = 1;

    private final HeapReader heap;
    private final V8CodeLayout layout;
    private final LongPredicate isBuiltinCode;
    private final CodeSearch codes;
    private final FunctionBytecode bytecodes;
    private final OptimizedFrames optimized;
    private final Map<PositionOutcome, Long> outcomes = new EnumMap<>(PositionOutcome.class);

    /** @param isBuiltinCode whether an address is in code of the executable, such as the interpreter: {@link FileCode} */
    public CodePositions(HeapReader heap, V8CodeLayout layout, LongPredicate isBuiltinCode) {
        this.heap = heap;
        this.layout = layout;
        this.isBuiltinCode = isBuiltinCode;
        this.codes = new CodeSearch(heap, layout);
        this.bytecodes = new FunctionBytecode(heap, layout);
        this.optimized = new OptimizedFrames(heap, layout, bytecodes);
    }

    /**
     * The functions of a frame that has called something, the innermost first; at least the frame's own, which is the last.
     *
     * @param pc the return address into the frame's code; 0 if it is not known; below 4096 an async caller
     * @param sharedFunctionInfo of the frame's function, tagged
     * @param word what the frame holds where interpreted frames have their bytecode offset
     */
    public List<CodePosition> of(long pc, long sharedFunctionInfo, long word) {
        return of(pc, sharedFunctionInfo, word, true);
    }

    /**
     * The functions at the instruction that runs next, in the code of the innermost frame, where a sample was taken. In
     * interpreted code the position is not known: the frame contains only where it has last called something.
     *
     * @param pc address of the instruction
     * @param sharedFunctionInfo of the innermost frame's function, tagged
     */
    public List<CodePosition> ofInstruction(long pc, long sharedFunctionInfo) {
        return of(pc, sharedFunctionInfo, NO_WORD, false);
    }

    /**
     * Whether the code at an address was compiled for a function, or is a copy of the interpreter. It may be in the part of
     * the code that has no frame yet, or no longer.
     */
    public boolean isCodeOf(long pc, long sharedFunctionInfo) {
        heap.begin();
        try {
            heap.require(sharedFunctionInfo, heap.layout().types().sharedFunctionInfo());
            Optional<CodeObject> code = codes.at(pc);
            if (code.isEmpty() || code.get().kind() > layout.codes().baselineKind()) {
                return code.isPresent()
                        && isOptimized(code.get())
                        && optimized.function(code.get()) == sharedFunctionInfo;
            }
            long bytecode = bytecodes.ofBaseline(code.get().address());
            return code.get().kind() < layout.codes().baselineKind()
                    || (bytecode != FunctionBytecode.NONE && bytecode == bytecodes.of(sharedFunctionInfo));
        } catch (HeapException e) {
            return false;
        }
    }

    /**
     * The functions at an instruction of optimised code that has no frame: at its beginning and its end.
     *
     * @return innermost first; empty if no optimised code is there
     */
    public List<CodePosition> ofFrameless(long pc) {
        heap.begin();
        try {
            Optional<CodeObject> code = codes.at(pc);
            if (code.isEmpty() || !isOptimized(code.get())) {
                return List.of();
            }
            List<CodePosition> frames =
                    optimized.inliningStack(code.get(), code.get().offset(pc));
            return frames.isEmpty()
                    ? List.of(new CodePosition(optimized.function(code.get()), SourcePositionTable.UNKNOWN))
                    : frames;
        } catch (HeapException | CodeFormatException e) {
            return List.of();
        }
    }

    private boolean isOptimized(CodeObject code) {
        Codes kinds = layout.codes();
        return code.kind() == kinds.maglevKind() || code.kind() == kinds.turbofanKind();
    }

    private List<CodePosition> of(long pc, long sharedFunctionInfo, long word, boolean isReturn) {
        heap.begin();
        try {
            heap.require(sharedFunctionInfo, heap.layout().types().sharedFunctionInfo());
            return checked(pc, sharedFunctionInfo, word, isReturn);
        } catch (HeapException e) {
            return alone(sharedFunctionInfo, PositionOutcome.UNREADABLE);
        } catch (CodeFormatException e) {
            return alone(sharedFunctionInfo, PositionOutcome.MALFORMED);
        }
    }

    /** How many functions had which outcome. */
    public Map<PositionOutcome, Long> outcomes() {
        return Collections.unmodifiableMap(outcomes);
    }

    private List<CodePosition> checked(long pc, long function, long word, boolean isReturn)
            throws HeapException, CodeFormatException {
        if (bytecodes.isBuiltin(function)) {
            return alone(function, PositionOutcome.BUILTIN);
        }
        if (pc < FIRST_PC) {
            return pc == AWAITING ? interpreted(function, word) : alone(function, PositionOutcome.NOT_RECORDED);
        }
        if (isBuiltinCode.test(pc)) {
            return interpreted(function, word);
        }
        Optional<CodeObject> code = codes.at(isReturn ? pc - 1 : pc);
        if (code.isEmpty()) {
            return alone(function, PositionOutcome.NO_CODE);
        }
        Codes kinds = layout.codes();
        int kind = code.get().kind();
        if (kind < kinds.baselineKind()) {
            // A copy of the interpreter: --interpreted-frames-native-stack.
            return interpreted(function, word);
        }
        if (kind == kinds.baselineKind()) {
            return baseline(code.get(), isReturn ? pc : pc + 1, function);
        }
        return isOptimized(code.get())
                ? optimized(code.get(), pc, function, isReturn)
                : alone(function, PositionOutcome.NO_CODE);
    }

    private List<CodePosition> interpreted(long function, long word) throws HeapException, CodeFormatException {
        long bytecode = bytecodes.of(function);
        if (bytecode == FunctionBytecode.NONE) {
            return alone(function, PositionOutcome.NO_BYTECODE);
        }
        int offset = layout.bytecodes().offset(HeapReader.smi(word));
        if (!HeapReader.isSmi(word) || offset < 0 || offset >= bytecodes.length(bytecode)) {
            return alone(function, PositionOutcome.NOT_RECORDED);
        }
        return List.of(at(function, bytecode, offset));
    }

    private List<CodePosition> baseline(CodeObject code, long pc, long function)
            throws HeapException, CodeFormatException {
        long bytecode = bytecodes.ofBaseline(code.address());
        if (bytecode == FunctionBytecode.NONE || bytecode != bytecodes.of(function)) {
            return alone(function, PositionOutcome.OTHER_FUNCTION);
        }
        byte[] table =
                bytecodes.byteArray(heap.word(code.address(), layout.codes().positionTable()));
        int offset = BytecodeOffsetTable.bytecodeOffsetAt(
                table, bytecodes.bytes(bytecode), layout.bytecodes().sizes(), code.offset(pc));
        return List.of(at(function, bytecode, offset));
    }

    private List<CodePosition> optimized(CodeObject code, long pc, long function, boolean isReturn)
            throws HeapException, CodeFormatException {
        List<OptimizedFrames.Frame> frames = isReturn ? optimized.at(code, pc, function) : List.of();
        if (frames.isEmpty()) {
            return atInstruction(code, isReturn ? pc - 1 : pc, function);
        }
        if (frames.get(0).sharedFunctionInfo() != function) {
            return alone(function, PositionOutcome.OTHER_FUNCTION);
        }
        List<CodePosition> positions = new ArrayList<>(frames.size());
        for (int i = frames.size() - 1; i >= 0; i--) {
            OptimizedFrames.Frame frame = frames.get(i);
            // Maglev gives an inlined builtin the function that calls it, which has a frame of its own.
            if (!frame.isBuiltin() || bytecodes.isBuiltin(frame.sharedFunctionInfo())) {
                positions.add(at(frame));
            }
        }
        return positions;
    }

    /** Also of calls of C++ that cannot lead to JavaScript, which V8 keeps no deoptimisation entry for. */
    private List<CodePosition> atInstruction(CodeObject code, long pc, long function)
            throws HeapException, CodeFormatException {
        List<CodePosition> frames = optimized.inliningStack(code, code.offset(pc));
        if (frames.isEmpty()) {
            return alone(function, PositionOutcome.NOT_COLLECTED);
        }
        if (frames.get(frames.size() - 1).sharedFunctionInfo() != function) {
            return alone(function, PositionOutcome.OTHER_FUNCTION);
        }
        for (CodePosition frame : frames) {
            count(
                    frame.sourcePosition() == SourcePositionTable.UNKNOWN
                            ? PositionOutcome.NOT_COLLECTED
                            : PositionOutcome.FOUND);
        }
        return frames;
    }

    private CodePosition at(OptimizedFrames.Frame frame) throws HeapException, CodeFormatException {
        if (frame.isBuiltin()) {
            return unknown(frame.sharedFunctionInfo(), PositionOutcome.BUILTIN);
        }
        long bytecode = bytecodes.of(frame.sharedFunctionInfo());
        return bytecode == FunctionBytecode.NONE
                ? unknown(frame.sharedFunctionInfo(), PositionOutcome.NO_BYTECODE)
                : at(frame.sharedFunctionInfo(), bytecode, frame.bytecodeOffset());
    }

    private CodePosition at(long function, long bytecode, int offset) throws HeapException, CodeFormatException {
        long table = heap.word(bytecode, layout.bytecodes().sourcePositions());
        if (!bytecodes.isByteArray(table)) {
            return unknown(function, PositionOutcome.NOT_COLLECTED);
        }
        int position = SourcePositionTable.positionAt(bytecodes.byteArray(table), offset, layout.hasPositionFlags());
        if (position == SourcePositionTable.UNKNOWN) {
            return unknown(function, PositionOutcome.NOT_COLLECTED);
        }
        count(PositionOutcome.FOUND);
        return new CodePosition(function, position);
    }

    private List<CodePosition> alone(long function, PositionOutcome outcome) {
        return List.of(unknown(function, outcome));
    }

    private CodePosition unknown(long function, PositionOutcome outcome) {
        count(outcome);
        return new CodePosition(function, SourcePositionTable.UNKNOWN);
    }

    private void count(PositionOutcome outcome) {
        outcomes.merge(outcome, 1L, Long::sum);
    }
}
