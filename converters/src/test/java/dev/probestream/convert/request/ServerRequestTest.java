package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import org.junit.jupiter.api.Test;

class ServerRequestTest {
    private static final long S = 0x1000;
    private static final long P = 0x2000;

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void aRequestIsWhatWasParsedAndWhatWasWrittenToTheSameStream() throws IOException {
        Scenario.Result result = story.at(5)
                .accept(S, "127.0.0.1:4711", "127.0.0.1:80")
                .at(10)
                .streamBegin(S)
                .at(11)
                .read(S, 70)
                .at(20)
                .get(P, "/a")
                .at(30)
                .as("in context")
                .plain()
                .at(40)
                .lasting(5)
                .write(S, 120)
                .at(41)
                .line(S, "HTTP/1.1 200 OK")
                .at(50)
                .lasting(4)
                .write(S, 30)
                .at(60)
                .streamEnd()
                .at(70)
                .as("afterwards")
                .plain()
                .at(90)
                .close(S)
                .assemble();
        Request request = result.only();
        assertThat(request.side()).isEqualTo(Side.SERVER);
        assertThat(request.number()).isEqualTo(1);
        assertThat(request.method()).isEqualTo("GET");
        assertThat(request.url()).isEqualTo("/a");
        assertThat(request.status()).isEqualTo(200);
        assertThat(request.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(request.startNs()).isEqualTo(20);
        assertThat(request.headNs()).isEqualTo(41);
        assertThat(request.endNs()).isEqualTo(54);
        assertThat(request.remote()).isEqualTo("127.0.0.1:4711");
        assertThat(request.local()).isEqualTo("127.0.0.1:80");
        assertThat(request.receivedBytes()).isEqualTo(70);
        assertThat(request.sentBytes()).isEqualTo(150);
        assertThat(request.keepAlive()).isEqualTo(KeepAlive.YES);
        assertThat(request.isTls()).isFalse();
        assertThat(result.number("in context")).isEqualTo(1);
        assertThat(result.number("afterwards")).isEqualTo(0);
    }

    @Test
    void aUrlComesInPieces() throws IOException {
        story.at(10)
                .streamBegin(S)
                .httpBegin(P, 1)
                .at(11)
                .httpUrl(P, "/a/")
                .at(12)
                .httpUrl(P, "b?c");
        story.at(13).requestHeaders(P, 3, 0x20).at(14).httpEnd(P).at(20).line(S, "HTTP/1.1 404 Not Found");
        Request request = story.at(30).streamEnd().assemble().only();
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.url()).isEqualTo("/a/b?c");
        assertThat(request.status()).isEqualTo(404);
        assertThat(request.endNs()).isEqualTo(20);
    }

    @Test
    void pipelinedRequestsAreAnsweredInTheirOrder() throws IOException {
        story.at(10)
                .streamBegin(S)
                .at(11)
                .read(S, 300)
                .at(20)
                .get(P, "/1")
                .at(30)
                .get(P, "/2")
                .at(40)
                .get(P, "/3");
        story.at(50).line(S, "HTTP/1.1 201 A").at(50).lasting(2).write(S, 10);
        // The write that begins the next answer is seen before its line.
        story.at(60).lasting(5).write(S, 20).at(61).line(S, "HTTP/1.1 202 B");
        story.at(70)
                .lasting(5)
                .write(S, 30)
                .at(71)
                .line(S, "HTTP/1.1 203 C")
                .at(80)
                .lasting(5)
                .write(S, 7);
        Scenario.Result result = story.at(90).streamEnd().at(100).close(S).assemble();
        assertThat(result.requests()).extracting(Request::status).containsExactly(201, 202, 203);
        assertThat(result.requests()).extracting(Request::url).containsExactly("/1", "/2", "/3");
        assertThat(result.requests()).extracting(Request::endNs).containsExactly(52L, 65L, 85L);
        assertThat(result.requests()).extracting(Request::sentBytes).containsExactly(10L, 20L, 37L);
    }

