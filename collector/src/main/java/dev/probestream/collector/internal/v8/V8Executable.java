package dev.probestream.collector.internal.v8;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.v8.async.AsyncLayoutReader;
import dev.probestream.collector.internal.v8.layout.EntryCode;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import dev.probestream.collector.internal.v8.layout.V8LayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An executable that contains V8, whose JavaScript functions can be named.
 *
 * @param file opens it; may lead through a process, and then ends with it
 * @param layout of V8's objects
 * @param code layout of V8's code; empty if calls and inlined functions cannot be found
 * @param codeObstacle why not, else ""
 * @param async what async callers need; empty if they cannot be followed
 * @param asyncObstacle why not, else ""
 * @param exitFrame offset in the isolate of the frame pointer of the last exit frame; 0 = it is not known
 * @param moving where V8 begins to move objects, ends, and gives a heap back: offsets in the file, in bytes
 */
public record V8Executable(
        Path file,
        FileId id,
        V8Layout layout,
        Optional<V8CodeLayout> code,
        String codeObstacle,
        Optional<AsyncCallerLayout> async,
        String asyncObstacle,
        int exitFrame,
        Moving moving) {
    /** Of Node.js: {@code int node::Start(int, char**)}, which it exports. */
    private static final String NODE_START = "_ZN4node5StartEiPPc";

    // v8::internal::MarkCompactCollector::CollectGarbage() calls Finish() when the objects have been moved.
    private static final String MOVING_BEGINS = "_ZN2v88internal20MarkCompactCollector14CollectGarbageEv";
    private static final String MOVING_ENDS = "_ZN2v88internal20MarkCompactCollector6FinishEv";
    // v8::internal::Heap::TearDown()
    private static final String HEAP_ENDS = "_ZN2v88internal4Heap8TearDownEv";

    /** Entries of functions of V8, as offsets in the file. */
    public record Moving(long begins, long ends, long heapEnds) {}

    /**
     * Reads it; empty if the file does not contain V8.
     *
     * @throws V8LayoutException if it is a Node.js whose functions cannot be named; the message is a reason for the user
     * @throws IOException if the file cannot be read or is malformed
     */
    public static Optional<V8Executable> read(Path file, ElfFile elf) throws IOException, V8LayoutException {
        try {
            V8Symbols symbols = V8Symbols.read(elf);
            V8Layout layout = V8LayoutReader.layout(symbols);
            requireKnownFrames(layout);
            Moving moving = new Moving(entry(elf, MOVING_BEGINS), entry(elf, MOVING_ENDS), entry(elf, HEAP_ENDS));
            return Optional.of(withCalls(file, elf, symbols, layout, moving));
        } catch (V8LayoutException e) {
            if (elf.function(NODE_START).isEmpty()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** The same, with another path that opens it: the one of a process that has ended opens nothing. */
    V8Executable openedBy(Path path) {
        return new V8Executable(path, id, layout, code, codeObstacle, async, asyncObstacle, exitFrame, moving);
    }

    private static V8Executable withCalls(Path file, ElfFile elf, V8Symbols symbols, V8Layout layout, Moving moving)
            throws IOException {
        Part<V8CodeLayout> code = part(() -> V8CodeLayoutReader.read(elf, symbols));
        Part<AsyncCallerLayout> async = part(() -> AsyncLayoutReader.read(elf, symbols, layout));
        return new V8Executable(
                file,
                FileId.of(file),
                layout,
                code.layout,
                code.obstacle,
                async.layout,
                async.obstacle,
                EntryCode.exitFrame(elf),
                moving);
    }

    private record Part<T>(Optional<T> layout, String obstacle) {}

    private interface PartReader<T> {
        T read() throws IOException, V8LayoutException;
    }

    private static <T> Part<T> part(PartReader<T> reader) throws IOException {
        try {
            return new Part<>(Optional.of(reader.read()), "");
        } catch (V8LayoutException e) {
            return new Part<>(Optional.empty(), String.valueOf(e.getMessage()));
        }
    }

    /** What programs in the kernel need of the layout. */
    V8ProcessLayout processLayout(AsyncCallerLayout asyncCallers) {
        return new V8ProcessLayout(
                layout.types().firstJsFunction(),
                layout.types().lastJsFunction(),
                layout.maps().instanceType(),
                layout.functions().shared(),
                exitFrame,
                asyncCallers);
    }

    private static void requireKnownFrames(V8Layout layout) throws V8LayoutException {
        V8Layout.Frames frames = layout.frames();
        if (frames.context() != V8ProcessLayout.FRAME_CONTEXT
                || frames.function() != V8ProcessLayout.FRAME_FUNCTION
                || frames.bytecodeOffset() != V8ProcessLayout.FRAME_WORD
                || layout.functions().shared() > V8ProcessLayout.MAX_SHARED) {
            throw new V8LayoutException("the stack frames of V8 " + layout.version() + " are not known: " + frames
                    + ", " + layout.functions());
        }
    }

    private static long entry(ElfFile elf, String function) throws IOException, V8LayoutException {
        ElfSymbol symbol = elf.function(function)
                .orElseThrow(() -> new V8LayoutException(
                        "there is no function " + function + ", without which moves of objects cannot be detected"));
        return elf.fileOffset(symbol);
    }
}
