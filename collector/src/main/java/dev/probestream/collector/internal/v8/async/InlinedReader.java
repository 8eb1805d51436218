package dev.probestream.collector.internal.v8.async;

import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape.Kind;
import dev.probestream.collector.internal.v8.code.FileCode;
import dev.probestream.collector.internal.v8.code.InlinedClosures;
import dev.probestream.collector.internal.v8.code.InlinedClosures.Inlined;
import dev.probestream.collector.internal.v8.function.FunctionReader;
import dev.probestream.collector.internal.v8.function.Script;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/** Tells of a place in optimized code which closures are called there that have no frame. */
final class InlinedReader {
    private static final HeapShape HIDDEN = new HeapShape(0, Kind.HIDDEN, 0, 0);

    /** As many as a shape has room for. */
    private static final int MAX_CLOSURES = 2;

    /** AsyncResource.runInAsyncScope() of Node (lib/async_hooks.js). */
    private static final String SCOPE = "runInAsyncScope";

    private static final String SCRIPT_OF_SCOPE = "node:async_hooks";

    private final HeapReader heap;
    private final Optional<InlinedClosures> closures;
    private final LongPredicate isBuiltinCode;
    private final FunctionReader functions;

    /**
     * @param isBuiltinCode whether an address is in code of the executable, such as the interpreter: {@link FileCode}
     * @param code empty if it is not known how code lies in memory: then nothing is known of what V8 has compiled
     */
    InlinedReader(HeapReader heap, LongPredicate isBuiltinCode, Optional<V8CodeLayout> code) {
        this.heap = heap;
        this.closures = code.map(layout -> new InlinedClosures(heap, layout));
        this.isBuiltinCode = isBuiltinCode;
        this.functions = new FunctionReader(heap);
    }

    /**
     * The closures whose code is around a return address. Its {@code next} and {@code other} are these.
     *
     * @param key that of the code when it was seen
     * @return empty if there is other code by now
     */
    Optional<HeapShape> read(ByteBuffer key, long returnAddress) {
        HeapShape shape = isBuiltinCode.test(returnAddress)
                ? HeapShape.NOTHING
                : closures.flatMap(known -> known.at(returnAddress))
                        .map(this::shape)
                        .orElse(HIDDEN);
        try {
            // What was read is of this code, if it is still there.
            return key.equals(key(HeapShape.pid(key), returnAddress)) ? Optional.of(shape) : Optional.empty();
        } catch (HeapException e) {
            return Optional.empty();
        }
    }

    private ByteBuffer key(int pid, long returnAddress) throws HeapException {
        heap.begin();
        long[] words = new long[HeapShape.CODE_WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = heap.longAt(returnAddress + (long) Long.BYTES * (i - words.length / 2));
        }
        return HeapShape.keyOfCode(pid, returnAddress, words);
    }

    private HeapShape shape(List<Inlined> inlined) {
        List<Integer> places = new ArrayList<>();
        for (Inlined each : inlined) {
            each.offsetBytes().ifPresent(places::add);
            if (isScope(each.sharedFunctionInfo())) {
                return shape(Kind.INLINED_SCOPE, places);
            }
        }
        return places.isEmpty() ? HeapShape.NOTHING : shape(Kind.INLINED, places);
    }

    private static HeapShape shape(Kind kind, List<Integer> places) {
        if (places.size() > MAX_CLOSURES) {
            return HIDDEN;
        }
        int first = places.isEmpty() ? 0 : places.get(0);
        return new HeapShape(0, kind, first, places.size() < MAX_CLOSURES ? 0 : places.get(1));
    }

    private boolean isScope(long sharedFunctionInfo) {
        return functions
                .function(sharedFunctionInfo)
                .filter(function -> function.name().equals(SCOPE))
                .flatMap(function -> function.script().map(Script::name))
                .filter(SCRIPT_OF_SCOPE::equals)
                .isPresent();
    }
}
