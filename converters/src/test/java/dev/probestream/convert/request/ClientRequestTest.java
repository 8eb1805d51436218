package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ClientRequestTest {
    private static final long S = 0x1000;
    private static final long P = 0x2000;
    private static final long C = 0x1800;
    private static final long Q = 0x2800;

    private final Scenario story = new Scenario().on(LOOP);

    /** A server's request that connects to another server and asks it. */
    private Scenario upstream() {
        story.at(10)
                .streamBegin(S)
                .get(P, "/front")
                .at(20)
                .as("connect")
                .lasting(1)
                .connect(C, "10.0.0.1:80");
        story.at(25)
                .streamEnd()
                .at(30)
                .streamBegin(C)
                .connected(C)
                .at(31)
                .as("connected")
                .plain();
        story.at(32)
                .lasting(3)
                .write(C, 60)
                .at(33)
                .as("line")
                .line(C, "GET /back HTTP/1.1")
                .at(40)
                .streamEnd();
        return story;
    }

    @Test
    void anAnswerIsTheNextOneThatIsParsedOnTheStreamTheLineWasWrittenTo() throws IOException {
        upstream().at(60).streamBegin(C).at(61).read(C, 200).at(62).as("answer").answer(Q, 203);
        story.at(70).as("within").plain().at(80).streamEnd();
        Scenario.Result result = story.assemble();
        Request client = result.of("/back");
        Request server = result.of("/front");
        assertThat(client.side()).isEqualTo(Side.CLIENT);
        assertThat(client.parentNumber()).isEqualTo(server.number());
        assertThat(client.method()).isEqualTo("GET");
        assertThat(client.status()).isEqualTo(203);
        assertThat(client.startNs()).isEqualTo(33);
        assertThat(client.headNs()).isEqualTo(63);
        assertThat(client.endNs()).isEqualTo(64);
        assertThat(client.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(client.keepAlive()).isEqualTo(KeepAlive.YES);
        assertThat(client.remote()).isEqualTo("10.0.0.1:80");
        assertThat(client.receivedBytes()).isEqualTo(200);
        assertThat(client.sentBytes()).isEqualTo(60);
        assertThat(result.number("connect")).isEqualTo(server.number());
        assertThat(result.number("connected")).isEqualTo(server.number());
        assertThat(result.number("line")).isEqualTo(client.number());
        assertThat(result.number("answer")).isEqualTo(client.number());
        assertThat(result.number("within")).isEqualTo(server.number());
    }

    /** Its address comes from /proc, by the descriptor: also for a line that was written before that was known. */
    @Test
    void aConnectionThatWasOpenBeforeTheCaptureHasItsPeer() throws IOException {
        story.at(1).openBefore(20, "10.0.0.1:80", "10.0.0.9:4711").openBefore(21, "10.0.0.2:80", "10.0.0.9:4712");
        story.at(10).line(C, "GET /x HTTP/1.1").at(20).streamBegin(C).read(C, 9).answer(Q, 200);
        Request request = story.at(40).streamEnd().assemble().only();
        assertThat(request.remote()).isEqualTo("10.0.0.1:80");
        assertThat(request.local()).isEqualTo("10.0.0.9:4711");
    }

    @Test
    void aDescriptorThatWasClosedIsOfNoConnectionBeforeTheCapture() throws IOException {
        story.at(1).openBefore(20, "10.0.0.1:80", "10.0.0.9:4711").at(5).close(S);
        story.at(10).line(C, "GET /x HTTP/1.1").at(20).streamBegin(C).answer(Q, 200);
        assertThat(story.at(40).streamEnd().assemble().only().remote()).isEmpty();
    }

    @Test
    void aConnectionThatIsSeenToBeginKeepsItsOwnAddress() throws IOException {
        story.at(1).openBefore(20, "10.0.0.1:80", "10.0.0.9:4711").at(5).connect(C, "10.0.0.3:80");
        story.at(10).line(C, "GET /x HTTP/1.1").at(20).streamBegin(C).answer(Q, 200);
        assertThat(story.at(40).streamEnd().assemble().only().remote()).isEqualTo("10.0.0.3:80");
    }

    @Test
    void whatNobodyOrderedHasNoParentAndOwnsItsContext() throws IOException {
        story.at(10)
                .line(C, "POST /x HTTP/1.1")
                .at(20)
                .streamBegin(C)
                .answer(Q, 200)
                .at(30)
                .as("within")
                .plain();
        Scenario.Result result = story.at(40).streamEnd().assemble();
        assertThat(result.only().parentNumber()).isEqualTo(0);
        assertThat(result.number("within")).isEqualTo(result.only().number());
    }

    @Test
    void anAnnouncementIsSkipped() throws IOException {
        story.at(10)
                .line(C, "PUT /x HTTP/1.1")
                .at(20)
                .streamBegin(C)
                .answer(Q, 100)
                .at(30)
                .streamEnd();
        story.at(40)
                .lasting(2)
                .write(C, 1000)
                .at(50)
                .streamBegin(C)
                .answer(Q, 204)
                .at(60)
                .streamEnd();
        Request request = story.assemble().only();
        assertThat(request.status()).isEqualTo(204);
        assertThat(request.headNs()).isEqualTo(51);
        assertThat(request.endNs()).isEqualTo(52);
        assertThat(request.sentBytes()).isEqualTo(1000);
    }

    @Test
    void aConnectionThatIsClosedBeforeAllOfTheAnswerCameIsAborted() throws IOException {
        story.at(10)
                .line(C, "GET /x HTTP/1.1")
                .at(20)
                .streamBegin(C)
                .at(21)
                .read(C, 9)
                .at(22)
                .httpBegin(Q, 2);
        story.at(23).answerHeaders(Q, 200, 0x20).at(30).streamEnd().at(40).close(C);
        Request request = story.assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.status()).isEqualTo(200);
        assertThat(request.endNs()).isEqualTo(40);
    }

    @Test
    void whatThePeerResetsOrClosesHasThatError() throws IOException {
        story.complete()
                .at(10)
                .line(C, "GET /reset HTTP/1.1")
                .at(20)
                .streamBegin(C)
                .at(21)
                .data(C, -104, "");
        story.at(30).streamEnd().at(31).close(C);
        story.at(40).line(C, "GET /left HTTP/1.1").at(50).streamBegin(C).at(51).data(C, -4095, "");
        story.at(60).streamEnd().at(61).close(C);
        Scenario.Result result = story.assemble();
        assertThat(result.of("/reset").outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(result.of("/reset").details().errorCode()).isEqualTo("ECONNRESET");
        assertThat(result.of("/left").details().errorCode()).isEqualTo("EOF");
    }

    @Test
    void whatTheProcessGivesUpIsCanceled() throws IOException {
        story.complete().at(5).streamBegin(S).at(6).data(S, 3, "").at(7).streamEnd();
        story.at(10).line(C, "GET /x HTTP/1.1").at(40).close(C);
        Request request = story.assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.details().errorCode()).isEqualTo("ECANCELED");
    }

    @Test
    void ofARecordingWithLossesItIsUnknownWhoHasClosed() throws IOException {
        story.at(5).streamBegin(S).at(6).data(S, 3, "").at(7).streamEnd();
        story.at(10).line(C, "GET /x HTTP/1.1").at(40).close(C);
        Request request = story.assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.details().errorCode()).isEmpty();
    }

    @Test
    void aWriteThatFailsIsTheErrorOfItsRequest() throws IOException {
        story.complete()
                .at(10)
                .line(C, "POST /x HTTP/1.1")
                .at(11)
                .lasting(1)
                .returning(100)
                .write(C, 200);
        story.at(20).lasting(1).returning(-11).write(C, 100);
        story.at(30).lasting(1).returning(-32).write(C, 100).at(40).close(C);
        assertThat(story.assemble().only().details().errorCode()).isEqualTo("EPIPE");
    }

    @Test
    void aConnectionThatIsUsedAgainHasTheParentOfEachLine() throws IOException {
        upstream()
                .at(60)
                .streamBegin(C)
                .answer(Q, 200)
                .at(70)
                .streamEnd()
                .at(80)
                .line(S, "HTTP/1.1 200 OK");
        story.at(100)
                .streamBegin(S)
                .get(P, "/second")
                .at(110)
                .line(C, "GET /again HTTP/1.1")
                .at(120)
                .streamEnd();
        story.at(130).streamBegin(C).answer(Q, 200).at(140).streamEnd();
        Scenario.Result result = story.assemble();
        assertThat(result.of("/again").parentNumber())
                .isEqualTo(result.of("/second").number());
    }

    @Test
    void anAnswerThatNoParserOfNodeReadsEndsWithTheLastBytes() throws IOException {
        story.at(10)
                .line(C, "GET /fetched HTTP/1.1")
                .at(20)
                .streamBegin(C)
                .at(21)
                .read(C, 80)
                .at(25)
                .streamEnd();
        story.at(30).streamBegin(C).at(31).read(C, 40).at(35).streamEnd();
        story.at(90).line(C, "GET /next HTTP/1.1");
        Request request = story.assemble().of("/fetched");
        assertThat(request.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(request.status()).isEqualTo(0);
        assertThat(request.headNs()).isEqualTo(-1);
        assertThat(request.endNs()).isEqualTo(31);
        assertThat(request.receivedBytes()).isEqualTo(120);
    }

    @Test
    void aTunnelEndsTheRequestThatAskedForIt() throws IOException {
        story.at(10)
                .line(C, "CONNECT host:443 HTTP/1.1")
                .at(20)
                .streamBegin(C)
                .answer(Q, 200)
                .at(30)
                .streamEnd();
        Request request = story.assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.UPGRADED);
        assertThat(request.url()).isEqualTo("host:443");
    }
}
