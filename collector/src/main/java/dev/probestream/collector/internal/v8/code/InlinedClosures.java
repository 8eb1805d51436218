package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.code.FrameTranslation.Closure;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Functions that V8 has compiled into others: they have no frame of their own. Mostly such a function is a constant of the
 * code. But V8 also does it with a function of which only the SharedFunctionInfo is the same each time; which closure of
 * that is called is then a value in the frame. For one thread at a time.
 */
public final class InlinedClosures {
    private final V8CodeLayout layout;
    private final HeapReader heap;
    private final CodeSearch codes;
    private final OptimizedFrames optimized;

    public InlinedClosures(HeapReader heap, V8CodeLayout layout) {
        this.heap = heap;
        this.layout = layout;
        this.codes = new CodeSearch(heap, layout);
        this.optimized = new OptimizedFrames(heap, layout, new FunctionBytecode(heap, layout));
    }

    /**
     * A function that is compiled into that of the frame.
     *
     * @param sharedFunctionInfo its, tagged
     * @param offsetBytes where the closure is, from the frame pointer on; empty if it is a constant, or one that this code makes
     */
    public record Inlined(long sharedFunctionInfo, OptionalInt offsetBytes) {}

    /**
     * The functions that have called what the frame has called, without the frame's own.
     *
     * @param pc the return address into the frame's code, which V8 has compiled
     * @return the innermost first; empty if it is not known which they are
     */
    public Optional<List<Inlined>> at(long pc) {
        heap.begin();
        try {
            Optional<CodeObject> code = codes.at(pc - 1);
            if (code.isEmpty()) {
                return Optional.empty();
            }
            // Also copies of the interpreter.
            return code.get().kind() <= layout.codes().baselineKind()
                    ? Optional.of(List.of())
                    : inlined(optimized.at(code.get(), pc, optimized.function(code.get())));
        } catch (HeapException | CodeFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<List<Inlined>> inlined(List<OptimizedFrames.Frame> frames) {
        List<Inlined> inlined = new ArrayList<>();
        for (int i = frames.size() - 1; i > 0; i--) {
            Closure closure = frames.get(i).closure();
            if (closure.kind() == Closure.Kind.NOT_KNOWN) {
                return Optional.empty();
            }
            inlined.add(new Inlined(
                    frames.get(i).sharedFunctionInfo(),
                    closure.kind() == Closure.Kind.IN_SLOT
                            ? OptionalInt.of(closure.offsetBytes())
                            : OptionalInt.empty()));
        }
        return frames.isEmpty() ? Optional.empty() : Optional.of(inlined);
    }
}
