package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The owner of what continues a promise, by the stream that the functions which wait for it lead to. */
class ServedStreamTest {
    private static final long S = 0x1000;
    private static final long T = 0x1100;
    private static final long U = 0x1200;
    private static final long P = 0x2000;
    private static final long Q = 0x2100;
    private static final long R = 0x2200;
    private static final long NO_STREAM = 1;
    private static final long ON_STACK = 2;
    private static final long MADE_ELSEWHERE = 4;
    /** Before Linux 5.17. */
    private static final long NOT_SEARCHED = 2;

    private static final Probe IO = probe(200, Role.LOOP_CALLBACK, "stream", "async_counter");
    private static final Probe TIMERS = probe(201, Role.LOOP_PHASE, "async_counter");
    private static final Probe FILE = probe(202, null, "async_id", "served_stream", "context");
    private static final Probe TRIGGERED = probe(204, null, "async_id", "trigger_id", "served_stream");
    private static final Probe NUMBER = probe(203, Role.HTTP_CONTEXT, "context");

    /** Hits may be missing. */
    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void whatWaitsForATimerOfSeveralRequestsIsEachOnes() throws IOException {
        twoRequests();
        timers(30);
        file(31, "of a", 0, S);
        file(32, "of b", 0, T);
        file(33, "of a again", 0, S);
        Scenario.Result result = story.assemble();

        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("of b")).isEqualTo(2);
        assertThat(result.number("of a again")).isEqualTo(1);
    }

    @Test
    void theStreamCountsMoreThanTheCallback() throws IOException {
        twoRequests();
        file(28, "of a, in the callback of b", 0, S);

        assertThat(story.assemble().number("of a, in the callback of b")).isEqualTo(1);
    }

    @Test
    void whereNoStreamIsSureItIsNobodys() throws IOException {
        twoRequests();
        file(28, "in the callback of b", 0, NO_STREAM);

        assertThat(story.assemble().number("in the callback of b")).isZero();
    }

    @Test
    void whereNoStreamIsSureTheAsyncIdDoesNotCount() throws IOException {
        twoRequests();
        file(28, "in the callback of b", 110, NO_STREAM);
        file(29, "in it without a doubt", 110, 0);

        Scenario.Result result = story.assemble();
        assertThat(result.number("in the callback of b")).isZero();
        assertThat(result.number("in it without a doubt")).isEqualTo(2);
    }

    @Test
    void asyncIdOfACallbackThatIsMadeElsewhereDoesNotCount() throws IOException {
        twoRequests();
        timers(30);
        file(31, "of a timer", 110, MADE_ELSEWHERE);
        file(32, "of a timer without a doubt", 110, 0);

        Scenario.Result result = story.assemble();
        assertThat(result.number("of a timer")).isZero();
        assertThat(result.number("of a timer without a doubt")).isEqualTo(2);
    }

    @Test
    void asyncIdOfACallbackThatIsMadeElsewhereCountsWhereItIsThatOfTheCallback() throws IOException {
        twoRequests();
        file(28, "in the callback of b", 110, MADE_ELSEWHERE);

        assertThat(story.assemble().number("in the callback of b")).isEqualTo(2);
    }

    @Test
    void ofTheOnlyRequestTheCallbackCountsWhereNoStreamIsSure() throws IOException {
        begin(10, S, 100).get(P, "/a");
        file(18, "of a", 0, NO_STREAM);

        assertThat(story.assemble().number("of a")).isEqualTo(1);
    }

    @Test
    void whatWasNotSearchedIsTheCallbacksOfTheOnlyRequestAlone() throws IOException {
        begin(10, S, 100).get(P, "/a");
        file(18, "of the only request", 0, NOT_SEARCHED);
        begin(20, T, 100).get(Q, "/b");
        file(28, "of one of the two", 0, NOT_SEARCHED);

        Scenario.Result result = story.assemble();
        assertThat(result.number("of the only request")).isEqualTo(1);
        assertThat(result.number("of one of the two")).isZero();
    }

    @Test
    void numberOfThePackageCountsWhereItWasNotSearched() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(NUMBER, new String[0], 1);
        begin(20, T, 100).get(Q, "/b").at(25).hit(NUMBER, new String[0], 2);
        file(28, "of a", 0, NOT_SEARCHED, 1);

        assertThat(story.assemble().number("of a")).isEqualTo(1);
    }

    @Test
    void streamThatWasFoundOnTheStackCountsMoreThanTheAsyncId() throws IOException {
        twoRequests();
        file(28, "of a, in the callback of b", 110, S | ON_STACK);

        assertThat(story.assemble().number("of a, in the callback of b")).isEqualTo(1);
    }

    @Test
    void aStreamThatIsNotKnownIsNobodys() throws IOException {
        twoRequests();
        file(28, "of an unknown stream", 0, 0x9000);

        assertThat(story.assemble().number("of an unknown stream")).isZero();
    }

    @Test
    void numberOfThePackageCountsWhereNothingSpeaksAgainstIt() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).hit(NUMBER, new String[0], 1);
        begin(20, T, 100).get(Q, "/b").at(25).hit(NUMBER, new String[0], 2);
        file(31, "of a", 110, 0, 1);
        file(32, "that none is sure of", 0, NO_STREAM, 1);
        file(33, "of b by its promise", 0, T, 1);
        file(34, "of b by the stack", 110, T | ON_STACK, 1);

        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("that none is sure of")).isZero();
        assertThat(result.number("of b by its promise")).isEqualTo(2);
        assertThat(result.number("of b by the stack")).isEqualTo(2);
    }

    /** Node makes both in one callback, so the id of that triggers both. */
    @Test
    void whatIsTriggeredByACallbackThatHasCalledForAnotherIsNotItsOwners() throws IOException {
        begin(10, S, 100).get(P, "/a");
        begin(20, T, 120).get(Q, "/b");
        timers(30);
        triggered(31, "of a by its id", 110, 0, 0);
        triggered(32, "of a, too", 110, 0, 0);
        timers(2000);
        triggered(2001, "of a by what triggers it", 142, 110, 0);
        triggered(2002, "of b, which a has called", 142, 110, T | ON_STACK);
        timers(4000);
        triggered(4001, "of one of them", 144, 142, 0);

        Scenario.Result result = story.assemble();
        assertThat(result.number("of a by its id")).isEqualTo(1);
        assertThat(result.number("of a, too")).isEqualTo(1);
        assertThat(result.number("of a by what triggers it")).isEqualTo(1);
        assertThat(result.number("of b, which a has called")).isEqualTo(2);
        assertThat(result.number("of one of them")).isZero();
    }

    private void triggered(long atNs, String label, long asyncId, long triggerId, long stream) {
        story.at(atNs).as(label).hit(TRIGGERED, new String[0], asyncId, triggerId, stream);
    }

    /** A queue of the answered request calls for the one that is left. */
    @Test
    void answeredRequestIsNotTheOwnerInPlaceOfTheOnlyOneThatIsOpen() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).line(S, "HTTP/1.1 200 OK").at(16).write(S, 100);
        begin(20, T, 120).get(Q, "/b");
        timers(30);
        file(31, "in doubt", 110, NO_STREAM | ON_STACK);
        file(32, "made elsewhere", 110, MADE_ELSEWHERE);
        file(33, "without a doubt", 110, 0);
        file(34, "of the only one", 130, MADE_ELSEWHERE);
        begin(40, U, 140).get(R, "/c");
        story.at(44).line(U, "HTTP/1.1 200 OK").at(45).write(U, 100);
        file(46, "of a promise", 0, NO_STREAM);

        Scenario.Result result = story.assemble();
        assertThat(result.number("in doubt")).isZero();
        assertThat(result.number("made elsewhere")).isZero();
        assertThat(result.number("without a doubt")).isEqualTo(1);
        assertThat(result.number("of the only one")).isEqualTo(2);
        assertThat(result.number("of a promise")).isZero();
    }

    /** Node's socket sends no response any more when that is complete, so that the stream is not found then. */
    @Test
    void whileTheAnswerIsWrittenTheRequestIsServed() throws IOException {
        begin(10, S, 100)
                .get(P, "/a")
                .at(15)
                .line(S, "HTTP/1.1 200 OK")
                .at(16)
                .write(S, 100)
                .at(18)
                .streamEnd();
        begin(20, T, 120).get(Q, "/b").at(28).streamEnd();
        timers(30);
        file(31, "between pieces of the answer", 0, S);

        assertThat(story.assemble().number("between pieces of the answer")).isEqualTo(1);
    }

    /** The begin of the next request on the connection was lost. */
    @Test
    void requestWhoseAnswerIsWholeIsServedUntilTheNextCallback() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).line(S, "HTTP/1.1 200 OK (head 50, body 50)");
        story.at(16).write(S, 100);
        file(17, "behind the answer", 0, S);
        story.at(18).streamEnd();
        begin(20, T, 120).get(Q, "/b").at(28).streamEnd();
        timers(30);
        file(31, "of the next request", 0, S);

        Scenario.Result result = story.assemble();
        assertThat(result.number("behind the answer")).isEqualTo(1);
        assertThat(result.number("of the next request")).isZero();
    }

    @Test
    void answeredRequestIsNotServedOnceItsConnectionIsReadAgain() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).line(S, "HTTP/1.1 200 OK").at(16).write(S, 100);
        story.at(18).streamEnd();
        begin(20, T, 120).get(Q, "/b").at(24).streamEnd();
        begin(25, S, 130).read(S, 100).at(26).streamEnd();
        timers(30);
        file(31, "of the next request", 0, S);

        assertThat(story.assemble().number("of the next request")).isZero();
    }

    /** The loop handles it because more can be written. */
    @Test
    void requestWhoseAnswerGoesOnIsServed() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).line(S, "HTTP/1.1 200 OK").at(16).write(S, 100);
        story.at(18).streamEnd();
        begin(20, T, 120).get(Q, "/b").at(24).streamEnd();
        begin(25, S, 130).at(26).streamEnd();
        timers(30);
        file(31, "between pieces of the answer", 0, S);

        assertThat(story.assemble().number("between pieces of the answer")).isEqualTo(1);
    }

    private void twoRequests() {
        begin(10, S, 100).get(P, "/a");
        begin(20, T, 100).get(Q, "/b");
    }

    private Scenario begin(long atNs, long stream, long counter) {
        return story.at(atNs).streamBegin(IO, stream, counter).at(atNs + 1);
    }

    private void timers(long atNs) {
        story.at(atNs).lasting(1000).hit(TIMERS, new String[0], 140);
    }

    private void file(long atNs, String label, long asyncId, long stream) {
        file(atNs, label, asyncId, stream, 0);
    }

    private void file(long atNs, String label, long asyncId, long stream, long number) {
        story.at(atNs).as(label).hit(FILE, new String[0], asyncId, stream, number);
    }

    private static Probe probe(int id, @Nullable Role role, String... numbers) {
        Probe probe = RoleProbes.probe(id, EventKind.INSTANT, role == null ? "" : role.spelling(), "");
        for (String number : numbers) {
            probe.getArguments().add(RoleProbes.argument(number, "s64", FlowStep.NONE));
        }
        return probe;
    }
}
