package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.collector.internal.program.ServedStreamHeap.Shape.RESPONSE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.MapType;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.bpf.ring.RingWakeups;
import dev.probestream.collector.internal.program.ServedStreamHeap.Connection;
import dev.probestream.collector.internal.program.ServedStreamHeap.Shape;
import dev.probestream.collector.internal.program.layout.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.ContextWords;
import dev.probestream.collector.internal.program.layout.HeapShape;
import dev.probestream.collector.internal.program.layout.HeapShape.Kind;
import dev.probestream.collector.internal.program.layout.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.ShapeQuestion;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** find_served_stream(), run by the kernel over a heap of V8 that lies in this process (BPF_PROG_TEST_RUN). */
@KernelTest(since = "5.17")
class ServedStreamCodeTest {
    private static final long SEED = 20_261_126;
    private static final int MUTANTS = 3_000;

    private static final int BOUND_S = 20;
    private static final String RESULT = "result";
    private static final int TID = 4711;
    private static final int TGID = 4700;
    private static final long WHO = 0x1234_0000_5678L;
    private static final long NO_STREAM = 1;
    private static final long UNSURE = 3;
    private static final long ON_STACK = 2;

    private static BpfObjects objects;

    private ServedStreamHeap heap;
    private Connection connection;
    private long running;

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
                                MapSpec.perCpuArray(MapNames.SERVED_SEARCHES, HeapShape.SEARCH_BYTES, 1)),
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
        int wanted = ContextWords.wanted(EnumSet.of(ContextValue.MICROTASK, ContextValue.SERVED_STREAM));
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
        heap = new ServedStreamHeap();
        connection = heap.connection();
        running = heap.function(heap.moduleContext());
        heap.shapes().forEach((map, shape) -> answer(map, shape));
    }

    private static List<ByteBuffer> asked() {
        List<ByteBuffer> keys = new ArrayList<>();
        objects.map(MapNames.HEAP_SHAPES)
                .forEach((key, value) -> keys.add(
                        ByteBuffer.allocate(HeapShape.KEY_BYTES).put(key).flip()));
        return keys;
    }

    /** What the programs have asked since the last call. */
    private static List<ShapeQuestion> questions() {
        List<ShapeQuestion> questions = new ArrayList<>();
        try (RingBuffer ring = RingBuffer.map(objects.map(MapNames.SHAPE_QUESTIONS))) {
            ring.poll((buffer, offset, length) -> questions.add(ShapeQuestion.decode(buffer, offset)), 10_000);
        }
        return questions;
    }

    private static void answer(long map, HeapShape shape) {
        objects.map(MapNames.HEAP_SHAPES).update(HeapShape.key(TGID, map), shape.encode());
    }

    private long find() {
        objects.map(RESULT).update(BpfMap.key(0), ByteBuffer.allocate(ContextWords.SIZE_BYTES));
        TestRun.run(objects.program("served"), heap.threadPointer(), WHO, (long) TGID << 32 | TID);
        ByteBuffer words =
                objects.map(RESULT).lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
        return words.getLong(ContextWords.offset(ContextValue.SERVED_STREAM));
    }

    private long findInACallback() {
        heap.run(0);
        return find();
    }

    /** The running function has been continued, and calls these, the first one first. */
    private void run(long receiver, long registers, long context, long promise, long... called) {
        heap.run(heap.task(heap.generator(running, receiver, registers, context, true, promise)));
        heap.stack(running, context, called);
    }

    @Test
    void parameterOfTheRunningFunctionLeadsToTheStream() {
        run(0, heap.array(0, connection.response()), heap.moduleContext(), 0);

        assertThat(find()).isEqualTo(connection.stream());
    }

    @Test
    void receiverAndVariableAroundLeadThere() {
        long holder = heap.holder(connection.message());
        run(holder, 0, heap.moduleContext(), 0);
        assertThat(find()).isEqualTo(connection.stream());

        run(0, 0, heap.context(heap.moduleContext(), 0, 0, connection.response()), 0);
        assertThat(find()).isEqualTo(connection.stream());
    }

    @Test
    void functionThatWaitsLeadsThere() {
        long handler = heap.generator(
                heap.function(heap.moduleContext()),
                0,
                heap.array(connection.response()),
                heap.moduleContext(),
                false,
                0);
        run(0, 0, heap.moduleContext(), heap.promiseOf(handler));

        assertThat(find()).isEqualTo(connection.stream());
    }

    @Test
    void callbackWithoutAWayToAStreamHasNone() {
        heap.stack(heap.function(heap.context(heap.context(heap.moduleContext()), 0)), heap.moduleContext());

        assertThat(findInACallback()).isZero();
    }

    @Test
    void callbackOfTheRequestLeadsToTheStream() {
        heap.stack(heap.function(heap.context(heap.moduleContext(), connection.response())), heap.moduleContext());

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void latestFunctionThatLeadsToAStreamCounts() {
        long its = heap.context(heap.moduleContext(), connection.response());
        long others = heap.context(heap.moduleContext(), heap.connection().response());
        heap.stack(
                heap.function(others),
                others,
                heap.function(its),
                heap.function(heap.moduleContext()),
                heap.function(heap.moduleContext()));

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void callbackThatHasCalledWhatAnotherRequestLeftIsNobodys() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        long its = heap.context(heap.moduleContext(), connection.response());
        heap.stack(heap.function(its), its, heap.function(elsewhere));

        assertThat(findInACallback()).isEqualTo(UNSURE);
    }

    @Test
    void closureThatIsLeftIsWhosePromiseItResolves() {
        long waiting = heap.generator(
                heap.function(heap.moduleContext()),
                0,
                heap.array(connection.response()),
                heap.moduleContext(),
                false,
                0);
        long executor = heap.context(heap.moduleContext(), heap.resolving(heap.promiseOf(waiting)));
        long callback = heap.context(heap.context(heap.moduleContext()), heap.function(executor));
        long others = heap.context(heap.moduleContext(), heap.connection().response());
        heap.stack(heap.function(others), others, heap.function(callback));
        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);

        heap.age();
        assertThat(findInACallback()).as("old contexts may be shared").isEqualTo(UNSURE);
    }

    @Test
    void closureThatIsLeftIsWhoseIsCalledByWhatItSees() {
        long executor = heap.context(heap.moduleContext(), connection.response());
        long statement = heap.caller(heap.function(executor));
        long elsewhere = heap.context(heap.context(heap.moduleContext()), statement);
        heap.stack(heap.function(heap.moduleContext()), heap.moduleContext(), heap.function(elsewhere));

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void closureThatOnlyNodeHasCalledSpeaksForNoOther() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        heap.stack(heap.function(elsewhere), heap.moduleContext(), heap.function(elsewhere));
        assertThat(findInACallback()).isZero();

        heap.stack(heap.function(elsewhere), heap.moduleContext(), heap.function(heap.context(elsewhere, 0)));
        assertThat(findInACallback()).as("it has called another one").isEqualTo(UNSURE);
    }

    @Test
    void closuresForWhichThereIsNoRoomMakeItUnknown() {
        long registers = heap.array(connection.response());
        long[] called = new long[5];
        for (int i = 0; i < called.length; i++) {
            called[i] = heap.function(heap.context(heap.context(heap.moduleContext()), 0));
        }
        run(0, registers, heap.moduleContext(), 0, called);

        assertThat(find()).isEqualTo(UNSURE);
    }

    @Test
    void closureThatLeadsToTwoWhoWaitIsNobodys() {
        long callback = heap.context(
                heap.context(heap.moduleContext()),
                heap.function(heap.context(heap.moduleContext(), connection.response())),
                heap.function(
                        heap.context(heap.moduleContext(), heap.connection().response())));
        heap.stack(heap.function(heap.moduleContext()), heap.moduleContext(), heap.function(callback));

        assertThat(findInACallback()).isEqualTo(UNSURE);
    }

    @Test
    void runningFunctionIsWhosePromiseItResolves() {
        long waiting = heap.generator(
                heap.function(heap.moduleContext()),
                0,
                heap.array(connection.response()),
                heap.moduleContext(),
                false,
                0);
        run(0, heap.array(0, heap.resolving(heap.promiseOf(waiting))), heap.moduleContext(), 0);

        assertThat(find()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void messagesWhoseMapsAreTheirOwnAreKnownByTheirPrototype() {
        HeapShape shape = Objects.requireNonNull(heap.shapes().get(heap.map(RESPONSE)));
        long prototype = heap.makeMapOfItsOwn(RESPONSE);
        connection = heap.connection();
        run(0, heap.array(connection.response()), heap.moduleContext(), 0);
        assertThat(find()).isEqualTo(NO_STREAM);

        heap.makeMapOfItsOwn(RESPONSE, prototype);
        connection = heap.connection();
        run(0, heap.array(connection.response()), heap.moduleContext(), 0);
        objects.map(MapNames.HEAP_SHAPES).update(HeapShape.keyOfPrototype(TGID, prototype), shape.encode());
        assertThat(find()).isEqualTo(connection.stream());
        assertThat(asked()).doesNotContain(HeapShape.key(TGID, heap.map(RESPONSE)));
    }

    @Test
    void answeredMessageLeadsNowhere() {
        connection.answer(0);
        run(0, heap.array(connection.response()), heap.moduleContext(), 0);
        assertThat(find()).isEqualTo(NO_STREAM);

        connection.answer(heap.response(heap.object(0)));
        assertThat(find()).as("another request is being answered").isEqualTo(NO_STREAM);
    }

    @Test
    void closedHandleLeadsNowhere() {
        connection.close();
        run(0, heap.array(connection.response()), heap.moduleContext(), 0);

        assertThat(find()).isEqualTo(NO_STREAM);
    }

    @Test
    void unknownMapIsAskedFor() {
        long map = heap.map(RESPONSE);
        objects.map(MapNames.HEAP_SHAPES).delete(HeapShape.key(TGID, map));
        run(0, heap.array(connection.response()), heap.moduleContext(), 0);

        assertThat(find()).isEqualTo(NO_STREAM);
        ByteBuffer asked = objects.map(MapNames.HEAP_SHAPES)
                .lookup(HeapShape.key(TGID, map))
                .orElseThrow()
                .order(ByteOrder.nativeOrder());
        assertThat(HeapShape.decode(asked)).isEqualTo(HeapShape.unknown(connection.response()));
        assertThat(find()).isEqualTo(NO_STREAM);
        assertThat(questions()).containsOnlyOnce(new ShapeQuestion(HeapShape.key(TGID, map), connection.response()));
        heap.shapes().forEach((each, shape) -> answer(each, shape));
        assertThat(find()).isEqualTo(connection.stream());
    }

    /** What is asked about a context waits for the collector's next turn, and nobody is woken for it. */
    @Test
    void questionAboutAMapWakesTheCollectorBehindOneThatWaits() throws Exception {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        heap.age();
        try (RingWakeups wakeups = RingWakeups.of(objects.map(MapNames.SHAPE_QUESTIONS))) {
            run(0, 0, heap.moduleContext(), 0, heap.function(elsewhere));
            find();
            CompletableFuture<Boolean> woken = CompletableFuture.supplyAsync(wakeups::await);
            objects.map(MapNames.HEAP_SHAPES).delete(HeapShape.key(TGID, heap.map(RESPONSE)));
            run(0, heap.array(connection.response()), heap.moduleContext(), 0);
            find();
            assertThat(woken.get(BOUND_S, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(questions()).hasSizeGreaterThan(1);
    }

    @Test
    void objectInAVariableIsNotTheOneThatIsSent() {
        long command = heap.caller(heap.function(heap.context(heap.moduleContext(), connection.response())));
        long its = heap.context(heap.moduleContext(), command);
        heap.stack(heap.function(heap.moduleContext()), its, heap.function(its));
        assertThat(findInACallback()).isZero();

        run(0, 0, heap.moduleContext(), heap.promiseOf(waiting(0, command)));
        assertThat(find()).as("of one that waits").isEqualTo(NO_STREAM);
    }

    @Test
    void closureOfAnotherRequestMakesItUnknown() {
        long registers = heap.array(connection.response());
        long elsewhere = heap.context(heap.moduleContext(), 0);
        run(0, registers, heap.moduleContext(), 0, heap.function(elsewhere));
        assertThat(find()).isEqualTo(UNSURE);

        Connection another = heap.connection();
        long others = heap.context(elsewhere, another.response());
        run(0, registers, heap.moduleContext(), 0, heap.function(others));
        assertThat(find()).as("it leads to another stream").isEqualTo(another.stream() | ON_STACK);
    }

    @Test
    void closuresOfTheRequestAndOfTheProgramDoNot() {
        long registers = heap.array(connection.response());
        long its = heap.context(heap.moduleContext(), 0);
        run(0, registers, heap.moduleContext(), 0, heap.function(heap.moduleContext()));
        assertThat(find()).as("of a module").isEqualTo(connection.stream());

        run(0, registers, its, 0, heap.function(its));
        assertThat(find()).as("made by the running function").isEqualTo(connection.stream());

        long elsewhere = heap.context(heap.context(heap.moduleContext()), connection.response());
        run(0, registers, heap.moduleContext(), 0, heap.function(elsewhere));
        assertThat(find()).as("leads to the same stream").isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void onlyClosureOfItsCodeCountsFromTheNextLookOn() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        long cell = heap.cellOfOneClosure();
        run(0, heap.array(connection.response()), heap.moduleContext(), 0, heap.function(elsewhere, cell));

        assertThat(find()).isEqualTo(UNSURE);
        answer(cell, HeapShape.NOTHING);
        assertThat(find()).isEqualTo(connection.stream());
        heap.makeAnotherClosure(cell);
        assertThat(find()).isEqualTo(UNSURE);

        cell = heap.cellOfOneClosure();
        run(0, heap.array(connection.response()), heap.moduleContext(), 0, heap.asyncFunction(elsewhere, cell));
        answer(cell, HeapShape.NOTHING);
        assertThat(find()).as("an async function").isEqualTo(connection.stream());
    }

    @Test
    void closureOfAContextThatStaysCountsFromTheNextLookOn() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        run(0, heap.array(connection.response()), heap.moduleContext(), 0, heap.function(elsewhere));
        answer(elsewhere, HeapShape.NOTHING);
        assertThat(find()).as("young objects move").isEqualTo(UNSURE);

        heap.age();
        assertThat(find()).isEqualTo(connection.stream());
        objects.map(MapNames.HEAP_SHAPES).delete(HeapShape.key(TGID, elsewhere));
        assertThat(find()).isEqualTo(UNSURE);
        assertThat(asked()).contains(HeapShape.key(TGID, elsewhere));
    }

    @Test
    void closureOfNodeOrOfV8DoesNot() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        run(0, heap.array(connection.response()), heap.moduleContext(), 0, heap.function(elsewhere));
        assertThat(find()).isEqualTo(UNSURE);
        assertThat(takeCode()).isEqualTo(Kind.NOTHING);

        heap.nameScript("node:internal/fs/promises");
        assertThat(find()).isEqualTo(connection.stream());
        assertThat(takeCode()).isEqualTo(Kind.OF_NODE);

        heap.removeScript();
        assertThat(find()).isEqualTo(connection.stream());
        assertThat(takeCode()).isEqualTo(Kind.OF_NODE);
    }

    /** What the program has found of the functions' code; it is forgotten. */
    private Kind takeCode() {
        ByteBuffer key = HeapShape.key(TGID, heap.code());
        ByteBuffer value =
                objects.map(MapNames.HEAP_SHAPES).lookup(key).orElseThrow().order(ByteOrder.nativeOrder());
        objects.map(MapNames.HEAP_SHAPES).delete(key);
        return HeapShape.decode(value).kind();
    }

    @Test
    void functionThatMakesAPromiseIsNoneThatWasLeft() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        long registers = heap.array(connection.response());
        run(0, registers, heap.moduleContext(), 0, heap.promiseConstructor(), heap.function(elsewhere));
        assertThat(find()).isEqualTo(connection.stream());

        long another = heap.function(heap.context(heap.context(heap.moduleContext()), 0));
        run(0, registers, heap.moduleContext(), 0, heap.promiseConstructor(), another, heap.function(elsewhere));
        assertThat(find()).as("it has called one").isEqualTo(UNSURE);
    }

    /** A function of Node's own that calls one that was left, in the scope of an AsyncResource. */
    private long[] scope() {
        long inScope = heap.functionOfNode();
        heap.receive(inScope, heap.resource());
        return new long[] {inScope, heap.function(heap.context(heap.context(heap.moduleContext()), 0))};
    }

    @Test
    void asyncIdsCountInTheScopeOfAResource() {
        long others = heap.context(heap.moduleContext(), heap.connection().response());
        heap.stack(heap.function(others), others, scope());
        assertThat(findInACallback()).isZero();

        run(0, heap.array(connection.response()), heap.moduleContext(), 0, scope());
        assertThat(find()).as("of a microtask").isZero();
    }

    @Test
    void objectThatMayBeAResourceMakesItUnknown() {
        long others = heap.context(heap.moduleContext(), heap.connection().response());
        heap.stack(heap.function(others), others, scope());
        HeapShape shape = Objects.requireNonNull(heap.shapes().get(heap.map(Shape.RESOURCE)));
        objects.map(MapNames.HEAP_SHAPES).delete(HeapShape.key(TGID, heap.map(Shape.RESOURCE)));

        assertThat(findInACallback()).isEqualTo(UNSURE);
        answer(heap.map(Shape.RESOURCE), shape);
        assertThat(findInACallback()).isZero();
    }

    @Test
    void functionOfTheNpmPackageIsNoneThatWasLeft() {
        long registers = heap.array(connection.response());
        long elsewhere = heap.context(heap.moduleContext());
        long bound = heap.function(heap.context(elsewhere, 0, heap.ofPackage(), 0));
        run(0, registers, heap.moduleContext(), 0, bound);
        assertThat(find()).isEqualTo(connection.stream());

        run(0, registers, heap.moduleContext(), 0, bound, heap.function(heap.context(elsewhere, 0)));
        assertThat(find()).as("it has called one").isEqualTo(UNSURE);
    }

    private long waiting(long promise, long... registers) {
        return heap.generator(
                heap.function(heap.moduleContext()), 0, heap.array(registers), heap.moduleContext(), false, promise);
    }

    @Test
    void allThatWaitForAPromiseAreToBeOfOneRequest() {
        long its = waiting(0, connection.response());
        run(0, 0, heap.moduleContext(), heap.promiseOf(its, waiting(0, connection.message())));
        assertThat(find()).isEqualTo(connection.stream());

        run(
                0,
                0,
                heap.moduleContext(),
                heap.promiseOf(its, waiting(0, heap.connection().response())));
        assertThat(find()).as("of two").isEqualTo(UNSURE);

        long nobody = heap.promiseOf();
        run(0, 0, heap.moduleContext(), heap.promiseOf(its, waiting(nobody)));
        assertThat(find()).as("for one nobody waits").isEqualTo(connection.stream());

        run(0, 0, heap.moduleContext(), heap.promiseOf(its, waiting(heap.object(0))));
        assertThat(find()).as("of one it is not known").isEqualTo(NO_STREAM);

        long[] many = LongStream.range(0, 6).map(i -> waiting(nobody)).toArray();
        many[5] = its;
        run(0, 0, heap.moduleContext(), heap.promiseOf(many));
        assertThat(find()).as("there is room for each after the other").isEqualTo(connection.stream());
    }

    @Test
    void objectOnTheStackIsWhoseIsCalledByIt() {
        long method = heap.function(heap.moduleContext());
        heap.receive(method, heap.caller(heap.function(heap.context(heap.moduleContext(), connection.response()))));
        heap.stack(heap.function(heap.moduleContext()), heap.moduleContext(), method);
        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);

        run(0, 0, heap.moduleContext(), 0, method);
        assertThat(find()).as("of a microtask").isEqualTo(connection.stream() | ON_STACK);

        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        heap.stack(heap.function(heap.moduleContext()), heap.moduleContext(), method, heap.function(elsewhere));
        assertThat(findInACallback()).as("it has called what another left").isEqualTo(UNSURE);
    }

    @Test
    void thenOfAnObjectIsForWhoAwaitsIt() {
        heap.run(heap.thenableTask(running, heap.promiseOf(waiting(0, connection.response()))));
        heap.stack(running, heap.moduleContext());

        assertThat(find()).isEqualTo(connection.stream());
    }

    @Test
    void functionOfQueueMicrotaskIsWhoseIsCalledByIt() {
        long done = heap.function(heap.context(heap.moduleContext(), connection.response()));
        long context = heap.context(heap.context(heap.moduleContext()), done);
        long callback = heap.function(context);
        heap.run(heap.callableTask(callback));
        heap.stack(callback, heap.moduleContext());

        assertThat(find()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void stackOnWhichTheRunningFunctionIsNotFoundMakesItUnknown() {
        run(0, heap.array(connection.response()), heap.moduleContext(), 0);
        heap.stack(heap.function(heap.moduleContext()), heap.moduleContext());

        assertThat(find()).isEqualTo(NO_STREAM);
    }

    @Test
    void damagedHeapIsReadWithoutHarm() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            create();
            long handler = heap.generator(
                    heap.function(heap.moduleContext()),
                    0,
                    heap.array(connection.response()),
                    heap.moduleContext(),
                    false,
                    0);
            long its = heap.context(heap.moduleContext(), 0);
            run(0, 0, its, heap.promiseOf(handler), heap.function(its));
            heap.damage(random);

            assertThat(find())
                    .as("mutant " + i + " of seed " + SEED)
                    .isIn(0L, NO_STREAM, UNSURE, connection.stream(), connection.stream() | ON_STACK);
        }
    }
}
