package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.internal.program.ServedStreamHeap.Connection;
import dev.probestream.collector.internal.program.ServedStreamHeap.Shape;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Whose request Node sends to a server, in a tick or a callback in which its own functions alone are on the stack. */
@KernelTest(since = "5.17")
class SentRequestCodeTest extends ServedStreamSearch {
    /** A closure that is called with the response, and sees what leads to the connection. */
    private long done() {
        return heap.function(heap.context(heap.moduleContext(), connection.response()));
    }

    /** Node's own functions write on the socket on which that request is being sent. */
    private void send(long client) {
        long write = heap.functionOfNode();
        heap.receive(write, heap.socketOf(client));
        heap.stack(heap.functionOfNode(), heap.moduleContext(), write, heap.functionOfNode());
    }

    @Test
    void requestOnTheSocketIsWhoseListenersItHas() {
        send(heap.client(heap.listeners(heap.function(heap.moduleContext()), done()), 0));

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void oneOfSeveralListenersOfAnEventLeadsThere() {
        send(heap.client(heap.listeners(heap.list(heap.function(heap.moduleContext()), done())), 0));

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void objectThatFollowsRedirectsLeadsThere() {
        send(heap.client(heap.listeners(), heap.client(heap.listeners(done()), 0)));

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void listenerThatIsAPropertyLeadsThere() {
        send(heap.client(heap.caller(heap.list(done())), 0));

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void objectAmongTheArgumentsIsTheOneThatIsSent() {
        long tick = heap.functionOfNode();
        heap.receive(tick, heap.caller(done()));
        heap.stack(heap.functionOfNode(), heap.moduleContext(), tick);

        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }

    @Test
    void listenersOfTwoRequestsShowNone() {
        long others = heap.function(
                heap.context(heap.moduleContext(), heap.connection().response()));
        send(heap.client(heap.listeners(done(), others), 0));

        assertThat(findInACallback()).isZero();
    }

    @Test
    void socketOfAServerShowsNone() {
        send(connection.response());

        assertThat(findInACallback()).isZero();
    }

    @Test
    void functionOfTheProgramOnTheStackCountsMore() {
        long write = heap.functionOfNode();
        heap.receive(write, heap.socketOf(heap.client(heap.listeners(done()), 0)));
        Connection another = heap.connection();
        long its = heap.context(heap.moduleContext(), another.response());
        heap.stack(heap.function(its), its, write);

        assertThat(findInACallback()).isEqualTo(another.stream() | ON_STACK);
    }

    @Test
    void objectBehindAScopeIsNotLookedAt() {
        long inScope = heap.functionOfNode();
        heap.receive(inScope, heap.resource());
        long write = heap.functionOfNode();
        heap.receive(write, heap.socketOf(heap.client(heap.listeners(done()), 0)));
        heap.stack(heap.functionOfNode(), heap.moduleContext(), write, inScope, heap.functionOfNode());

        assertThat(findInACallback()).isZero();
    }

    @Test
    void whatAsyncFunctionsOfFetchGiveTheResponseLeadsThere() {
        HeapShape caller = Objects.requireNonNull(heap.shapes().get(heap.map(Shape.CALLER)));
        long waiting = heap.generator(
                heap.function(heap.moduleContext()),
                0,
                heap.array(heap.caller(done())),
                heap.moduleContext(),
                false,
                0);
        long resolving = heap.resolving(heap.promiseOf(waiting));
        long tick = heap.functionOfNode();
        heap.receive(tick, heap.object(heap.map(Shape.RESOURCE), 0, 0, resolving));
        answer(heap.map(Shape.RESOURCE), new HeapShape(0, HeapShape.Kind.CALLER, caller.next(), 0));
        heap.stack(heap.functionOfNode(), heap.moduleContext(), tick);
        assertThat(findInACallback()).as("they return it").isZero();

        answer(heap.map(Shape.CALLER), new HeapShape(0, HeapShape.Kind.CALLER, caller.next(), 1));
        assertThat(findInACallback()).isEqualTo(connection.stream() | ON_STACK);
    }
}
