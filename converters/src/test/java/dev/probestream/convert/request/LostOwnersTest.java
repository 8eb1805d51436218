package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What a thread does around lost hits belongs to the request for which it does that, or to none. */
class LostOwnersTest {
    private static final long S = 0x1000;
    private static final long T = 0x1100;
    private static final long P = 0x2000;
    private static final long Q = 0x2100;
    private static final long JOB = 0x3000;
    private static final long C = 0x4000;

    private static final Probe IO = probe(200, Role.LOOP_CALLBACK.spelling(), "stream", "async_counter");
    private static final Probe TIMERS = probe(201, Role.LOOP_PHASE.spelling(), "async_counter");
    private static final Probe FILE = probe(202, "", "async_id", "served_stream", "context");
    private static final Probe NUMBER = probe(203, Role.HTTP_CONTEXT.spelling(), "context");

    private static final Probe HEADERS = headers();

    private static Probe headers() {
        Probe probe = probe(
                210, Role.HTTP_HEADERS.spelling(), "parser", "type", "method", "begin", "stream", "received", "read");
        probe.getArguments().add(RoleProbes.argument("url", "str", FlowStep.NONE));
        return probe;
    }

    private final Scenario story = new Scenario().on(LOOP);

    private static Probe probe(int id, String role, String... numbers) {
        Probe probe = RoleProbes.probe(id, EventKind.INSTANT, role, "");
        for (String number : numbers) {
            probe.getArguments().add(RoleProbes.argument(number, "s64", FlowStep.NONE));
        }
        return probe;
    }

    private Scenario begin(long atNs, long stream, long counter) {
        return story.at(atNs).streamEnd().streamBegin(IO, stream, counter).at(atNs + 1);
    }

    private void timers(long atNs, long counter) {
        story.at(atNs).streamEnd().lasting(8).hit(TIMERS, new String[0], counter);
    }

    private void file(long atNs, String label, long asyncId, long stream, long number) {
        story.at(atNs).as(label).hit(FILE, new String[0], asyncId, stream, number);
    }

    /** Two requests, whose callbacks give the ids 101 to 105 and 106 to 120. */
    private void twoRequests() {
        begin(10, S, 100).get(P, "/a");
        begin(20, T, 105).get(Q, "/b");
        timers(30, 120);
    }

    @Test
    void theConnectionMayServeARequestThatWasLost() throws IOException {
        twoRequests();
        file(31, "before", 0, S, 0);
        file(36, "behind", 0, S, 0);

        Scenario.Result result = story.losing(Role.HTTP_HEADERS, 33, 35).assemble();
        assertThat(result.number("before")).isEqualTo(1);
        assertThat(result.number("behind")).isZero();
    }

    /** A request of 60 bytes. */
    private void request(long atNs, String url, long received) {
        begin(atNs - 1, S, 100 + atNs).hit(HEADERS, new String[] {url}, P, 1, 1, atNs, S, received, 60);
    }

    private Scenario.Result behindALoss() throws IOException {
        timers(30, 120);
        file(31, "behind", 0, S, 0);
        return story.losing(Role.HTTP_HEADERS, 25, 30).assemble();
    }

    @Test
    void theBytesOfTheNextRequestShowThatNoneCameBefore() throws IOException {
        request(20, "/a", 60);
        request(50, "/b", 120);

        assertThat(behindALoss().number("behind")).isEqualTo(1);
    }

    @Test
    void theBytesOfTheNextRequestShowThatOneCameBefore() throws IOException {
        request(20, "/a", 60);
        request(50, "/c", 180);

        assertThat(behindALoss().number("behind")).isZero();
    }

    @Test
    void theBytesOfAnotherConnectionUnderTheSamePointerShowNothing() throws IOException {
        request(20, "/a", 60);
        story.at(40).close(S).at(41).accept(S, "127.0.0.1:4711", "127.0.0.1:80");
        request(50, "/c", 60);

        assertThat(behindALoss().number("behind")).isZero();
    }

    @Test
    void theNextRequestMayHaveToWaitForTheOneBefore() throws IOException {
        twoRequests();
        begin(40, S, 120).get(P, "/c");
        timers(50, 130);
        file(51, "of c", 0, S, 0);

        Scenario.Result result = story.losing(Role.LOOP_POLL, 0, 90)
                .losing(Role.HTTP_HEADERS, 12, 13)
                .assemble();
        assertThat(result.of("/c").number()).isEqualTo(3);
        // The request before was given up where a hit was lost: the client may not have waited for its answer.
        assertThat(result.number("of c")).isZero();
    }

