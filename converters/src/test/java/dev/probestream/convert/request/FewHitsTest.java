package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests recorded by as few hits as possible: where the headers are complete, and where the answer is written. */
class FewHitsTest {
    private static final long S = 0x1000;
    private static final long C = 0x1800;
    private static final long P = 0x2000;
    private static final long TLS = 0x3000;
    private static final int TCP = 12;
    private static final int F_CHUNKED = 0x8;
    private static final int F_CONTENT_LENGTH = 0x20;

    private static final Probe HEADERS = probe(
            200,
            Role.HTTP_HEADERS,
            List.of(
                    "parser",
                    "type",
                    "method",
                    "major",
                    "minor",
                    "flags",
                    "rest",
                    "begin",
                    "read",
                    "stream",
                    "handle",
                    "received",
                    "tls",
                    "below",
                    "below_received"),
            List.of("url"));
    private static final Probe ANSWER = probe(
            201, Role.HTTP_HEADERS, List.of("parser", "type", "status", "major", "minor", "flags", "rest"), List.of());
    private static final Probe BODY = probe(
            202,
            Role.HTTP_BODY,
            List.of(
                    "parser",
                    "type",
                    "flags",
                    "rest",
                    "stream",
                    "handle",
                    "received",
                    "tls",
                    "below",
                    "below_received"),
            List.of());
    private static final Probe ANSWER_BODY =
            probe(203, Role.HTTP_BODY, List.of("parser", "type", "flags", "rest"), List.of());
    private static final Probe DATA = probe(204, Role.STREAM_DATA, List.of("stream", "bytes", "received"), List.of());
    private static final Probe CALLBACK = probe(205, Role.LOOP_CALLBACK, List.of("stream"), List.of());
    private static final Probe URL = probe(
            206,
            Role.HTTP_URL,
            List.of("parser", "begin", "stream", "handle", "received", "tls", "below", "below_received"),
            List.of("url"));

    private final Scenario story = new Scenario()
            .without(Role.LOOP_CALLBACK)
            .without(Role.HTTP_BEGIN)
            .without(Role.STREAM_READ)
            .on(LOOP);

    private static Probe probe(int id, Role role, List<String> numbers, List<String> texts) {
        Probe probe = RoleProbes.probe(id, EventKind.INSTANT, role.spelling(), "");
        numbers.forEach(name -> probe.getArguments().add(RoleProbes.argument(name, "s64", FlowStep.NONE)));
        texts.forEach(name -> probe.getArguments().add(RoleProbes.argument(name, "str", FlowStep.NONE)));
        return probe;
    }

    private Scenario headers(String url, long beginNs, int method, int flags, long rest, long received, long read) {
        return story.hit(
                HEADERS, new String[] {url}, P, 1, method, 1, 1, flags, rest, beginNs, read, S, TCP, received, 7, 8, 9);
    }

    private Scenario body(long rest, long received) {
        return story.hit(BODY, new String[0], P, 1, F_CONTENT_LENGTH, rest, S, TCP, received, 7, 8, 9);
    }

    private Scenario answer(long atNs, int status) {
        return story.at(atNs).lasting(5).write(S, 120).at(atNs + 1).line(S, "HTTP/1.1 " + status + " OK");
    }

    @Test
    void aRequestWithoutABodyIsToldByItsHeadersAndTheWriteOfItsAnswer() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80").at(20);
        headers("/a", 15, 1, 0, 0, 70, 70);
        answer(30, 200);
        story.at(60);
        headers("/b", 55, 2, 0, 0, 130, 60);
        answer(70, 404);

