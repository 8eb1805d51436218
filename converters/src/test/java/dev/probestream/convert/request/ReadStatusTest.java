package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Answers that no parser of Node reads, as those of fetch. */
class ReadStatusTest {
    private static final long C = 0x1800;
    private static final String OK = "HTTP/1.1 200 OK";
    private static final String MISSING = "HTTP/1.1 404 Not Found";

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void theStatusIsThatOfTheFirstBytesThatAreReadBehindTheRequest() throws IOException {
        story.at(10)
                .line(C, "GET /a HTTP/1.1")
                .at(20)
                .data(C, 100, MISSING)
                .at(25)
                .data(C, 100, OK);
        story.at(30).line(C, "GET /b HTTP/1.1").at(40).data(C, 100, OK).at(50).close(C);
        Scenario.Result result = story.assemble();

        assertThat(result.of("/a").status()).isEqualTo(404);
        assertThat(result.of("/a").headNs()).isEqualTo(20);
        assertThat(result.of("/a").endNs()).isEqualTo(25);
        assertThat(result.of("/b").status()).isEqualTo(200);
    }

    @Test
    void anAnswerThatIsShorterThanItSaysIsCut() throws IOException {
        story.complete().at(10).line(C, "GET /a HTTP/1.1").at(20).data(C, 150, OK + " (head 100, body 100)");
        story.at(30).data(C, -4095, "").at(31).close(C);
        Request cut = story.assemble().only();

        assertThat(cut.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(cut.status()).isEqualTo(200);
        assertThat(cut.details().errorCode()).isEqualTo("EOF");
    }

    @Test
    void anAnswerThatIsAsLongAsItSaysIsComplete() throws IOException {
        story.complete().at(10).line(C, "GET /a HTTP/1.1").at(20).data(C, 150, OK + " (head 100, body 100)");
        story.at(25).data(C, 50, "").at(30).data(C, -4095, "").at(31).close(C);

        assertThat(story.assemble().only().outcome()).isEqualTo(Outcome.COMPLETE);
    }

    @Test
    void whatOnlyAnnouncesTheAnswerIsNone() throws IOException {
        story.at(10)
                .line(C, "POST /a HTTP/1.1")
                .at(20)
                .data(C, 30, "HTTP/1.1 100 Continue")
                .at(30)
                .data(C, 100, OK);
        story.at(40).close(C);

        assertThat(story.assemble().only().status()).isEqualTo(200);
    }

    @Test
    void aBodyThatLooksLikeAnAnswerIsNone() throws IOException {
        story.at(10)
                .line(C, "GET /a HTTP/1.1")
                .at(20)
                .data(C, 10, "")
                .at(30)
                .data(C, 100, OK)
                .at(40)
                .close(C);

        assertThat(story.assemble().only().status()).isZero();
    }

    @Test
    void pipelinedAnswersAreInTheOrderOfTheRequests() throws IOException {
        story.at(10)
                .line(C, "GET /a HTTP/1.1")
                .at(11)
                .line(C, "GET /b HTTP/1.1")
                .at(20)
                .data(C, 100, MISSING);
        story.at(21).data(C, 100, "").at(30).data(C, 100, OK).at(40).close(C);
        Scenario.Result result = story.assemble();

        assertThat(result.of("/a").status()).isEqualTo(404);
        assertThat(result.of("/a").endNs()).isEqualTo(21);
        assertThat(result.of("/b").status()).isEqualTo(200);
        assertThat(result.of("/b").headNs()).isEqualTo(30);
    }

    @Test
    void pipelinedAnswersThatCameTogetherHaveNoStatus() throws IOException {
        story.at(10)
                .line(C, "GET /a HTTP/1.1")
                .at(11)
                .line(C, "GET /b HTTP/1.1")
                .at(20)
                .data(C, 200, MISSING);
        story.at(30)
                .line(C, "GET /c HTTP/1.1")
                .at(40)
                .data(C, 100, OK)
                .at(41)
                .line(C, "GET /d HTTP/1.1")
                .at(50)
                .close(C);
        Scenario.Result result = story.assemble();

        assertThat(result.requests()).extracting(Request::status).containsOnly(0);
        assertThat(result.of("/c").outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(result.of("/d").outcome()).isEqualTo(Outcome.ABORTED);
    }

    @Test
    void afterASwitchOfProtocolsWhatIsReadIsNotOfTheRequest() throws IOException {
        story.at(10).line(C, "GET /chat HTTP/1.1").at(20).data(C, 100, "HTTP/1.1 101 Switching Protocols");
        story.at(30).data(C, 7, "").at(40).data(C, 7, "").at(50).close(C);
        Request request = story.assemble().only();

        assertThat(request.outcome()).isEqualTo(Outcome.UPGRADED);
        assertThat(request.endNs()).isEqualTo(20);
        assertThat(request.receivedBytes()).isEqualTo(100);
    }
}