    @Test
    void theCallbackMayHandleARequestThatWasLost() throws IOException {
        begin(10, S, 100)
                .get(P, "/a")
                .at(15)
                .as("of a")
                .plain()
                .at(18)
                .as("behind")
                .plain();

        Scenario.Result result = story.losing(Role.HTTP_HEADERS, 16, 17).assemble();
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("behind")).isZero();
    }

    @Test
    void whatWasLostBeforeTheRequestDoesNotMatter() throws IOException {
        twoRequests();
        file(31, "of a", 0, S, 0);

        assertThat(story.losing(Role.HTTP_HEADERS, 0, 9).assemble().number("of a"))
                .isEqualTo(1);
    }

    @Test
    void whatIsWrittenMayBeTheAnswerToARequestThatWasLost() throws IOException {
        twoRequests();
        story.at(36).as("write").write(S, 10);

        assertThat(story.losing(Role.HTTP_HEADERS, 33, 35).assemble().number("write"))
                .isZero();
    }

    @Test
    void anAsyncIdMayBeThatOfACallbackThatWasLost() throws IOException {
        twoRequests();
        file(31, "created by a", 103, 0, 0);
        file(32, "created by b or after it", 110, 0, 0);

        Scenario.Result result = story.losing(Role.LOOP_CALLBACK, 27, 29).assemble();
        assertThat(result.number("created by a")).isEqualTo(1);
        assertThat(result.number("created by b or after it")).isZero();
    }

    @Test
    void anAsyncIdThatWasGivenBeforeALossKeepsItsOwner() throws IOException {
        twoRequests();
        timers(50, 140);
        file(51, "created by b", 110, 0, 0);

        assertThat(story.losing(Role.HTTP_HEADERS, 40, 45)
                        .losing(Role.LOOP_CALLBACK, 40, 45)
                        .assemble()
                        .number("created by b"))
                .isEqualTo(2);
    }

    @Test
    void theOnlyRequestMayHaveOthersBesideIt() throws IOException {
        begin(10, S, 100).get(P, "/a");
        file(18, "of a or of what was lost", 0, 1, 0);

        assertThat(story.losing(Role.HTTP_HEADERS, 2, 3).assemble().number("of a or of what was lost"))
                .isZero();
    }

    @Test
    void workMayBeOtherWorkThatWasLost() throws IOException {
        begin(10, S, 100)
                .get(P, "/a")
                .at(15)
                .submit(JOB)
                .at(30)
                .streamEnd()
                .lasting(5)
                .as("done")
                .done(JOB);

        assertThat(story.assemble().number("done")).isEqualTo(1);
        assertThat(story.losing(Role.POOL_SUBMIT, 20, 25).assemble().number("done"))
                .isZero();
    }

    @Test
    void workThatWasOrderedBehindALossIsKnown() throws IOException {
        begin(10, S, 100)
                .get(P, "/a")
                .at(15)
                .submit(JOB)
                .at(30)
                .streamEnd()
                .lasting(5)
                .as("done")
                .done(JOB);

        assertThat(story.losing(Role.POOL_SUBMIT, 2, 9)
                        .losing(Role.HTTP_HEADERS, 20, 25)
                        .assemble()
                        .number("done"))
                .isEqualTo(1);
    }

    @Test
    void aNumberMayBeThatOfARequestThatWasLost() throws IOException {
        begin(10, S, 100).get(P, "/a").at(18).hit(NUMBER, new String[0], 7);
        begin(20, T, 105).get(Q, "/b");
        timers(30, 120);
        file(31, "of 7", 0, 2, 7);

        assertThat(story.losing(Role.HTTP_HEADERS, 15, 17).assemble().number("of 7"))
                .isZero();
    }

    @Test
    void aNumberThatIsKnownCountsBehindALoss() throws IOException {
        begin(10, S, 100).get(P, "/a").at(18).hit(NUMBER, new String[0], 7);
        begin(20, T, 105).get(Q, "/b");
        timers(30, 120);
        file(36, "of 7", 0, 2, 7);

        assertThat(story.losing(Role.HTTP_HEADERS, 33, 35).assemble().number("of 7"))
                .isEqualTo(1);
    }

    @Test
    void anAnswerOnAConnectionOfAnotherProtocolMayBeForSomeoneWhoseWriteWasLost() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).write(C, 20);
        begin(30, C, 110).at(31).as("answered").plain();

        assertThat(story.losing(Role.STREAM_WRITE, 20, 25).assemble().number("answered"))
                .isZero();
    }

    @Test
    void aConnectionMayHaveServedOthersThanWhoAskedForIt() throws IOException {
        begin(10, S, 100).get(P, "/a").at(15).connect(C, "10.0.0.1:80");
        begin(30, C, 110).at(31).as("connected").plain();

        assertThat(story.losing(Role.STREAM_WRITE, 20, 25).assemble().number("connected"))
                .isZero();
    }
}
