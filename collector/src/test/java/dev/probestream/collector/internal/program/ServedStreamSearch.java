package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.ServedStreamHeap.Connection;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.ClosureCallLayout;
import dev.probestream.collector.internal.program.layout.v8.ContextWords;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.ShapeQuestion;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** find_served_stream(), run by the kernel over a heap of V8 that lies in this process (BPF_PROG_TEST_RUN). */
abstract class ServedStreamSearch {
    private static final String RESULT = "result";
    private static final int TID = 4711;
    static final int TGID = 4700;
    private static final long WHO = 0x1234_0000_5678L;
    static final long NO_STREAM = 1;
    static final long UNSURE = 3;
    static final long MADE_ELSEWHERE = 4;
    static final long ON_STACK = 2;

    static BpfObjects objects;
    private static long collections;

    ServedStreamHeap heap;
    Connection connection;
    long running;

    @BeforeAll
    static void load() {
        ProgramSpec program = new ProgramSpec("served", ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, program());
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.array(RESULT, ContextWords.SIZE_BYTES, 1),
                                MapSpec.hash(MapNames.ASYNC_CONTEXTS, Integer.BYTES, AsyncContextLayout.SIZE_BYTES, 16),
                                MapSpec.array(
                                        MapNames.CONTEXT_THREADS,
                                        KnownThreadLayout.SIZE_BYTES,
                                        KnownThreadLayout.MAX_THREADS),
                                new MapSpec(
                                        MapNames.HEAP_SHAPES,
                                        MapType.LRU_HASH,
                                        HeapShape.KEY_BYTES,
                                        HeapShape.SIZE_BYTES,
                                        HeapShape.MAX_SHAPES,
                                        0),
                                MapSpec.ringBuffer(MapNames.SHAPE_QUESTIONS, ShapeQuestion.RING_BYTES),
                                MapSpec.perCpuArray(MapNames.SERVED_SEARCHES, HeapShape.SEARCH_BYTES, 1),
                                MapSpec.hash(MapNames.V8_PROCESSES, Integer.BYTES, V8ProcessLayout.SIZE_BYTES, 16),
                                new MapSpec(
                                        MapNames.FUNCTION_CALLS,
                                        MapType.LRU_HASH,
                                        HeapShape.KEY_BYTES,
                                        ClosureCallLayout.SIZE_BYTES,
                                        ClosureCallLayout.MAX_CLOSURES,
                                        0),
                                new MapSpec(
                                        MapNames.THREAD_TURNS,
                                        MapType.LRU_HASH,
                                        Integer.BYTES,
                                        ClosureCallLayout.TURN_BYTES,
                                        ClosureCallLayout.MAX_THREADS,
                                        0)),
                        List.of(program)))
                .load();
    }

    /** Its context is the thread pointer, who the thread is and its ids. */
    private static List<Instruction> program() {
        Assembler assembler = new Assembler();
        assembler.mov(R6, R1).loadMapValue(R1, RESULT);
        assembler.load(Width.DOUBLE_WORD, R5, R6, 0);
        assembler.load(Width.DOUBLE_WORD, R4, R6, 8);
        assembler.load(Width.DOUBLE_WORD, R2, R6, 16);
        int wanted = ContextWords.wanted(EnumSet.of(ContextValue.SERVED_STREAM));
        assembler.mov(R3, wanted).callFunction("read_async_context", 192);
        assembler.loadMapValue(R1, RESULT).load(Width.DOUBLE_WORD, R2, R6, 16);
        assembler.callFunction("find_served_stream", 192);
        return assembler.mov(R0, 0).exit().assemble();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void create() {
        objects.map(MapNames.ASYNC_CONTEXTS).update(BpfMap.key(TGID), ServedStreamHeap.LAYOUT.encode());
        objects.map(MapNames.CONTEXT_THREADS)
                .update(
                        BpfMap.key(TID & (KnownThreadLayout.MAX_THREADS - 1)),
                        ByteBuffer.allocate(KnownThreadLayout.SIZE_BYTES));
        asked().forEach(objects.map(MapNames.HEAP_SHAPES)::delete);
        questions();
        collect();
        heap = new ServedStreamHeap();
        connection = heap.connection();
        running = heap.function(heap.moduleContext());
        heap.shapes().forEach((map, shape) -> answer(map, shape));
        answerCode(HeapShape.NOTHING);
        objects.map(MapNames.HEAP_SHAPES).update(heap.keyOfInterpreter(TGID), HeapShape.NOTHING.encode());
    }

    /** What is compiled into functions that are optimized. */
    void answerCode(HeapShape shape) {
        objects.map(MapNames.HEAP_SHAPES).update(heap.keyOfCode(TGID), shape.encode());
    }

    static List<ByteBuffer> asked() {
        List<ByteBuffer> keys = new ArrayList<>();
        objects.map(MapNames.HEAP_SHAPES)
                .forEach((key, value) -> keys.add(
                        ByteBuffer.allocate(HeapShape.KEY_BYTES).put(key).flip()));
        return keys;
    }

    /** What the programs have asked since the last call. */
    static List<ShapeQuestion> questions() {
        List<ShapeQuestion> questions = new ArrayList<>();
        try (RingBuffer ring = RingBuffer.map(objects.map(MapNames.SHAPE_QUESTIONS))) {
            ring.poll((buffer, offset, length) -> questions.add(ShapeQuestion.decode(buffer, offset)), 10_000);
        }
        return questions;
    }

    static void answer(long map, HeapShape shape) {
        objects.map(MapNames.HEAP_SHAPES).update(HeapShape.key(TGID, map), shape.encode());
    }

    /** V8 has collected the old generation. */
    static void collect() {
        ByteBuffer process = ByteBuffer.allocate(V8ProcessLayout.SIZE_BYTES).order(ByteOrder.nativeOrder());
        process.putLong(V8ProcessLayout.RELOCATIONS_OFFSET, ++collections);
        objects.map(MapNames.V8_PROCESSES).update(BpfMap.key(TGID), process);
    }

    long find() {
        objects.map(RESULT).update(BpfMap.key(0), ByteBuffer.allocate(ContextWords.SIZE_BYTES));
        TestRun.run(objects.program("served"), heap.threadPointer(), WHO, (long) TGID << 32 | TID);
        ByteBuffer words =
                objects.map(RESULT).lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
        return words.getLong(ContextWords.offset(ContextValue.SERVED_STREAM));
    }

    long findInACallback() {
        heap.run(0);
        return find();
    }

    /** The running function has been continued, and calls these, the first one first. */
    void run(long receiver, long registers, long context, long promise, long... called) {
        heap.run(heap.task(heap.generator(running, receiver, registers, context, true, promise)));
        heap.stack(running, context, called);
    }
}
