package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The owner of a statement on a connection of a pool. A request that returns the connection runs the code of the
 * next one that waited for it: what is written then continues a promise of the former, and is the latter's.
 */
class LentConnectionTest {
    private static final long S = 0x1000;
    private static final long T = 0x1100;
    private static final long DB = 0x1200;
    private static final long P = 0x2000;
    private static final long Q = 0x2100;

    /** OwnerResolver.NO_STREAM. */
    private static final long NO_STREAM = 1;

    /** In the pointer to a stream: OwnerResolver.ON_STACK. */
    private static final long ON_STACK = 2;

    private static final Probe IO = probe(200, Role.LOOP_CALLBACK, "", "stream", "async_counter");
    private static final Probe TIMERS = probe(201, Role.LOOP_PHASE, "", "async_counter");
    private static final Probe FILE = probe(202, null, "", "async_id", "served_stream");
    private static final Probe STATEMENT =
            probe(203, Role.DB_STATEMENT, "operation", "stream", "async_id", "served_stream");
    private static final Probe NUMBERED = probe(204, Role.DB_STATEMENT, "operation", "stream", "async_id", "context");
    private static final Probe ANNOUNCED = probe(205, Role.HTTP_CONTEXT, "", "context");
    private static final Probe LINE = probe(206, Role.HTTP_LINE, "line", "stream", "async_id", "context");

    /** In a number: PackageNumbers.HOLDER. */
    private static final long HOLDER = 1 << 22;

    private final Scenario story = new Scenario().on(LOOP).complete();

    @Test
    void whoReturnsAConnectionIsNotGivenTheStatementOfTheNext() throws IOException {
        twoRequests();
        statement(24, "SELECT", 4, S);
        begin(28, DB);
        statement(31, "SELECT", 9, NO_STREAM);
        file(32, "of the callback of one of the two", NO_STREAM);
        assertThat(parents()).containsExactly(1L, 0L);
        assertThat(story.assemble().number("of the callback of one of the two")).isZero();
    }

    @Test
    void itIsGivenItsNextStatementWhereTheStackShowsIt() throws IOException {
        twoRequests();
        statement(24, "SELECT", 4, S);
        begin(28, DB);
        statement(31, "SELECT", 2, S | ON_STACK);
        begin(33, DB);
        statement(35, "SELECT", 2, T);
        assertThat(parents()).containsExactly(1L, 1L, 2L);
    }

    @Test
    void aTransactionIsOfOneRequest() throws IOException {
        twoRequests();
        statement(24, "BEGIN", 5, S);
        begin(29, DB);
        statement(31, "SELECT", 5, NO_STREAM);
        story.at(32).streamEnd();
        begin(36, DB);
        statement(37, "COMMIT", 5, S);
        story.at(38).streamEnd();
        begin(42, DB);
        statement(43, "SELECT", 5, NO_STREAM);
        List<Request> requests = statements();
        assertThat(requests).extracting(Request::parentNumber).containsExactly(1L, 1L, 1L, 0L);
        assertThat(requests)
                .extracting(Request::parentSource)
                .containsExactly(OwnerSource.PROMISE, OwnerSource.CONNECTION, OwnerSource.PROMISE, null);
    }

    @Test
    void whatWasNotSearchedMayBeOfTheNextWhoWaited() throws IOException {
        twoRequests();
        statement(24, "SELECT", 4, S);
        begin(28, DB);
        file(31, "of one of the two", 0);
        file(32, "of a", S);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of one of the two")).isZero();
        assertThat(result.number("of a")).isEqualTo(1);
    }

    @Test
    void statementsOfTwoBeforeAnythingIsReadShowThatItIsNotLent() throws IOException {
        twoRequests();
        unmatched(24, S);
        unmatched(26, T);
        begin(28, DB);
        story.at(30).streamEnd();
        begin(40, S);
        unmatched(41, 0);
        assertThat(parents()).containsExactly(1L, 2L, 1L);
    }

