package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class Http2StreamsTest {
    private static final int REQUEST = 0;
    private static final int RESPONSE = 1;
    private static final int HEADERS = 3;
    private static final int CANCEL = 8;
    private static final long S = 0x1000;
    private static final long C = 0x1800;

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void streamsOfOneSessionAreRequestsOfTheirOwn() throws IOException {
        story.at(10).accept(S, "10.0.0.9:4000", "10.0.0.1:443").at(20).streamBegin(S);
        story.http2Get(S, 1, "/a?x=***").at(30).as("first").plain();
        story.at(31).http2Headers(S, 3, REQUEST, 1).at(32).as("second").plain();
        story.at(40).http2Answer(S, 3, "404").at(41).http2Close(S, 3, 0);
        story.at(45).streamEnd().at(50).http2Answer(S, 1, "200").at(60).http2Close(S, 1, 0);
        Scenario.Result result = story.assemble();

        Request first = result.of("/a?x=***");
        assertThat(first.side()).isEqualTo(Side.SERVER);
        assertThat(first.details().protocol()).isEqualTo("http2");
        assertThat(first.details().operation()).isEqualTo("GET /a");
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.startNs()).isEqualTo(20);
        assertThat(first.headNs()).isEqualTo(50);
        assertThat(first.endNs()).isEqualTo(60);
        assertThat(first.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(first.remote()).isEqualTo("10.0.0.9:4000");
        Request second = result.requests().get(0);
        assertThat(second.status()).isEqualTo(404);
        assertThat(result.number("first")).isEqualTo(first.number());
        assertThat(result.number("second")).isEqualTo(second.number()).isNotEqualTo(first.number());
    }

    @Test
    void theStatusOfGrpcIsTheReplyAndTheErrorUnlessItIsOk() throws IOException {
        story.at(10).accept(S, "10.0.0.9:4000", "10.0.0.1:443").at(20).streamBegin(S);
        int id = 1;
        for (String status : new String[] {"0", "5", "77", ""}) {
            story.http2Get(S, id, "/" + status).http2Answer(S, id, "200").http2Trailers(S, id, status);
            story.http2Close(S, id, 0);
            id += 2;
        }
        Scenario.Result result = story.at(50).streamEnd().assemble();

        assertThat(result.of("/0").details()).extracting("reply", "errorCode").containsExactly("OK", "");
        assertThat(result.of("/5").details())
                .extracting("reply", "errorCode")
                .containsExactly("NOT_FOUND", "NOT_FOUND");
        assertThat(result.of("/77").details()).extracting("reply", "errorCode").containsExactly("77", "77");
        assertThat(result.of("/").details()).extracting("reply", "errorCode").containsExactly("", "");
        assertThat(result.requests()).allMatch(request -> request.outcome() == Outcome.COMPLETE);
    }

    @Test
    void aClientsRequestIsOrderedByTheServersInWhoseContextItIsSubmitted() throws IOException {
        story.at(10)
                .streamBegin(S)
                .at(11)
                .get(0x2000, "/front")
                .at(20)
                .lasting(1)
                .http2Request(C, 1, "POST /back");
        story.at(25).streamEnd().at(30).streamBegin(C).at(31).http2Headers(C, 1, RESPONSE, 0);
        story.at(32)
                .http2Status(103)
                .at(33)
                .http2Headers(C, 1, HEADERS, 0)
                .at(34)
                .http2Status(201);
        story.at(35).as("data").http2Data(C, 1, 0, 100).at(36).http2Headers(C, 1, HEADERS, 1);
        story.at(37).http2Close(C, 1, 0).at(38).streamEnd();
        Scenario.Result result = story.assemble();

        Request client = result.of("/back");
        assertThat(client.side()).isEqualTo(Side.CLIENT);
        assertThat(client.method()).isEqualTo("POST");
        assertThat(client.status()).isEqualTo(201);
        assertThat(client.headNs()).isEqualTo(34);
        assertThat(client.endNs()).isEqualTo(37);
        assertThat(client.receivedBytes()).isEqualTo(100);
        assertThat(client.sentBytes()).isEqualTo(-1);
        assertThat(client.parentNumber()).isEqualTo(result.of("/front").number());
        assertThat(result.number("data")).isEqualTo(client.number());
    }

    @Test
    void ofManyAnswersOnOneSessionEachHasTheStatusOfGrpcOfItsStream() throws IOException {
        story.at(10).http2Request(C, 1, "POST /trailers").http2Request(C, 3, "POST /only");
        story.http2Request(C, 5, "POST /ok").http2Request(C, 7, "POST /none");
        story.at(20).streamBegin(C);
        for (int id = 1; id <= 7; id += 2) {
            story.http2Headers(C, id, RESPONSE, id == 3 ? 1 : 0);
        }
        story.http2Status(C, 1, "200", "").http2Status(C, 5, "200", "").http2Status(C, 7, "200", "");
        story.http2Status(C, 3, "200", "13").http2Status(C, 1, "", "5").http2Status(C, 5, "", "0");
        story.http2Status(C, 7, "", "");
        for (int id = 1; id <= 7; id += 2) {
            story.http2Close(C, id, 0);
        }
        Scenario.Result result = story.at(50).streamEnd().assemble();

        assertThat(result.of("/trailers").details())
                .extracting("reply", "errorCode")
                .containsExactly("NOT_FOUND", "NOT_FOUND");
        assertThat(result.of("/only").details())
                .extracting("reply", "errorCode")
                .containsExactly("INTERNAL", "INTERNAL");
        assertThat(result.of("/ok").details()).extracting("reply", "errorCode").containsExactly("OK", "");
        assertThat(result.of("/none").details())
                .extracting("reply", "errorCode")
                .containsExactly("", "");
        assertThat(result.requests())
                .allMatch(request -> request.status() == 200 && request.outcome() == Outcome.COMPLETE);
    }

    @Test
    void anAnswerWithAStatusOfGrpcIsWholeAlsoIfItsStreamIsResetAfterwards() throws IOException {
        story.at(10).http2Request(C, 1, "POST /a").at(20).http2Headers(C, 1, RESPONSE, 1);
        story.http2Status(C, 1, "200", "8").at(30).http2Close(C, 1, CANCEL);
        Request request = story.assemble().only();

        assertThat(request.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(request.details())
                .extracting("reply", "errorCode")
                .containsExactly("RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED");
    }

    @Test
    void aCancelledAnswerHasNoStatusOfGrpc() throws IOException {
        story.at(10).http2Request(C, 1, "POST /a").at(20).http2Headers(C, 1, RESPONSE, 0);
        story.http2Status(C, 1, "200", "").at(30).http2Close(C, 1, CANCEL);
        Request request = story.assemble().only();

        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.details()).extracting("reply", "errorCode").containsExactly("", "CANCEL");
    }

    @Test
    void whatAClientSendsAsItsTrailersIsNoStatusOfTheServer() throws IOException {
        story.at(10).http2Headers(S, 1, REQUEST, 0).http2Method(S, 1, "POST").at(20);
        story.http2Headers(S, 1, HEADERS, 1).http2Status(S, 1, "", "5");
        story.at(30).http2Answer(S, 1, "200").http2Close(S, 1, 0);
        Request request = story.assemble().only();

        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.details()).extracting("reply", "errorCode").containsExactly("", "");
    }

    @Test
    void aResetStreamIsAbortedWithItsCode() throws IOException {
        story.at(10).http2Get(S, 1, "/a").at(20).http2Answer(S, 1, "200").at(30).http2Close(S, 1, CANCEL);
        Request request = story.assemble().only();

        assertThat(request.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(request.details().errorCode()).isEqualTo("CANCEL");
        assertThat(request.status()).isEqualTo(200);
    }

    @Test
    void streamsEndWithTheirConnectionAndItsPointersAreOthersAfterwards() throws IOException {
        story.at(10)
                .http2Get(S, 1, "/a")
                .at(20)
                .close(S)
                .at(30)
                .http2Get(S, 1, "/b")
                .at(40)
                .http2Answer(S, 1, "200");
        Scenario.Result result = story.assemble();

        assertThat(result.of("/a").outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(result.of("/a").details().errorCode()).isEmpty();
        assertThat(result.of("/a").endNs()).isEqualTo(20);
        assertThat(result.of("/b").outcome()).isEqualTo(Outcome.OPEN);
        assertThat(result.of("/b").status()).isEqualTo(200);
    }

    @Test
    void refusedRequestsAndThePrefaceOfASessionAreNone() throws IOException {
        story.at(10).line(C, "PRI * HTTP/2.0").at(20).http2Request(C, -509, "GET /a");

        assertThat(story.assemble().requests()).isEmpty();
    }

    @Test
    void ofWhatWaitsForOneConnectionOnlyTheFirstIsKnownToBeOrdered() throws IOException {
        story.at(10)
                .streamBegin(S)
                .at(11)
                .get(0x2000, "/front")
                .at(20)
                .lasting(1)
                .connect(C, "10.0.0.1:443");
        story.at(25).streamEnd().at(30).streamBegin(C).connected(C);
        story.at(31)
                .http2Request(C, 1, "GET /one")
                .at(32)
                .http2Request(C, 3, "GET /two")
                .at(33)
                .streamEnd();
        Scenario.Result result = story.assemble();

        assertThat(result.of("/one").parentNumber())
                .isEqualTo(result.of("/front").number());
        assertThat(result.of("/two").parentNumber()).isZero();
    }
}
