package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Requests to a server that are known by the readings that begin with them. */
class ReadRequestTest {
    private static final long S = 0x1000;
    private static final String OK = "HTTP/1.1 200 OK (head 100, body 20)";

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void aReadingAndTheAnswerAreARequest() throws IOException {
        story.at(10)
                .requestRead(S, 78, "GET /a HTTP/1.1 (head 78)")
                .at(20)
                .line(S, OK)
                .at(20)
                .lasting(5)
                .write(S, 120);
        story.at(30)
                .requestRead(S, 80, "GET /b HTTP/1.1 (head 80)")
                .at(40)
                .line(S, "HTTP/1.1 404 Not Found")
                .at(50)
                .close(S);
        Scenario.Result result = story.assemble();

        Request first = result.of("/a");
        assertThat(first.side()).isEqualTo(Side.SERVER);
        assertThat(first.method()).isEqualTo("GET");
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(first.startNs()).isEqualTo(10);
        assertThat(first.endNs()).isEqualTo(25);
        assertThat(first.receivedBytes()).isEqualTo(-1);
        assertThat(result.of("/b").status()).isEqualTo(404);
    }

    @Test
    void aBodyThatFollowsIsNoRequestBehindIt() throws IOException {
        story.at(10).requestRead(S, 100, "POST /a HTTP/1.1 (head 90, body 500)");
        story.at(20).line(S, OK).at(30).requestRead(S, 80, "GET /b HTTP/1.1 (head 80)");
        story.at(40).line(S, OK).at(50).close(S);
        Scenario.Result result = story.assemble();

        assertThat(result.of("/a").status()).isEqualTo(200);
        assertThat(result.of("/b").status()).isEqualTo(200);
    }

    @Test
    void aFirstLineThatIsNotCompleteIsARequestWithoutUrl() throws IOException {
        story.at(10).requestRead(S, 6, "").at(20).line(S, OK).at(30).close(S);
        Request only = story.assemble().only();

        assertThat(only.method()).isEmpty();
        assertThat(only.url()).isEmpty();
        assertThat(only.status()).isEqualTo(200);
    }

    @Test
    void ofRequestsBehindOneAnotherNoAnswerIsKnown() throws IOException {
        story.at(10).requestRead(S, 156, "GET /a HTTP/1.1 (head 78)");
        story.at(20).line(S, OK).at(25).requestRead(S, 78, "GET /c HTTP/1.1 (head 78)");
        story.at(30).line(S, OK).at(40).line(S, OK).at(50).close(S);
        Scenario.Result result = story.assemble();

        assertThat(result.requests())
                .extracting(Request::url, Request::outcome, Request::status)
                .containsExactly(tuple("/a", Outcome.UNKNOWN, 0), tuple("/c", Outcome.UNKNOWN, 0));
    }

    @Test
    void anAnswerToNoKnownRequestMakesThoseThatFollowUnknown() throws IOException {
        story.at(10).requestRead(S, 5000, "GET /a HTTP/1.1").at(20).line(S, OK);
        story.at(25).line(S, OK).at(30).requestRead(S, 78, "GET /c HTTP/1.1 (head 78)");
        story.at(40).line(S, OK).at(50).close(S);
        Scenario.Result result = story.assemble();

        assertThat(result.of("/a").status()).isEqualTo(200);
        assertThat(result.of("/c").outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void behindARequestOfUnknownLengthAnswersToOverlappingOnesAreUnknown() throws IOException {
        story.at(10).requestRead(S, 700, "GET /a HTTP/1.1").at(15).requestRead(S, 78, "GET /c HTTP/1.1 (head 78)");
        story.at(20).line(S, OK).at(30).line(S, "HTTP/1.1 404 Not Found");
        story.at(40).line(S, OK).at(50).close(S);
        Scenario.Result result = story.assemble();

        assertThat(result.requests())
                .extracting(Request::url, Request::outcome, Request::status)
                .containsExactly(tuple("/a", Outcome.UNKNOWN, 0), tuple("/c", Outcome.UNKNOWN, 0));
    }

    @Test
    void anAnswerTooManyShowsThatTheOneBeforeItWasAnothers() throws IOException {
        story.at(10)
                .requestRead(S, 100, "POST /a HTTP/1.1 (head 90, chunked)")
                .at(20)
                .line(S, OK);
        story.at(25).requestRead(S, 78, "GET /c HTTP/1.1 (head 78)");
        story.at(30).line(S, "HTTP/1.1 404 Not Found").at(40).line(S, OK).at(50).close(S);
        Scenario.Result result = story.assemble();

        assertThat(result.of("/a").status()).isEqualTo(200);
        assertThat(result.of("/c").outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(result.of("/c").status()).isZero();
    }

    @Test
    void whatOnlyAnnouncesTheAnswerIsNone() throws IOException {
        story.at(10).requestRead(S, 90, "POST /a HTTP/1.1 (head 90, body 500)");
        story.at(15).line(S, "HTTP/1.1 100 Continue").at(20).line(S, "HTTP/1.1 201 Created");
        story.at(30).close(S);

        assertThat(story.assemble().only().status()).isEqualTo(201);
    }

    @Test
    void aConnectionThatIsClosedBeforeTheAnswerIsAborted() throws IOException {
        story.complete().at(10).requestRead(S, 78, "GET /a HTTP/1.1 (head 78)");
        Request only = story.at(20).close(S).assemble().only();

        assertThat(only.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(only.endNs()).isEqualTo(20);
    }

    @Test
    void whatFollowsAnUpgradeIsNoRequest() throws IOException {
        story.at(10).requestRead(S, 178, "GET /chat HTTP/1.1 (head 178)");
        story.at(20)
                .line(S, "HTTP/1.1 101 Switching Protocols")
                .at(30)
                .requestRead(S, 8, "")
                .at(40);
        Request only = story.close(S).assemble().only();

        assertThat(only.outcome()).isEqualTo(Outcome.UPGRADED);
        assertThat(only.status()).isEqualTo(101);
    }
}
