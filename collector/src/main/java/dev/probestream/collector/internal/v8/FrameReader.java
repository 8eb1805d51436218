package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.program.layout.v8.AsyncKind;
import dev.probestream.collector.internal.sourcemap.SourceLocation;
import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames.Named;
import dev.probestream.collector.internal.v8.code.CodePosition;
import dev.probestream.collector.internal.v8.code.CodePositions;
import dev.probestream.collector.internal.v8.function.FunctionDescription;
import dev.probestream.collector.internal.v8.function.FunctionReader;
import dev.probestream.collector.internal.v8.function.Script;
import dev.probestream.collector.internal.v8.function.SourcePosition;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/** Reads what the frames of one process are from its memory, now. */
final class FrameReader {
    private final FunctionReader functions;
    private final Optional<CodePositions> positions;
    private final ScriptSources sources;
    private final LongPredicate isBuiltinCode;

    /**
     * @param positions finds calls and inlined functions; empty where the layout of V8's code is not known
     * @param isBuiltinCode whether an address is in code of the executable
     */
    FrameReader(
            HeapReader heap, Optional<CodePositions> positions, ScriptSources sources, LongPredicate isBuiltinCode) {
        this.functions = new FunctionReader(heap);
        this.positions = positions;
        this.sources = sources;
        this.isBuiltinCode = isBuiltinCode;
    }

    /**
     * Names one entry.
     *
     * @return innermost first; all but the last are inlined; an empty list for a function that is not written in JavaScript: its
     *     code has a name of its own; empty if the entry is not what it seems to be
     */
    Optional<List<Frame>> frames(long pc, long sharedFunctionInfo, long word) {
        Optional<AsyncKind> async = AsyncKind.ofPc(pc);
        if (async.isPresent() && async.get() != AsyncKind.AWAIT) {
            return Optional.of(List.of(combinator(async.get())));
        }
        return positions.isEmpty()
                ? frames(List.of(new CodePosition(sharedFunctionInfo, -1)), pc)
                : frames(positions.get().of(pc, sharedFunctionInfo, word), pc);
    }

    /**
     * Names the innermost address of a stack, where that is in generated code: it is in the code of the first entry, or in code
     * that has no frame of its own yet, or no longer.
     *
     * @param frames of the entries
     */
    Named withLeaf(long leaf, JavaScriptEntries entries, List<List<Frame>> frames) {
        if (positions.isEmpty() || isBuiltinCode.test(leaf)) {
            return new Named(List.of(), frames);
        }
        long first = entries.sharedFunctionInfo(0);
        if (entries.pc(0) == 0 && positions.get().isCodeOf(leaf, first)) {
            List<List<Frame>> others = new ArrayList<>(frames);
            others.set(0, List.of());
            return new Named(
                    frames(positions.get().ofInstruction(leaf, first), leaf).orElse(List.of()), others);
        }
        return new Named(frames(positions.get().ofFrameless(leaf), leaf).orElse(List.of()), frames);
    }

    /** Forgets what was read: objects have moved. */
    void forget() {
        functions.forget();
        sources.forget();
    }

    private Optional<List<Frame>> frames(List<CodePosition> found, long pc) {
        List<Frame> frames = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            Optional<FunctionDescription> function =
                    functions.function(found.get(i).sharedFunctionInfo());
            if (function.isEmpty()) {
                return Optional.empty();
            }
            if (function.get().script().isPresent()) {
                frames.add(frame(function.get(), found.get(i).sourcePosition(), pc, i < found.size() - 1));
            }
        }
        return Optional.of(List.copyOf(frames));
    }

    private Frame frame(FunctionDescription function, int callPosition, long pc, boolean isInlined) {
        Script script = function.script().orElseThrow();
        SourcePosition call = (callPosition < 0 ? Optional.<SourcePosition>empty() : script.positionOf(callPosition))
                .orElse(new SourcePosition(0, 0));
        Optional<SourceLocation> source = call.line() > 0
                ? sources.locate(script, call.line(), call.column())
                : sources.locate(script, function.line(), function.column());
        return new Frame(
                function.name().isEmpty() ? FrameText.ANONYMOUS : function.name(),
                "",
                AsyncKind.ofPc(pc).isPresent() ? 0L : pc,
                FrameKind.JS,
                script.name(),
                function.line(),
                function.column(),
                call.line(),
                call.column(),
                isInlined,
                AsyncKind.ofPc(pc).isPresent(),
                source.map(SourceLocation::file).orElse(""),
                source.map(SourceLocation::line).orElse(0));
    }

    private static Frame combinator(AsyncKind kind) {
        return new Frame(kind.symbol(), "", 0L, FrameKind.JS, "", 0, 0, 0, 0, false, true, "", 0);
    }
}
