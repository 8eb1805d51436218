package dev.probestream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.RequestDetails;
import dev.probestream.convert.request.split.TimeSplit;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** What a person sees, letter by letter, and what a script reads. */
class HttpWriterTest {
    private static final TraceTimes TIMES = new TraceTimes(0, 50_000_000_000_000L, ZoneId.of("UTC"));
    private static final Request ANSWERED =
            request(Side.SERVER, 2_234_567_890L, Outcome.COMPLETE, "GET", "/items/7?q=***", 200, "127.0.0.1:51234");
    private static final Request HANGING = request(Side.CLIENT, -1, Outcome.OPEN, "", "/\u001b[2J", 0, "");

    private final LineBuffer out = new LineBuffer();

    @Test
    void aLineHasTheTimeOfTheEndAndWhatIsUnknownIsADash() {
        HttpText writer = new HttpText(TIMES);
        writer.header(out);
        writer.write(ANSWERED, "node", 1_234_567_890, out);
        writer.write(HANGING, "node", 2_000_000, out);

        assertThat(text()).isEqualTo("""
                        TIME            COMM            PID     METHOD  URL                                      STATUS      LATENCY SIDE   REMOTE
                        13:53:22.234567 node            4711    GET     /items/7?q=***                              200  1234.567 ms server 127.0.0.1:51234
                        13:53:21.002000 node            4711    -       /\\x1b[2J                                      -     2.000 ms client - (open)
                        """);
    }

    @Test
    void jsonHasNullForWhatIsUnknown() {
        HttpJson writer = new HttpJson(TIMES);
        writer.header(out);
        writer.write(ANSWERED, "node", 1_234_567_890, out);
        writer.write(HANGING, "node", 2_000_000, out);

        assertThat(text().lines())
                .containsExactly(
                        "{\"timeNs\":50001000000000,\"monotonicNs\":1000000000,\"durationNs\":1234567890,"
                                + "\"headNs\":5,\"pid\":4711,\"tid\":4712,\"comm\":\"node\",\"side\":\"server\","
                                + "\"method\":\"GET\",\"url\":\"/items/7?q=***\",\"status\":200,"
                                + "\"outcome\":\"complete\",\"remote\":\"127.0.0.1:51234\",\"local\":null,"
                                + "\"tls\":false,\"keepAlive\":true,\"receivedBytes\":100,\"sentBytes\":null}",
                        "{\"timeNs\":50001000000000,\"monotonicNs\":1000000000,\"durationNs\":null,"
                                + "\"headNs\":null,\"pid\":4711,\"tid\":4712,\"comm\":\"node\",\"side\":\"client\","
                                + "\"method\":null,\"url\":\"/\\u001b[2J\",\"status\":null,"
                                + "\"outcome\":\"open\",\"remote\":null,\"local\":null,"
                                + "\"tls\":false,\"keepAlive\":true,\"receivedBytes\":100,\"sentBytes\":null}");
    }

    static Request request(
            Side side, long endNs, Outcome outcome, String method, String url, int status, String remote) {
        return new Request(
                1,
                0,
                null,
                side,
                4711,
                4712,
                1_000_000_000,
                endNs < 0 ? -1 : 1_000_000_005,
                endNs,
                outcome,
                method,
                url,
                status,
                false,
                KeepAlive.YES,
                remote,
                "",
                100,
                -1,
                new TimeSplit(-1, -1, -1, -1, -1, -1, -1, 0),
                RequestDetails.EMPTY);
    }

    private String text() {
        return new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
    }
}