        Scenario.Result result = story.at(90).close(S).assemble();
        Request first = result.of("/a");
        assertThat(first.startNs()).isEqualTo(15);
        assertThat(first.headNs()).isEqualTo(31);
        assertThat(first.endNs()).isEqualTo(35);
        assertThat(first.method()).isEqualTo("GET");
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(first.keepAlive()).isEqualTo(KeepAlive.YES);
        assertThat(first.remote()).isEqualTo("127.0.0.1:4711");
        assertThat(first.receivedBytes()).isEqualTo(70);
        assertThat(first.sentBytes()).isEqualTo(120);
        assertThat(first.split().javascriptNs()).isEqualTo(-1);
        assertThat(first.split().networkNs()).isEqualTo(-1);
        Request second = result.of("/b");
        assertThat(second.method()).isEqualTo("HEAD");
        assertThat(second.status()).isEqualTo(404);
        assertThat(second.receivedBytes()).isEqualTo(60);
    }

    /** The head of the second request was read in two pieces. */
    @Test
    void withoutLossesMoreBytesAreThoseOfTheRequest() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80").at(20);
        headers("/a", 15, 1, 0, 0, 70, 70);
        answer(30, 200);
        story.at(60);
        headers("/c", 55, 1, 0, 0, 200, 60);
        answer(70, 404);

        Scenario.Result result = story.at(90).close(S).assemble();
        assertThat(result.of("/a").outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(result.of("/a").endNs()).isEqualTo(35);
        assertThat(result.of("/c").receivedBytes()).isEqualTo(130);
    }

    @Test
    void aConnectionThatIsOlderThanTheCaptureCountsFromTheReadingAtHand() throws IOException {
        story.at(20);
        headers("/a", 15, 1, 0, 0, 5070, 70);
        answer(30, 200);

        assertThat(story.at(90).close(S).assemble().only().receivedBytes()).isEqualTo(70);
    }

    @Test
    void whatIsNotToldIsUnknown() throws IOException {
        story.at(20).hit(HEADERS, new String[] {"/a"}, P, 1, 1, 1, 1, 0, 0, 15, 70, 0xbad, 0x400123, 70, TLS, S, 5000);
        answer(30, 200);

        Request request = story.at(90).close(S).assemble().only();
        assertThat(request.isTls()).isTrue();
        assertThat(request.status()).isEqualTo(200);
        assertThat(request.receivedBytes()).isEqualTo(-1);
    }

    @Test
    void throughTlsTheStreamBelowIsTheConnectionAndItsBytesCount() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80");
        story.at(20).hit(HEADERS, new String[] {"/a"}, P, 1, 1, 1, 1, 0, 0, 15, 70, 0xbad, 0x400123, 70, TLS, S, 900);
        answer(30, 200);

        Request request = story.at(90).close(S).assemble().only();
        assertThat(request.isTls()).isTrue();
        assertThat(request.remote()).isEqualTo("127.0.0.1:4711");
        assertThat(request.receivedBytes()).isEqualTo(900);
    }

    @Test
    void aBodyOfKnownLengthEndsWhenNothingIsLeft() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80").at(20);
        headers("/post", 15, 3, F_CONTENT_LENGTH, 100, 70, 70);
        body(50, 120);
        story.at(40);
        body(0, 170);
        answer(50, 201);

        Request request = story.at(90).close(S).assemble().only();
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.receivedBytes()).isEqualTo(170);
        assertThat(request.status()).isEqualTo(201);
    }

    @Test
    void pipelinedRequestsShareOneReading() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80").at(20);
        headers("/first", 15, 1, 0, 0, 140, 140);
        story.at(22);
        headers("/second", 21, 1, 0, 0, 140, 140);
        answer(30, 200);
        answer(40, 404);

        Scenario.Result result = story.at(90).close(S).assemble();
        assertThat(result.of("/first").status()).isEqualTo(200);
        assertThat(result.of("/first").receivedBytes()).isEqualTo(140);
        assertThat(result.of("/second").status()).isEqualTo(404);
        assertThat(result.of("/second").receivedBytes()).isZero();
    }

    /** Its begin was before the capture, or was lost; a request behind it is in the same reading. */
    @Test
    void anAnswerToARequestThatWasNotSeenToBeginIsNoOtherOnes() throws IOException {
        story.at(10).streamBegin(S).at(20);
        body(0, 5070);
        story.at(21);
        headers("/behind", 15, 1, 0, 0, 5070, 70);
        answer(30, 200);
        answer(40, 404);
        story.at(50).streamEnd().at(60).streamBegin(S).at(61);
        headers("/later", 60, 1, 0, 0, 5140, 70);
        answer(70, 201);

        Scenario.Result result = story.at(80).streamEnd().at(90).close(S).assemble();
        assertThat(result.of("/behind").outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(result.of("/behind").status()).isZero();
        assertThat(result.of("/later").status()).isEqualTo(201);
        assertThat(result.of("/later").outcome()).isEqualTo(Outcome.COMPLETE);
    }

    @Test
    void aUrlThatNodeTookOutBeforeTheHeadersWereCompleteIsOfTheSameRequest() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80");
        story.at(20).hit(URL, new String[] {"/many"}, P, 15, S, TCP, 2000, 7, 8, 9);
        story.at(21);
        headers("", 15, 1, 0, 0, 2000, 2000);
        answer(30, 200);

        Request request = story.at(90).close(S).assemble().only();
        assertThat(request.url()).isEqualTo("/many");
        assertThat(request.startNs()).isEqualTo(15);
        assertThat(request.receivedBytes()).isEqualTo(2000);
    }

    @Test
    void aClientsAnswerComesThroughJavaScript() throws IOException {
        story.at(5)
                .connect(C, "10.0.0.1:80")
                .at(10)
                .lasting(5)
                .write(C, 90)
                .at(11)
                .line(C, "GET /x HTTP/1.1");
        story.at(50).hit(DATA, new String[0], C, 60, 60);
        story.at(51).hit(ANSWER, new String[0], P, 2, 200, 1, 1, F_CONTENT_LENGTH, 80);
        story.at(60).hit(DATA, new String[0], C, 40, 100);
        // Another connection's data comes before JavaScript feeds the parser.
        story.at(61).hit(DATA, new String[0], C + 8, 40, 40);
        story.at(62).hit(ANSWER_BODY, new String[0], P, 2, F_CONTENT_LENGTH, 0);

        Request request = story.at(90).close(C).assemble().only();
        assertThat(request.status()).isEqualTo(200);
        assertThat(request.headNs()).isEqualTo(51);
        assertThat(request.endNs()).isEqualTo(62);
        assertThat(request.receivedBytes()).isEqualTo(100);
        assertThat(request.outcome()).isEqualTo(Outcome.COMPLETE);
    }

    @Test
    void anAnswerWithoutABodyEndsWithItsHeaders() throws IOException {
        story.at(5)
                .connect(C, "10.0.0.1:80")
                .at(10)
                .lasting(5)
                .write(C, 90)
                .at(11)
                .line(C, "HEAD /x HTTP/1.1");
        story.at(50).hit(DATA, new String[0], C, 60, 60);
        story.at(51).hit(ANSWER, new String[0], P, 2, 200, 1, 1, F_CHUNKED, 0);

        assertThat(story.at(90).close(C).assemble().only().endNs()).isEqualTo(51);
    }

    @Test
    void theLoopsCallbackTellsWhoseWorkTheRestIs() throws IOException {
        story.at(5).accept(S, "127.0.0.1:4711", "127.0.0.1:80");
        story.at(10).lasting(50).hit(CALLBACK, new String[0], S);
        story.at(20);
        headers("/a", 15, 1, 0, 0, 70, 70);
        story.at(30).as("within").plain();
        answer(40, 200);
        story.at(70).as("afterwards").plain();

        Scenario.Result result = story.at(90).close(S).assemble();
        assertThat(result.number("within")).isEqualTo(1);
        assertThat(result.number("afterwards")).isZero();
        assertThat(result.only().split().javascriptNs()).isEqualTo(45 - 15);
    }
}
