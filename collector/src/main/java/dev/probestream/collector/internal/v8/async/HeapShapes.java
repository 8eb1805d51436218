package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape.Kind;
import dev.probestream.collector.internal.program.layout.v8.ShapeQuestion;
import dev.probestream.collector.internal.v8.code.FileCode;
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
 * Answers what programs ask about the objects that they meet: {@link HeapShape}. For one thread at a time.
 */
final class HeapShapes implements AutoCloseable {
    private static final int MAX_AHEAD = 16;

    private final BpfMap map;
    private final RingBuffer questions;
    private final IntFunction<Optional<HeapLayout>> layouts;
    /** By the pid. */
    private final Map<Integer, FileCode> builtinCode = new HashMap<>();

    /**
     * @param map {@code heap_shapes}; it stays the caller's
     * @param questions {@code shape_questions}, likewise
     * @param layouts of the V8 of a process; empty if it is not known, or not traced any more
     */
    HeapShapes(BpfMap map, BpfMap questions, IntFunction<Optional<HeapLayout>> layouts) {
        this.map = map;
        this.questions = RingBuffer.map(questions);
        this.layouts = layouts;
    }

    /** Answers what has been asked. */
    void answer() {
        Map<Integer, List<ShapeQuestion>> byProcess = new HashMap<>();
        questions.poll(
                (buffer, offset, length) -> {
                    ShapeQuestion question = ShapeQuestion.decode(buffer, offset);
                    byProcess
                            .computeIfAbsent(question.pid(), pid -> new ArrayList<>())
                            .add(question);
                },
                Integer.MAX_VALUE);
        byProcess.forEach(this::answer);
    }

    /** The process has ended, or executes another program: another one may get its pid. */
    void forget(int pid) {
        builtinCode.remove(pid);
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

    private void answer(int pid, List<ShapeQuestion> asked) {
        Optional<HeapLayout> layout = layouts.apply(pid);
        if (layout.isEmpty()) {
            asked.forEach(each -> map.delete(each.key()));
            return;
        }
        try (ProcessMemory memory = ProcessMemory.open(pid)) {
            HeapReader heap = new HeapReader(memory, layout.get().objects());
            ShapeReader reader = new ShapeReader(heap, layout.get().properties());
            FileCode builtins = builtinCode.computeIfAbsent(pid, FileCode::of);
            InlinedReader inlined =
                    new InlinedReader(heap, builtins, layout.get().code());
            for (ShapeQuestion each : asked) {
                if (HeapShape.isOfCode(each.key())) {
                    put(each.key(), inlined.read(each.key(), each.example()));
                } else {
                    answer(reader, each);
                }
            }
        } catch (IOException e) {
            return; // it has ended, or its memory may not be read
        }
    }

    /** Answers, and looks ahead at the objects to which this one leads, which are asked for next. */
    private void answer(ShapeReader reader, ShapeQuestion question) {
        Deque<ShapeQuestion> open = new ArrayDeque<>(List.of(question));
        for (int i = 0; i < MAX_AHEAD && !open.isEmpty(); i++) {
            ShapeQuestion each = open.remove();
            Optional<HeapShape> shape = read(reader, each);
            put(each.key(), shape);
            if (shape.isPresent()) {
                prototype(reader, each, shape.get())
                        .ifPresent(key -> map.update(key, shape.get().encode()));
                open.addAll(ahead(reader, each, shape.get()));
            }
        }
    }

    /** @param shape empty if the example has moved: the program gives another */
    private void put(ByteBuffer key, Optional<HeapShape> shape) {
        shape.ifPresentOrElse(read -> map.update(key, read.encode()), () -> map.delete(key));
    }

    private static Optional<HeapShape> read(ShapeReader reader, ShapeQuestion question) {
        try {
            return reader.read(HeapShape.map(question.key()), question.example());
        } catch (HeapException e) {
            return Optional.of(HeapShape.NOTHING);
        }
    }

    /** The key of all that have the prototype, and so these properties at the same places: V8 can give each a Map of its own. */
    private static Optional<ByteBuffer> prototype(ShapeReader reader, ShapeQuestion question, HeapShape shape) {
        if (shape.kind() != Kind.MESSAGE && shape.kind() != Kind.RESPONSE) {
            return Optional.empty();
        }
        try {
            long prototype = reader.prototype(HeapShape.map(question.key()));
            return Optional.of(HeapShape.keyOfPrototype(question.pid(), prototype));
        } catch (HeapException e) {
            return Optional.empty();
        }
    }

    private List<ShapeQuestion> ahead(ShapeReader reader, ShapeQuestion question, HeapShape shape) {
        List<ShapeQuestion> ahead = new ArrayList<>();
        try {
            for (long object : reader.next(question.example(), shape)) {
                ByteBuffer key = HeapShape.key(question.pid(), reader.map(object));
                if (map.lookup(key).isEmpty()) {
                    ahead.add(new ShapeQuestion(key, object));
                }
            }
        } catch (HeapException e) {
            return ahead; // the example has moved
        }
        return ahead;
    }

    @Override
    public void close() {
        questions.close();
    }
}