    @Test
    void anAnnouncementIsNoAnswer() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .line(S, "HTTP/1.1 100 Continue")
                .at(30)
                .line(S, "HTTP/1.1 200 OK");
        Request request = story.at(40).streamEnd().assemble().only();
        assertThat(request.status()).isEqualTo(200);
        assertThat(request.headNs()).isEqualTo(30);
    }

    @Test
    void aConnectionThatIsClosedBeforeTheAnswerIsAborted() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .streamEnd()
                .at(99)
                .close(S)
                .at(200)
                .line(S, "HTTP/1.1 200 OK");
        Request request = story.assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.endNs()).isEqualTo(99);
        assertThat(request.headNs()).isEqualTo(-1);
        assertThat(request.status()).isEqualTo(0);
    }

    @Test
    void whatHasNoAnswerWhenTheCaptureEndsIsOpen() throws IOException {
        Request request = story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(50)
                .streamEnd()
                .assemble()
                .only();
        assertThat(request.outcome()).isEqualTo(Outcome.OPEN);
        assertThat(request.endNs()).isEqualTo(-1);
    }

    @Test
    void anUpgradeEndsWithItsAnswer() throws IOException {
        story.at(10)
                .streamBegin(S)
                .httpBegin(P, 1)
                .at(11)
                .httpUrl(P, "/ws")
                .at(12)
                .requestHeaders(P, 1, 0x14);
        story.at(13)
                .httpEnd(P)
                .at(20)
                .line(S, "HTTP/1.1 101 Switching Protocols")
                .at(20)
                .lasting(3)
                .write(S, 129);
        story.at(30)
                .streamEnd()
                .at(40)
                .streamBegin(S)
                .at(41)
                .read(S, 6)
                .at(42)
                .as("frame")
                .lasting(2)
                .write(S, 8);
        Scenario.Result result = story.at(50).streamEnd().at(90).close(S).assemble();
        Request request = result.only();
        assertThat(request.outcome()).isEqualTo(Outcome.UPGRADED);
        assertThat(request.endNs()).isEqualTo(23);
        assertThat(request.sentBytes()).isEqualTo(129);
        assertThat(result.number("frame")).isEqualTo(0);
    }

    @Test
    void aLineThatWasRefusedAndWrittenAgainIsOneAnswer() throws IOException {
        story.at(10).streamBegin(S).get(P, "/1").at(20).get(P, "/2");
        story.at(30).lasting(2).returning(-11).write(S, 50).at(31).line(S, "HTTP/1.1 200 OK");
        story.at(33).lasting(2).write(S, 50).at(34).line(S, "HTTP/1.1 200 OK");
        story.at(43).lasting(2).write(S, 60).at(44).line(S, "HTTP/1.1 200 OK");
        Scenario.Result result = story.at(50).streamEnd().at(60).close(S).assemble();
        assertThat(result.requests()).extracting(Request::endNs).containsExactly(35L, 45L);
        assertThat(result.requests()).extracting(Request::sentBytes).containsExactly(50L, 60L);
    }

    @Test
    void anAnswerFromATimerIsFoundByItsStream() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .streamEnd()
                .at(30)
                .lasting(20)
                .phase();
        story.at(35)
                .as("line")
                .line(S, "HTTP/1.1 200 OK")
                .at(36)
                .as("write")
                .lasting(1)
                .write(S, 9);
        Scenario.Result result =
                story.at(40).as("timer").plain().at(60).close(S).assemble();
        assertThat(result.only().endNs()).isEqualTo(37);
        assertThat(result.number("line")).isEqualTo(1);
        assertThat(result.number("write")).isEqualTo(1);
        assertThat(result.number("timer")).isEqualTo(0);
    }

    @Test
    void aKeptConnectionHasOneRequestAfterTheOther() throws IOException {
        for (int i = 0; i < 3; i++) {
            story.at(100L * i).streamBegin(S).at(100L * i + 10).get(P, "/" + i);
            story.at(100L * i + 20).lasting(3).write(S, 5).at(100L * i + 21).line(S, "HTTP/1.1 200 OK");
            story.at(100L * i + 30).streamEnd();
        }
        Scenario.Result result = story.assemble();
        assertThat(result.requests()).extracting(Request::url).containsExactly("/0", "/1", "/2");
        assertThat(result.requests()).extracting(Request::endNs).containsExactly(23L, 123L, 223L);
        assertThat(result.requests()).extracting(Request::sentBytes).containsExactly(5L, 5L, 5L);
        assertThat(result.requests()).extracting(Request::outcome).containsOnly(Outcome.COMPLETE);
    }

    @Test
    void anAnswerWhoseLineWasLostIsNotTakenForAnotherOne() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/lost")
                .at(20)
                .lasting(2)
                .write(S, 7)
                .at(30)
                .streamEnd();
        story.at(40).streamBegin(S).get(P, "/next").at(50).streamEnd().at(60).line(S, "HTTP/1.1 201 Created");
        Scenario.Result result = story.at(90).close(S).assemble();
        assertThat(result.of("/lost").status()).isEqualTo(0);
        assertThat(result.of("/lost").endNs()).isEqualTo(22);
        assertThat(result.of("/next").status()).isEqualTo(201);
    }

    @Test
    void anAnswerThatWasLostAltogetherIsNotTakenForAnotherOne() throws IOException {
        story.at(10).streamBegin(S).get(P, "/lost").at(30).streamEnd();
        story.at(40)
                .streamBegin(S)
                .get(P, "/next")
                .at(50)
                .line(S, "HTTP/1.1 201 Created")
                .at(60)
                .streamEnd();
        Scenario.Result result = story.at(90).close(S).assemble();
        assertThat(result.of("/lost").status()).isEqualTo(0);
        assertThat(result.of("/lost").endNs()).isEqualTo(40);
        assertThat(result.of("/next").status()).isEqualTo(201);
    }

    @Test
    void aQuietRequestIsHandedOutBeforeItsConnectionSaysMore() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .line(S, "HTTP/1.1 200 OK")
                .at(30)
                .streamEnd();
        Scenario.Result result = new Scenario.Result(new ArrayList<>(), new HashMap<>());
        RequestAssembler assembler = new RequestAssembler(result.requests()::add);
        story.play(story.hits(), assembler, result);
        assembler.quietSince(19);
        assertThat(result.requests()).isEmpty();
        assembler.quietSince(20);
        assertThat(result.requests()).hasSize(1);
        assembler.finish(100);
        assertThat(result.requests()).hasSize(1);
    }
}
