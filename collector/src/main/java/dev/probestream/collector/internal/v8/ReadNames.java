package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.program.layout.v8.AsyncKind;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.schema.record.Frame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names that were read between two collections. */
final class ReadNames {
    private final long relocations;
    private final Map<FrameKey, Optional<List<Frame>>> frames = new HashMap<>();
    /** By SharedFunctionInfo, without the place of a call. */
    private final Map<Long, Frame> functions = new HashMap<>();

    /** What a program records of a frame; see {@link dev.probestream.collector.internal.stack.JavaScriptEntries}. */
    record FrameKey(long pc, long sharedFunctionInfo, long word) {}

    /** @param relocations the counter when they are read, {@link V8ProcessLayout} */
    ReadNames(long relocations) {
        this.relocations = relocations;
    }

    long relocations() {
        return relocations;
    }

    /** Whether objects began to move right after these names were read, and still did at a hit. */
    boolean isJustBefore(long relocationsAtHit) {
        return relocations + V8ProcessLayout.RELOCATION_STEP + 1 == relocationsAtHit;
    }

    int size() {
        return frames.size();
    }

    /** Whether the frame was read; its memory may have shown no name. */
    boolean has(FrameKey key) {
        return frames.containsKey(key);
    }

    /**
     * A frame as it was read, or its function alone if that was read for another one.
     *
     * @return innermost first; empty = not known
     */
    Optional<List<Frame>> of(FrameKey key) {
        Optional<List<Frame>> known = frames.get(key);
        if (known != null) {
            return known;
        }
        return Optional.ofNullable(functions.get(key.sharedFunctionInfo()))
                .map(function ->
                        List.of(withoutCall(function, AsyncKind.ofPc(key.pc()).isPresent())));
    }

    void put(FrameKey key, Optional<List<Frame>> read) {
        frames.put(key, read);
        read.filter(known -> !known.isEmpty())
                .map(known -> known.get(known.size() - 1))
                .filter(function -> !function.getIsAsync())
                .ifPresent(function -> functions.put(key.sharedFunctionInfo(), function));
    }

    void remove(FrameKey key) {
        frames.remove(key);
        functions.remove(key.sharedFunctionInfo());
    }

    void clear() {
        frames.clear();
        functions.clear();
    }

    private static Frame withoutCall(Frame frame, boolean isAsync) {
        return new Frame(
                frame.getSymbol(),
                frame.getModule(),
                isAsync ? 0L : frame.getOffset(),
                frame.getKind(),
                frame.getFile(),
                frame.getLine(),
                frame.getColumn(),
                0,
                0,
                false,
                isAsync,
                "",
                0);
    }
}
