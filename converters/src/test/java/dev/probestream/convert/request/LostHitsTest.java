package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests around lost hits have their own end and status, or none. */
class LostHitsTest {
    private static final long S = 0x1000;
    private static final long C = 0x1800;
    private static final long P = 0x2000;
    private static final long SESSION = 0x3000;
    private static final int TCP = 12;
    /** Behind the fields of TCP that are read here a session has its own. */
    private static final int TLS = 0x400123;

    private static final Probe HEADERS = headers();

    private static Probe headers() {
        Probe probe = RoleProbes.probe(200, EventKind.INSTANT, Role.HTTP_HEADERS.spelling(), "");
        List.of("parser", "type", "method", "flags", "rest", "begin", "read", "stream", "handle", "received")
                .forEach(name -> probe.getArguments().add(RoleProbes.argument(name, "s64", FlowStep.NONE)));
        List.of("tls", "below", "below_received")
                .forEach(name -> probe.getArguments().add(RoleProbes.argument(name, "s64", FlowStep.NONE)));
        probe.getArguments().add(RoleProbes.argument("url", "str", FlowStep.NONE));
        return probe;
    }

    private final Scenario story =
            new Scenario().without(Role.HTTP_BEGIN).without(Role.STREAM_READ).on(LOOP);

    /** A request of 60 bytes, all of one reading. */
    private void request(long atNs, String url, long received) {
        story.at(atNs).hit(HEADERS, new String[] {url}, P, 1, 1, 0, 0, atNs, 60, S, TCP, received, 7, 8, 9);
    }

    /** The same through a session: what it decrypted, and the bytes of its records. */
    private void encrypted(long atNs, String url, long received) {
        story.at(atNs)
                .hit(
                        HEADERS,
                        new String[] {url},
                        P,
                        1,
                        1,
                        0,
                        0,
                        atNs,
                        60,
                        8,
                        TLS,
                        received,
                        SESSION,
                        S,
                        received + 900);
    }

    /** All of the answer in one write; over TLS it is longer. */
    private void answer(long atNs, int status) {
        answer(atNs, "HTTP/1.1 " + status + " OK (head 100, body 20)");
    }

    private void answer(long atNs, String line) {
        story.at(atNs).line(S, line).lasting(5).write(S, 150);
    }