    @Test
    void whereNothingShowsThatItIsNotLentTheStatementMayBeOfTheNext() throws IOException {
        twoRequests();
        unmatched(24, S);
        begin(28, DB);
        story.at(30).streamEnd();
        begin(40, S);
        unmatched(41, 0);
        assertThat(parents()).containsExactly(1L, 0L);
    }

    @Test
    void aNumberOnALentConnectionIsThatOfTheHolderOrOfWhoReturnedIt() throws IOException {
        twoNumberedRequests();
        numbered(24, 4, 7 | HOLDER);
        begin(29, DB);
        numbered(31, 5, 7);
        story.at(32).streamEnd();
        begin(37, DB);
        numbered(38, 5, 7 | HOLDER);
        story.at(39).streamEnd();
        begin(44, DB);
        numbered(45, 5, 8);
        List<Request> requests = statements();
        assertThat(requests).extracting(Request::parentNumber).containsExactly(1L, 0L, 1L, 2L);
        assertThat(requests)
                .extracting(Request::parentSource)
                .containsExactly(OwnerSource.PACKAGE, null, OwnerSource.PACKAGE, OwnerSource.PACKAGE);
    }

    @Test
    void theQueueOfAClientWithAParserOfItsOwnHasTheNumberOfAnother() throws IOException {
        twoNumberedRequests();
        line(24, 0, 7, "first, of a");
        line(30, 55, 7, "of one who waited");
        line(33, 0, 7, "of a again");
        line(36, 56, 8, "of b");
        assertThat(parents()).containsExactly(1L, 0L, 1L, 2L);
    }

    private void twoNumberedRequests() {
        begin(2, S).get(P, "/a").at(9).hit(ANNOUNCED, new String[0], 7);
        begin(12, T).get(Q, "/b").at(19).hit(ANNOUNCED, new String[0], 8);
        story.at(23).lasting(1000).hit(TIMERS, new String[0], 123);
    }

    private void numbered(long atNs, long durationNs, long context) {
        story.at(atNs).lasting(durationNs).hit(NUMBERED, new String[] {"SELECT"}, DB, 0, context);
    }

    private void line(long atNs, long asyncId, long context, String label) {
        story.at(atNs).as(label).hit(LINE, new String[] {"GET /" + atNs + " HTTP/1.1"}, DB, asyncId, context);
    }

    private void twoRequests() {
        begin(10, S).get(P, "/a");
        begin(20, T).get(Q, "/b");
        story.at(23).lasting(1000).hit(TIMERS, new String[0], 123);
    }

    private List<Request> statements() throws IOException {
        return story.assemble().requests().stream()
                .filter(request -> request.side() == Side.CLIENT)
                .toList();
    }

    private List<Long> parents() throws IOException {
        return statements().stream().map(Request::parentNumber).toList();
    }

    private Scenario begin(long atNs, long stream) {
        return story.at(atNs).streamBegin(IO, stream, 100 + atNs).at(atNs + 1);
    }

    private void statement(long atNs, String operation, long durationNs, long servedStream) {
        story.at(atNs).lasting(durationNs).hit(STATEMENT, new String[] {operation}, DB, 0, servedStream);
    }

    /** Of which it is not known when it was answered. */
    private void unmatched(long atNs, long servedStream) {
        story.at(atNs).unmatched(STATEMENT, new String[] {"GET"}, DB, 0, servedStream);
    }

    private void file(long atNs, String label, long servedStream) {
        story.at(atNs).as(label).hit(FILE, new String[0], 0, servedStream);
    }

    private static Probe probe(int id, @Nullable Role role, String text, String... numbers) {
        Probe probe = RoleProbes.probe(id, EventKind.INSTANT, role == null ? "" : role.spelling(), "");
        if (!text.isEmpty()) {
            probe.getArguments().add(RoleProbes.argument(text, "str", FlowStep.NONE));
        }
        for (String number : numbers) {
            probe.getArguments().add(RoleProbes.argument(number, "s64", FlowStep.NONE));
        }
        return probe;
    }
}
