package dev.probestream.collector.internal.program;

import static dev.probestream.collector.internal.program.ServedStreamHeap.Shape.RESPONSE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.ring.RingWakeups;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.ShapeQuestion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How functions, objects and promises lead to the stream of a request. */
@KernelTest(since = "5.17")
class ServedStreamCodeTest extends ServedStreamSearch {
    private static final long SEED = 20_261_126;
    private static final int MUTANTS = 3_000;

    private static final int BOUND_S = 20;

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
        heap.stack(heap.function(heap.moduleContext()), heap.moduleContext());

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
    void functionThatTakesTheResultLeadsToWhoWaitsForWhatItResolves() {
        long resolving = heap.resolving(heap.promiseOf(waiting(0, connection.response())));
        long scope = heap.context(heap.moduleContext(), heap.caller(resolving));
        long done = heap.function(heap.context(scope, 0));
        run(0, 0, heap.moduleContext(), heap.promiseHandledBy(done));
        assertThat(find()).isEqualTo(connection.stream() | ON_STACK);

        long others = heap.resolving(heap.promiseOf(waiting(0, heap.connection().response())));
        long both = heap.context(heap.context(heap.moduleContext(), resolving), others);
        run(0, 0, heap.moduleContext(), heap.promiseHandledBy(heap.function(both)));
        assertThat(find()).as("it may resolve the promises of two requests").isEqualTo(UNSURE);
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

    @Test
    void questionWakesTheCollectorBehindOneThatIsNotRead() throws Exception {
        try (RingWakeups wakeups = RingWakeups.of(objects.map(MapNames.SHAPE_QUESTIONS))) {
            run(0, heap.array(heap.object(heap.object(0, 0))), heap.moduleContext(), 0);
            find();
            assertThat(wakeups.await()).isTrue();
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
                    .isIn(0L, NO_STREAM, UNSURE, MADE_ELSEWHERE, connection.stream(), connection.stream() | ON_STACK);
        }
    }
}
