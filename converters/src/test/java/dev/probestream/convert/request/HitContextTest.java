package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What async ids and the numbers of the npm package show, and what connections that are not HTTP do. */
class HitContextTest {
    private static final long S = 0x1000;
    private static final long T = 0x1100;
    private static final long U = 0x1300;
    private static final long DB = 0x1200;
    private static final long P = 0x2000;
    private static final long Q = 0x2100;
    private static final long R = 0x2200;
    private static final long JOB = 0x9000;
    private static final Probe IO = probe(200, Role.LOOP_CALLBACK.spelling(), "", "stream", "async_counter");
    private static final Probe TIMERS = probe(201, Role.LOOP_PHASE.spelling(), "", "async_counter");
    private static final Probe DONE = probe(202, Role.POOL_DONE.spelling(), "", "request", "async_counter");
    private static final Probe FILE = probe(203, "", "", "async_id", "trigger_id", "context");
    private static final Probe ANNOUNCED = probe(204, Role.HTTP_CONTEXT.spelling(), "", "context");
    private static final Probe NUMBERED = probe(208, Role.HTTP_CONTEXT.spelling(), "", "context", "http2_stream");
    private static final Probe WRITE = probe(205, Role.STREAM_WRITE.spelling(), "", "stream", "bytes", "async_id");
    private static final Probe LINE = probe(206, Role.HTTP_LINE.spelling(), "line", "stream", "async_id", "trigger_id");
    private static final Probe SUBMIT = probe(211, Role.POOL_SUBMIT.spelling(), "", "request", "async_id");
    private static final Probe CONNECTED =
            probe(213, Role.STREAM_CONNECTED.spelling(), "", "stream", "result", "async_counter");
    private static final Probe TRIGGERED = probe(212, "", "", "async_id", "trigger_id", "served_stream");
    private static final Probe SERVED = probe(209, "", "", "async_id", "context", "served_stream");
    private static final String[] NONE = {};

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void aTimerLeadsToTheRequestWhoseCallbackStartedIt() throws IOException {
        begin(10, S, 100).get(P, "/a");
        begin(20, T, 110).get(Q, "/b");
        timers(30, 120);
        file(31, "of a", 105, 0);
        file(32, "of b", 111, 0);
        file(33, "older", 100, 0);
        file(34, "of a promise", 0, 0);
        file(35, "of this callback", 121, 0);
        file(36, "started by a timer of a", 122, 105);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("of b")).isEqualTo(2);
        assertThat(result.number("older")).isZero();
        assertThat(result.number("of a promise")).isZero();
        assertThat(result.number("of this callback")).isZero();
        assertThat(result.number("started by a timer of a")).isEqualTo(1);
    }

    @Test
    void whatIsTriggeredByTheResourceOfAnotherRequestIsItsOwn() throws IOException {
        begin(10, S, 100).get(P, "/a").at(16).submit(JOB);
        begin(20, T, 110).get(Q, "/b");
        story.at(30).lasting(10).hit(DONE, NONE, JOB, 120);
        file(31, "of a", 0, 0);
        file(32, "bound to b", 115, 0);
        file(33, "ordered by b", 125, 115);
        timers(50, 130);
        file(51, "created by one of the two", 121, 0);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("bound to b")).isEqualTo(2);
        assertThat(result.number("ordered by b")).isEqualTo(2);
        assertThat(result.number("created by one of the two")).isZero();
    }

    /** A queue calls the next function, which a request has left there that was in doubt. */
    @Test
    void boundFunctionOfAnUnknownRequestIsNotTheCallbacks() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(SUBMIT, NONE, JOB, 98);
        begin(20, T, 110).get(Q, "/b").at(25).as("in doubt").hit(TRIGGERED, NONE, 50, 49, 3);
        story.at(30).lasting(10).hit(DONE, NONE, JOB, 120);
        file(31, "in the callback of a", 105, 98);
        file(32, "bound", 115, 50);
        Scenario.Result result = story.assemble();
        assertThat(result.number("in doubt")).isZero();
        assertThat(result.number("in the callback of a")).isEqualTo(1);
        assertThat(result.number("bound")).isZero();
    }

    @Test
    void boundFunctionOfAnUnknownRequestIsNotThatOfTheConnectionWhichIsHandled() throws IOException {
        begin(10, S, 100).get(P, "/a");
        begin(20, T, 110).get(Q, "/b").at(25).hit(TRIGGERED, NONE, 50, 49, 3);
        begin(30, U, 120).get(R, "/c");
        file(35, "in the handler of c", 48, 47);
        file(36, "bound", 115, 50);
        file(37, "of process.nextTick in the handler of c", 121, 48);
        Scenario.Result result = story.assemble();
        assertThat(result.number("in the handler of c")).isEqualTo(3);
        assertThat(result.number("bound")).isZero();
        assertThat(result.number("of process.nextTick in the handler of c")).isEqualTo(3);
    }

    @Test
    void aCallbackOfSeveralRequestsOwnsNoIds() throws IOException {
        begin(10, S, 100).get(P, "/a").at(20).get(P, "/b");
        timers(30, 120);
        file(31, "timer", 105, 0);
        assertThat(story.assemble().number("timer")).isZero();
    }

    @Test
    void theNumberOfThePackageCountsMoreThanIdsAndAnUnknownOneIsNobodys() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(ANNOUNCED, NONE, 7);
        begin(20, T, 110).get(Q, "/b").at(25).hit(ANNOUNCED, NONE, 8);
        timers(30, 120);
        file(31, "of a", 0, 0, 7);
        file(32, "of b", 105, 0, 8);
        file(33, "of one before", 105, 0, 3);
        file(34, "of none", 0, 0, 0);
        story.at(35).as("submit").hit(probe(207, Role.POOL_SUBMIT.spelling(), "", "request", "context"), NONE, JOB, 8);
        story.at(40)
                .as("work")
                .lasting(5)
                .work(JOB)
                .at(50)
                .lasting(5)
                .done(JOB)
                .at(52)
                .as("callback")
                .plain();
        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("of b")).isEqualTo(2);
        assertThat(result.number("of one before")).isZero();
        assertThat(result.number("of none")).isZero();
        assertThat(result.number("submit")).isEqualTo(2);
        assertThat(result.number("work")).isEqualTo(2);
        assertThat(result.number("callback")).isEqualTo(2);
    }

    @Test
    void theNumberOfAStreamOfHttp2IsThatOfTheHeadersBeforeIt() throws IOException {
        story.at(10).http2Get(S, 1, "/a").at(15).hit(NUMBERED, NONE, 7, 1);
        story.at(20).http2Get(S, 3, "/b").at(25).hit(NUMBERED, NONE, 8, 3);
        story.at(26).hit(NUMBERED, NONE, 9, 3);
        story.at(30).http2Get(T, 1, "/c").at(35).hit(NUMBERED, NONE, 10, 5);
        timers(40, 120);
        file(41, "of a", 0, 0, 7);
        file(42, "of b", 0, 0, 8);
        file(43, "of headers not seen", 0, 0, 9);
        file(44, "of a stream not seen", 0, 0, 10);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(result.of("/a").number());
        assertThat(result.number("of b")).isEqualTo(result.of("/b").number());
        assertThat(result.number("of headers not seen")).isZero();
        assertThat(result.number("of a stream not seen")).isZero();
    }

    @Test
    void theNumberOfAStreamOfHttp2CountsUntilItHasCalledWhatMayBeAnothers() throws IOException {
        story.at(10).http2Get(S, 1, "/a").at(15).hit(NUMBERED, NONE, 7, 1);
        story.at(20).http2Get(S, 3, "/b").at(25).hit(NUMBERED, NONE, 8, 3);
        timers(40, 120);
        served(41, "of a", 7, 1);
        served(42, "of whom is not sure", 7, 3);
        served(43, "of what may be another's", 7, 1);
        served(44, "of b", 8, 1);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(result.of("/a").number());
        assertThat(result.number("of whom is not sure")).isZero();
        assertThat(result.number("of what may be another's")).isZero();
        assertThat(result.number("of b")).isEqualTo(result.of("/b").number());
    }

    private void served(long atNs, String label, long number, long stream) {
        story.at(atNs).as(label).hit(SERVED, NONE, 0, number, stream);
    }

    @Test
    void whatComesOnAPlainConnectionIsForWhoeverWroteLast() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(WRITE, NONE, DB, 9, 0);
        begin(20, DB, 110).at(21).as("answer to a").plain().at(22).streamEnd();
        begin(30, T, 110).get(Q, "/b").at(35).hit(WRITE, NONE, DB, 9, 0);
        begin(40, DB, 120).at(41).as("answer to b").plain().at(42).streamEnd();
        begin(50, DB, 130).at(51).as("rest for b").plain().at(52).streamEnd();
        Scenario.Result result = story.assemble();
        assertThat(result.number("answer to a")).isEqualTo(1);
        assertThat(result.number("answer to b")).isEqualTo(2);
        assertThat(result.number("rest for b")).isEqualTo(2);
    }

    /** Where it is not known where a parser has its stream. */
    @Test
    void whatAnotherCallbackHandedToJavaScriptIsNotWhatTheParserReads() throws IOException {
        begin(10, DB, 100).data(DB, 62, "");
        begin(20, S, 110).get(P, "/a").at(28).as("in the handler").plain();
        begin(30, DB, 120)
                .data(DB, 62, "")
                .at(32)
                .as("of the connection's next data")
                .plain();
        Scenario.Result result = story.assemble();
        assertThat(result.number("in the handler")).isEqualTo(1);
        assertThat(result.number("of the connection's next data")).isZero();
    }

    @Test
    void whoseAnAnswerIsIsUnknownOnceSeveralHaveWritten() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(WRITE, NONE, DB, 9, 0);
        begin(20, T, 110).get(Q, "/b").at(25).hit(WRITE, NONE, DB, 9, 0);
        begin(30, DB, 120).at(31).as("answer").plain();
        assertThat(story.assemble().number("answer")).isZero();
    }

    @Test
    void theEndsOfStatementsTellWhoseAnAnswerIs() throws IOException {
        Probe statement = probe(208, Role.DB_STATEMENT.spelling(), "reply", "stream");
        begin(10, S, 100).get(P, "/a").at(15).lasting(16).hit(statement, new String[] {"OK"}, DB);
        begin(20, T, 110).get(Q, "/b").at(25).lasting(17).hit(statement, new String[] {"OK"}, DB);
        begin(30, DB, 120).at(32).as("answer to a").plain().at(33).streamEnd();
        begin(40, DB, 120).at(43).as("answer to b").plain();
        Scenario.Result result = story.assemble();
        assertThat(result.number("answer to a")).isEqualTo(1);
        assertThat(result.number("answer to b")).isEqualTo(3);
    }

    @Test
    void whoIsCalledBackWhenAConnectionIsFreedIsNotTheOneWhoFreedIt() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(WRITE, NONE, DB, 9, 0);
        begin(20, DB, 110).at(21).hit(WRITE, NONE, DB, 9, 55).at(22).streamEnd();
        begin(30, DB, 120).at(31).as("of somebody who waited").plain().at(32).streamEnd();
        begin(40, T, 130).get(Q, "/b").at(45).hit(WRITE, NONE, DB, 9, 0);
        begin(50, DB, 140).at(51).hit(WRITE, NONE, DB, 9, 0).at(52).streamEnd();
        begin(60, DB, 150).at(61).as("of b, or of who waited").plain();
        Scenario.Result result = story.assemble();
        assertThat(result.number("of somebody who waited")).isZero();
        assertThat(result.number("of b, or of who waited")).isZero();
    }

    @Test
    void theIdOfAConnectionsHandleIsNotWhoMadeTheConnection() throws IOException {
        begin(10, S, 100).get(P, "/a").at(16).connect(DB, "127.0.0.1:1");
        for (long i = 1; i <= 3; i++) {
            begin(100 * i, T, 110)
                    .get(Q, "/b" + i)
                    .at(100 * i + 5)
                    .hit(WRITE, NONE, DB, 9, 0)
                    .at(100 * i + 6)
                    .streamEnd();
            begin(100 * i + 10, DB, 110);
            file(100 * i + 11, "answer " + i, 104, 0);
            story.at(100 * i + 12).streamEnd();
        }
        Scenario.Result result = story.assemble();
        assertThat(result.number("answer 1")).isZero();
        assertThat(result.number("answer 2")).isEqualTo(result.number("answer 3") - 1);
    }

    @Test
    void aRequestThatWaitedForAConnectionIsOfWhoOrderedIt() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(LINE, new String[] {"GET /x HTTP/1.1"}, DB, 0, 0);
        begin(20, T, 110).get(Q, "/b");
        begin(30, DB, 120).answer(R, 200);
        story.at(39).hit(LINE, new String[] {"GET /y HTTP/1.1"}, DB, 125, 115);
        begin(50, DB, 130).answer(R, 200).at(59).hit(LINE, new String[] {"GET /z HTTP/1.1"}, DB, 135, 35);
        List<Request> requests = story.assemble().requests().stream()
                .filter(request -> request.side() == Side.CLIENT)
                .toList();
        assertThat(requests).extracting(Request::url).containsExactly("/x", "/y", "/z");
        assertThat(requests).extracting(Request::parentNumber).containsExactly(1L, 3L, 0L);
        assertThat(requests).extracting(request -> request.details().waitedNs()).containsExactly(-1L, 9L, -1L);
    }

    /** Others may have begun since the last one that was seen, and asked for it. */
    @Test
    void withoutTheCallbacksItIsUnknownHowLongARequestWaited() throws IOException {
        story.without(Role.LOOP_CALLBACK).at(10).hit(CONNECTED, NONE, DB, 0, 100);
        story.at(15)
                .hit(LINE, new String[] {"GET /x HTTP/1.1"}, DB, 0, 0)
                .at(30)
                .data(DB, 100, "HTTP/1.1 200 OK");
        story.at(39).hit(LINE, new String[] {"GET /y HTTP/1.1"}, DB, 125, 115);

        assertThat(story.assemble().of("/y").details().waitedNs()).isEqualTo(-1);
    }

    @Test
    void theNumberOfAPoolsConnectionIsThatOfWhoMadeItUntilItServesAnother() throws IOException {
        long connection = 7 | 1 << 23;
        Probe connect = probe(209, Role.STREAM_CONNECT.spelling(), "remote", "stream", "context");
        begin(10, S, 100).get(P, "/a").at(15).hit(ANNOUNCED, NONE, 7);
        story.at(16).hit(connect, new String[] {"127.0.0.1:1"}, DB, connection);
        timers(20, 105);
        file(21, "to make it", 102, 0, connection);
        begin(30, T, 110).get(Q, "/b").at(35).hit(ANNOUNCED, NONE, 8);
        story.at(36).hit(WRITE, NONE, DB, 9, 0);
        begin(40, DB, 120).at(41).streamEnd();
        timers(50, 130);
        file(51, "after its callback", 121, 0, connection);
        file(52, "of a", 0, 0, 7);
        file(53, "of b", 0, 0, 8);
        Scenario.Result result = story.assemble();
        assertThat(result.number("to make it")).isEqualTo(1);
        assertThat(result.number("after its callback")).isNotEqualTo(1);
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("of b")).isEqualTo(2);
    }

    @Test
    void statementsThatAnImmediateSendsAtOnceMayBeOfSeveralRequests() throws IOException {
        Probe statement = probe(210, Role.DB_STATEMENT.spelling(), "reply", "stream", "batch", "async_id");
        String[] reply = {"OK"};
        begin(10, S, 100).get(P, "/a").at(15).as("its own").lasting(9).hit(statement, reply, DB, 2, 50);
        begin(30, T, 110).get(Q, "/b");
        timers(40, 120);
        story.at(41).as("in a batch").lasting(9).hit(statement, reply, DB, 2, 105);
        story.at(42).as("alone").lasting(9).hit(statement, reply, DB, 1, 105);
        List<Request> statements = story.assemble().requests().stream()
                .filter(request -> request.side() == Side.CLIENT)
                .toList();
        assertThat(statements).extracting(Request::startNs).containsExactlyInAnyOrder(15L, 41L, 42L);
        assertThat(statements)
                .filteredOn(request -> request.parentNumber() == 0)
                .singleElement()
                .extracting(Request::startNs)
                .isEqualTo(41L);
    }

    private Scenario begin(long atNs, long stream, long counter) {
        return story.at(atNs).streamBegin(IO, stream, counter).at(atNs + 1);
    }

    private void timers(long atNs, long counter) {
        story.at(atNs).lasting(1000).hit(TIMERS, NONE, counter);
    }

    private void file(long atNs, String label, long id, long trigger) {
        file(atNs, label, id, trigger, 0);
    }

    private void file(long atNs, String label, long id, long trigger, long context) {
        story.at(atNs).as(label).hit(FILE, NONE, id, trigger, context);
    }

    /** With arguments of these names, a text if there is one, and numbers. */
    private static Probe probe(int id, String role, String text, String... numbers) {
        Probe probe = RoleProbes.probe(id, EventKind.INSTANT, role, "");
        for (String number : numbers) {
            probe.getArguments().add(RoleProbes.argument(number, "s64", FlowStep.NONE));
        }
        if (!text.isEmpty()) {
            probe.getArguments().add(RoleProbes.argument(text, "str", FlowStep.NONE));
        }
        return probe;
    }
}
