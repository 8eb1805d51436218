package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames.Named;
import dev.probestream.collector.internal.v8.function.FunctionDescription;
import dev.probestream.collector.internal.v8.function.FunctionReader;
import dev.probestream.collector.internal.v8.function.Script;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Reads what the frames of one process are from its memory, now. */
final class FrameReader implements AutoCloseable {
    /** As Error.stack and the perf map call a function without a name. */
    private static final String ANONYMOUS = "(anonymous)";

    private final ProcessMemory memory;
    private final FunctionReader functions;

    /** @param memory closed with this object */
    FrameReader(ProcessMemory memory, V8Layout layout) {
        this.memory = memory;
        this.functions = new FunctionReader(new HeapReader(memory, layout));
    }

    /**
     * Names one entry.
     *
     * @return innermost first; all but the last are inlined; an empty list for a function that is not written in JavaScript: its
     *     code has a name of its own; empty if the entry is not what it seems to be
     */
    Optional<List<Frame>> frames(long pc, long sharedFunctionInfo, long word) {
        return functions.function(sharedFunctionInfo)
                .map(function -> function.script().isEmpty() ? List.of() : List.of(frame(function, pc)));
    }

    /** Decides whether the innermost address of the stack is in the code of the first frame. */
    Named withLeaf(long leaf, JavaScriptEntries entries, List<List<Frame>> frames) {
        return new Named(List.of(), frames);
    }

    /** Forgets what was read: objects have moved. */
    void forgetFunctions() {
        functions.forget();
    }

    private static Frame frame(FunctionDescription function, long pc) {
        return new Frame(
                function.name().isEmpty() ? ANONYMOUS : function.name(),
                "",
                pc,
                FrameKind.JS,
                function.script().map(Script::name).orElse(""),
                function.line(),
                function.column(),
                0,
                0,
                false,
                false,
                "",
                0);
    }

    @Override
    public void close() {
        try {
            memory.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
