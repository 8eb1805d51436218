package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.collector.internal.program.layout.HeapShape;
import dev.probestream.collector.internal.program.layout.HeapShape.Kind;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Answers what programs ask of the objects of V8: those that they meet first are unknown to them, and are looked at here, in
 * the memory of their process. For one thread at a time.
 */
final class HeapShapes {
    /** Of one look; the others have their turn at the next one. */
    private static final int MAX_READ = 200;

    private static final int MAX_AHEAD = 16;

    private final BpfMap map;
    private final IntFunction<Optional<HeapLayout>> layouts;

    /** A question: a key and the value that it has. */
    private record Asked(ByteBuffer key, HeapShape shape) {}

    /**
     * @param map {@code heap_shapes}; it stays the caller's
     * @param layouts of the V8 of a process; empty if it is not known, or not traced any more
     */
    HeapShapes(BpfMap map, IntFunction<Optional<HeapLayout>> layouts) {
        this.map = map;
        this.layouts = layouts;
    }

    /** Answers what has been asked since the last look. {@return whether anything was; what programs go on to ask depends on it} */
    boolean look() {
        Map<Integer, List<Asked>> byProcess = new HashMap<>();
        int[] count = new int[1];
        map.forEach((key, value) -> {
            HeapShape shape = HeapShape.decode(value);
            if (shape.kind() == Kind.UNKNOWN && count[0]++ < MAX_READ) {
                ByteBuffer copy = copy(key);
                byProcess
                        .computeIfAbsent(HeapShape.pid(copy), pid -> new ArrayList<>())
                        .add(new Asked(copy, shape));
            }
        });
        byProcess.forEach(this::answer);
        return count[0] > 0;
    }

    /** The process has ended, or executes another program: another one may get its pid. */
    void forget(int pid) {
        List<ByteBuffer> its = new ArrayList<>();
        map.forEach((key, value) -> {
            ByteBuffer copy = copy(key);
            if (HeapShape.pid(copy) == pid) {
                its.add(copy);
            }
        });
        its.forEach(map::delete);
    }

    private static ByteBuffer copy(ByteBuffer key) {
        return ByteBuffer.allocate(HeapShape.KEY_BYTES)
                .order(ByteOrder.nativeOrder())
                .put(key.duplicate())
                .flip();
    }

    private void answer(int pid, List<Asked> questions) {
        Optional<HeapLayout> layout = layouts.apply(pid);
        if (layout.isEmpty()) {
            questions.forEach(each -> map.delete(each.key));
            return;
        }
        try (ProcessMemory memory = ProcessMemory.open(pid)) {
            ShapeReader reader = new ShapeReader(
                    new HeapReader(memory, layout.get().objects()), layout.get().properties());
            questions.forEach(each -> answer(reader, each));
        } catch (IOException e) {
            return; // it has ended, or its memory may not be read
        }
    }

    /** Answers, and looks ahead at the objects to which this one leads, which are asked for next. */
    private void answer(ShapeReader reader, Asked asked) {
        Deque<Asked> open = new ArrayDeque<>(List.of(asked));
        for (int i = 0; i < MAX_AHEAD && !open.isEmpty(); i++) {
            Asked each = open.remove();
            Optional<HeapShape> shape = read(reader, each);
            if (shape.isPresent()) {
                map.update(each.key, shape.get().encode());
                prototype(reader, each, shape.get())
                        .ifPresent(key -> map.update(key, shape.get().encode()));
                open.addAll(ahead(reader, each, shape.get()));
            } else {
                map.delete(each.key); // the example has moved: the program gives another
            }
        }
    }

    private static Optional<HeapShape> read(ShapeReader reader, Asked asked) {
        try {
            return reader.read(HeapShape.map(asked.key), asked.shape.example());
        } catch (HeapException e) {
            return Optional.of(HeapShape.NOTHING);
        }
    }

    /** The key of all that have the prototype, and so these properties at the same places: V8 can give each a Map of its own. */
    private static Optional<ByteBuffer> prototype(ShapeReader reader, Asked asked, HeapShape shape) {
        if (shape.kind() != Kind.MESSAGE && shape.kind() != Kind.RESPONSE) {
            return Optional.empty();
        }
        try {
            long prototype = reader.prototype(HeapShape.map(asked.key));
            return Optional.of(HeapShape.keyOfPrototype(HeapShape.pid(asked.key), prototype));
        } catch (HeapException e) {
            return Optional.empty();
        }
    }

    private List<Asked> ahead(ShapeReader reader, Asked asked, HeapShape shape) {
        List<Asked> ahead = new ArrayList<>();
        try {
            for (long object : reader.next(HeapShape.map(asked.key), asked.shape.example(), shape)) {
                ByteBuffer key = HeapShape.key(HeapShape.pid(asked.key), reader.map(object));
                if (map.lookup(key).isEmpty()) {
                    ahead.add(new Asked(key, HeapShape.unknown(object)));
                }
            }
        } catch (HeapException e) {
            return ahead; // the example has moved
        }
        return ahead;
    }
}
