package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.ServedStreamHeap.Connection;
import dev.probestream.collector.internal.program.ServedStreamHeap.Shape;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a function on the stack shows that another request may have left, and which ones are none of these. */
@KernelTest(since = "5.17")
class LeftFunctionsCodeTest extends ServedStreamSearch {
    /** A tagged pointer into the first page, where nothing is mapped. */
    private static final long UNREADABLE = 0x101;

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

    /** Its async id is that of the code that made the callback, which may have called it for another request. */
    @Test
    void closureThatOnlyNodeHasCalledMayBeOfAnotherRequest() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        heap.stack(heap.function(elsewhere), heap.moduleContext(), heap.function(elsewhere));
        assertThat(findInACallback()).isEqualTo(MADE_ELSEWHERE);

        heap.stack(heap.function(elsewhere), heap.moduleContext(), heap.function(heap.context(elsewhere, 0)));
        assertThat(findInACallback()).as("it has called another one").isEqualTo(UNSURE);

        heap.age();
        long handler = heap.function(elsewhere);
        heap.stack(handler, heap.moduleContext());
        assertThat(findInACallback()).as("called for the first time").isEqualTo(MADE_ELSEWHERE);
        assertThat(findInAnotherTurn()).as("called again").isEqualTo(MADE_ELSEWHERE);

        heap.stack(heap.function(elsewhere, heap.cellOfOneClosure()), heap.moduleContext());
        assertThat(findInACallback()).isEqualTo(MADE_ELSEWHERE);
        assertThat(findInAnotherTurn()).as("the only one of its code").isZero();
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
    void objectsBehindWhichNothingIsMappedAreRead(@TempDir Path folder) throws Exception {
        long registers = heap.array(connection.response());
        Connection another = heap.connection();
        long others = heap.context(heap.context(heap.moduleContext()), another.response());
        LastPage functions = LastPage.map(folder.resolve("functions"));
        run(0, registers, heap.moduleContext(), 0, functions.object(heap.wordsOfFunction(others)));
        assertThat(find()).isEqualTo(another.stream() | ON_STACK);

        LastPage contexts = LastPage.map(folder.resolve("contexts"));
        long last = contexts.object(heap.wordsOfContext(heap.context(heap.moduleContext()), another.response()));
        run(0, registers, heap.moduleContext(), 0, heap.function(last));
        assertThat(find()).isEqualTo(another.stream() | ON_STACK);
    }

    /** The kernel may be moving the page. */
    @Test
    void functionThatCannotBeReadMakesItUnknown() {
        run(0, heap.array(connection.response()), heap.moduleContext(), 0, UNREADABLE);
        assertThat(find()).isEqualTo(UNSURE);

        long its = heap.context(heap.moduleContext(), connection.response());
        heap.stack(heap.function(its), its, UNREADABLE);
        assertThat(findInACallback()).isEqualTo(UNSURE);
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

    private long findInAnotherTurn() {
        heap.run(heap.task(heap.generator(running, 0, 0, heap.moduleContext(), true, 0)));
        find();
        return findInACallback();
    }

    /** What the running function has called, in a turn of its own; it has the connection. */
    private long findWith(long called) {
        run(0, heap.array(connection.response()), heap.moduleContext(), 0, called);
        return find();
    }

    /** Its frame has the context with which it was called, in place of the one that it has made. */
    @Test
    void closureThatOptimizedCodeOnTheStackHasMadeIsNoStranger() {
        long scope = heap.object(0, 0);
        long maker = heap.functionOf(scope, heap.moduleContext());
        long made = heap.contextOf(scope, heap.context(heap.moduleContext()));
        long[] called = {maker, heap.function(made)};
        long registers = heap.array(connection.response());
        run(0, registers, heap.moduleContext(), 0, called);
        assertThat(find()).as("its context is not there").isEqualTo(UNSURE);

        heap.keep(maker, heap.object(0), made, made);
        run(0, registers, heap.moduleContext(), 0, called);
        assertThat(find()).isEqualTo(connection.stream());

        heap.keep(maker, made, heap.contextOf(scope, heap.moduleContext()));
        run(0, registers, heap.moduleContext(), 0, called);
        assertThat(find()).as("one of them is of another call").isEqualTo(UNSURE);

        heap.keep(maker, made);
        long another = heap.function(heap.contextOf(scope, heap.context(heap.moduleContext())));
        run(0, registers, heap.moduleContext(), 0, maker, another);
        assertThat(find()).as("another call has made it").isEqualTo(UNSURE);

        long other = heap.functionOf(heap.object(0, 0), heap.moduleContext());
        heap.keep(other, made);
        run(0, registers, heap.moduleContext(), 0, other, called[1]);
        assertThat(find()).as("the context of another function").isEqualTo(UNSURE);
    }

    @Test
    void onlyClosureOfItsCodeCountsFromTheNextTurnOn() {
        long elsewhere = heap.context(heap.context(heap.moduleContext()), 0);
        long cell = heap.cellOfOneClosure();
        assertThat(findWith(heap.function(elsewhere, cell))).isEqualTo(UNSURE);
        assertThat(find()).as("in the same turn").isEqualTo(UNSURE);
        assertThat(findWith(heap.function(elsewhere, cell))).isEqualTo(connection.stream());
        heap.makeAnotherClosure(cell);
        assertThat(findWith(heap.function(elsewhere, cell))).isEqualTo(UNSURE);

        cell = heap.cellOfOneClosure();
        findWith(heap.asyncFunction(elsewhere, cell));
        assertThat(findWith(heap.asyncFunction(elsewhere, cell)))
                .as("an async function")
                .isEqualTo(connection.stream());
    }

    @Test
    void closureThatIsCalledAgainIsNotWhatOneRequestLeft() {
        long called = heap.function(heap.context(heap.context(heap.moduleContext()), 0));
        findWith(called);
        assertThat(findWith(called)).as("young objects move").isEqualTo(UNSURE);

        heap.age();
        assertThat(findWith(called)).isEqualTo(UNSURE);
        assertThat(find()).as("in the same turn").isEqualTo(UNSURE);
        assertThat(findWith(called)).isEqualTo(connection.stream());
    }

    /** The address may be that of another closure then, which a request has left. */
    @Test
    void closureIsNotKnownAgainAfterACollection() {
        long called = heap.function(heap.context(heap.context(heap.moduleContext()), 0));
        heap.age();
        findWith(called);
        assertThat(findWith(called)).isEqualTo(connection.stream());

        collect();
        assertThat(findWith(called)).isEqualTo(UNSURE);
        assertThat(findWith(called)).isEqualTo(connection.stream());

        objects.map(MapNames.V8_PROCESSES).delete(BpfMap.key(TGID));
        assertThat(findWith(called)).as("collections are not counted").isEqualTo(UNSURE);
        assertThat(findWith(called)).isEqualTo(UNSURE);
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
}