    private static void assertUnknown(Request request) {
        assertThat(request.outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(request.endNs()).isEqualTo(-1);
        assertThat(request.headNs()).isEqualTo(-1);
        assertThat(request.status()).isZero();
        assertThat(request.details().errorCode()).isEmpty();
    }

    private static void assertAnswered(Request request, int status, long endNs) {
        assertThat(request.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(request.status()).isEqualTo(status);
        assertThat(request.endNs()).isEqualTo(endNs);
    }

    @Test
    void theLastAnswerBeforeACloseMayBeThatOfARequestThatWasLost() throws IOException {
        request(20, "/a", 60);
        answer(50, 200);

        assertUnknown(story.at(90).close(S).lossy(30, 40).assemble().only());
    }

    @Test
    void whatWasLostBeforeTheRequestOrAfterItsAnswerDoesNotMatter() throws IOException {
        request(20, "/a", 60);
        answer(50, 200);

        story.at(90).close(S).lossy(5, 19).lossy(56, 95);
        assertAnswered(story.assemble().only(), 200, 55);
    }

    @Test
    void anAnswerOfUnknownLengthMayGoOnInWhatIsLostBehindIt() throws IOException {
        request(20, "/a", 60);
        answer(50, "HTTP/1.1 200 OK");

        assertUnknown(story.at(90).close(S).lossy(60, 70).assemble().only());
    }

    @Test
    void hitsOfOtherProbesAreNoneOfARequest() throws IOException {
        request(20, "/a", 60);
        answer(50, 200);

        story.at(90).close(S).losing(Role.LOOP_POLL, 30, 40).losing(Role.DB_STATEMENT, 30, 40);
        assertAnswered(story.assemble().only(), 200, 55);
    }

    @Test
    void theBytesOfTheNextRequestShowThatNoneWasLostBetween() throws IOException {
        request(20, "/a", 60);
        answer(50, 200);
        request(70, "/b", 120);
        answer(80, 404);

        Scenario.Result result = story.at(90)
                .close(S)
                .losing(Role.HTTP_HEADERS, 30, 40)
                .losing(Role.STREAM_WRITE, 30, 40)
                .assemble();
        assertAnswered(result.of("/a"), 200, 55);
        assertAnswered(result.of("/b"), 404, 85);
    }

    @Test
    void andThatOneWasLost() throws IOException {
        request(20, "/a", 60);
        answer(50, 200);
        request(70, "/c", 180);
        answer(80, 404);

        Scenario.Result result =
                story.at(90).close(S).losing(Role.HTTP_HEADERS, 30, 60).assemble();
        assertUnknown(result.of("/a"));
        assertThat(result.of("/c").receivedBytes()).isEqualTo(-1);
    }

    @Test
    void theBytesShowNothingIfTheConnectionMayBeAnotherOne() throws IOException {
        request(20, "/a", 60);
        answer(50, 200);
        request(70, "/b", 120);

        story.losing(Role.HTTP_HEADERS, 30, 40)
                .losing(Role.STREAM_CLOSE, 30, 40)
                .losing(Role.STREAM_ACCEPT, 30, 40);
        assertUnknown(story.at(90).close(S).assemble().of("/a"));
    }

    @Test
    void overTlsTheBytesThatWereDecryptedCount() throws IOException {
        encrypted(20, "/a", 60);
        answer(50, 200);
        encrypted(70, "/b", 120);
        answer(80, 404);
        encrypted(90, "/d", 240);

        Scenario.Result result =
                story.at(95).close(S).losing(Role.HTTP_HEADERS, 30, 88).assemble();
        assertAnswered(result.of("/a"), 200, 55);
        assertUnknown(result.of("/b"));
    }

    @Test
    void anAnswerWhoseEndWasLostHasNoEnd() throws IOException {
        request(20, "/a", 60);
        answer(50, "HTTP/1.1 200 OK (head 100, body 2000)");
        request(80, "/b", 120);

        assertUnknown(story.at(90)
                .close(S)
                .losing(Role.STREAM_WRITE, 60, 70)
                .assemble()
                .of("/a"));
    }

    @Test
    void aRequestThatWasClosedWithoutAnAnswerMayHaveHadOne() throws IOException {
        request(20, "/a", 60);

        assertUnknown(story.at(90).close(S).lossy(30, 40).assemble().only());
    }

    @Test
    void outsideOfTheLossesARequestWithoutAnAnswerIsAborted() throws IOException {
        request(20, "/a", 60);

        Request request =
                story.complete().at(90).close(S).lossy(5, 10).assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.endNs()).isEqualTo(90);
    }

    @Test
    void outsideOfTheLossesAnAnswerThatIsCutIsAborted() throws IOException {
        request(20, "/a", 60);
        answer(50, "HTTP/1.1 200 OK (head 100, body 2000)");

        Request request =
                story.complete().at(90).close(S).lossy(5, 10).assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
    }

    @Test
    void aRequestThatIsOpenAtTheEndMayHaveBeenAnswered() throws IOException {
        request(20, "/a", 60);

        assertUnknown(story.at(90).plain().lossy(30, 40).assemble().only());
    }

    @Test
    void withoutAnAnswerTheNextOneIsThatOfTheRequestBehind() throws IOException {
        request(20, "/a", 60);
        request(50, "/b", 120);
        answer(60, 404);
        request(70, "/c", 180);
        answer(80, 200);

        Scenario.Result result =
                story.at(90).close(S).losing(Role.STREAM_WRITE, 30, 40).assemble();
        assertUnknown(result.of("/a"));
        // Nor is this one's certain: the client may not have waited for the answer to /a.
        assertUnknown(result.of("/b"));
        assertAnswered(result.of("/c"), 200, 85);
    }

    @Test
    void theAnswerToAClientMayBeThatOnAnotherConnection() throws IOException {
        story.at(10).lasting(5).write(C, 90).at(11).line(C, "GET /x HTTP/1.1");
        story.at(50).data(C, 60, "").at(51).answer(P, 200);

        assertUnknown(story.at(90)
                .close(C)
                .losing(Role.STREAM_DATA, 20, 30)
                .assemble()
                .only());
    }

    @Test
    void theAnswersToAClientDoNotShift() throws IOException {
        story.at(10).lasting(5).write(C, 90).at(11).line(C, "GET /x HTTP/1.1");
        story.at(50).lasting(5).write(C, 90).at(51).line(C, "GET /y HTTP/1.1");
        story.at(60).data(C, 60, "").at(61).answer(P, 404);
        story.at(70).lasting(5).write(C, 90).at(71).line(C, "GET /z HTTP/1.1");
        story.at(80).data(C, 60, "").at(81).answer(P, 500);

        Scenario.Result result =
                story.at(90).close(C).losing(Role.STREAM_DATA, 20, 30).assemble();
        assertUnknown(result.of("/x"));
        assertUnknown(result.of("/y"));
        assertThat(result.of("/z").status()).isEqualTo(500);
        assertThat(result.of("/z").outcome()).isEqualTo(Outcome.COMPLETE);
    }

    /** An answer that no parser of Node reads is over when the next request is written. */
    @Test
    void anAnswerThatWasSeenIsNotThatOfTheNextRequest() throws IOException {
        story.at(10).lasting(5).write(C, 90).at(11).line(C, "GET /x HTTP/1.1");
        story.at(50).data(C, 60, "HTTP/1.1 200 OK");
        story.at(60).lasting(5).write(C, 90).at(61).line(C, "GET /y HTTP/1.1");
        story.at(70).data(C, 60, "HTTP/1.1 404 Not Found");

        Scenario.Result result =
                story.at(90).close(C).losing(Role.STREAM_DATA, 20, 30).assemble();
        assertUnknown(result.of("/x"));
        assertAnswered(result.of("/y"), 404, 70);
    }

    @Test
    void aConnectThatFailedMayBeAnotherOne() throws IOException {
        story.at(10).connect(C, "10.0.0.1:80").at(50).connected(C, -111);

        assertUnknown(story.losing(Role.STREAM_CONNECTED, 20, 30).assemble().only());
    }

    @Test
    void aStreamOfHttp2HasAnEndOfItsOwn() throws IOException {
        story.at(10)
                .http2Request(SESSION, 1, "GET /x")
                .at(30)
                .http2Headers(SESSION, 1, 1, 0)
                .http2Status(200);
        story.at(50).http2Close(SESSION, 1, 0);

        Request request = story.losing(Role.HTTP2_DATA, 15, 45)
                .losing(Role.STREAM_CLOSE, 15, 45)
                .assemble()
                .only();
        assertThat(request.status()).isEqualTo(200);
        assertThat(request.endNs()).isEqualTo(50);
    }

    @Test
    void unlessTheSessionMayBeAnotherOne() throws IOException {
        story.at(10)
                .http2Request(SESSION, 1, "GET /x")
                .at(30)
                .http2Headers(SESSION, 1, 1, 0)
                .http2Status(200);
        story.at(50).http2Close(SESSION, 1, 0);

        assertUnknown(story.lossy(15, 45).assemble().only());
    }
}
