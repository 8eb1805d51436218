package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of a WebSocket connection are counted in the request that opened it. */
class WebSocketTest {
    private static final long S = 0x1000;
    private static final long C = 0x1001;
    private static final long P = 0x2000;
    private static final long Q = 0x2001;
    private static final String SWITCHING = "HTTP/1.1 101 Switching Protocols";
    private static final int SERVER = 1;
    private static final int CLIENT = 0;

    private static final Probe PROBE = RoleProbes.probe(97, EventKind.SPAN, Role.WEBSOCKET_CONNECTION.spelling(), "");

    static {
        for (String name : List.of(
                "stream",
                "tls",
                "accepted",
                "received_messages",
                "sent_messages",
                "received",
                "sent",
                "received_at_least",
                "sent_at_least")) {
            PROBE.getArguments().add(RoleProbes.argument(name, "s64", FlowStep.NONE));
        }
        PROBE.getArguments().add(RoleProbes.argument("remote", "str", FlowStep.NONE));
    }

    private final Scenario story = new Scenario().on(LOOP);

    private Scenario webSocket(long stream, int side, int receivedAtLeast) {
        return story.as("frames")
                .hit(PROBE, new String[] {"10.0.0.9:80"}, stream, 0, side, 12, 30, 500, 900, receivedAtLeast, 0);
    }

    /** The answer's line and the connection are seen at one place, in any order. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    void aServersRequestTellsTheMessagesAndEndsWithItsAnswer(long connectionNs) throws IOException {
        story.at(10).streamBegin(S).read(S, 100).get(P, "/chat?a=b");
        if (connectionNs < 0) {
            story.at(20 + connectionNs).lasting(1000);
            webSocket(S, SERVER, 0);
        }
        story.at(20).line(S, SWITCHING).at(20).lasting(3).write(S, 129);
        if (connectionNs > 0) {
            story.at(20 + connectionNs).lasting(1000);
            webSocket(S, SERVER, 0);
        }
        story.at(30).streamEnd().at(40).lasting(2).write(S, 8);
        Scenario.Result result = story.at(1020).close(S).assemble();

        Request request = result.only();
        assertThat(request.side()).isEqualTo(Side.SERVER);
        assertThat(request.outcome()).isEqualTo(Outcome.UPGRADED);
        assertThat(request.endNs()).isEqualTo(23);
        assertThat(request.sentBytes()).isEqualTo(129 + 900);
        assertThat(request.details().protocol()).isEqualTo("websocket");
        assertThat(request.details().operation()).isEqualTo("GET /chat");
        assertThat(request.details().reply()).isEqualTo("12 received, 30 sent");
        assertThat(result.number("frames")).isEqualTo(request.number());
    }

    @Test
    void aClientsRequestTellsThem() throws IOException {
        story.at(10).line(C, "GET /chat HTTP/1.1").at(20).streamBegin(C);
        story.at(20).lasting(1000);
        webSocket(C, CLIENT, 1);
        Request request =
                story.at(21).answer(Q, 101).at(30).streamEnd().assemble().only();
        assertThat(request.outcome()).isEqualTo(Outcome.UPGRADED);
        assertThat(request.status()).isEqualTo(101);
        assertThat(request.details().operation()).isEqualTo("GET /chat");
        assertThat(request.details().reply()).isEqualTo("at least 12 received, 30 sent");
    }

    @Test
    void withoutItsRequestAConnectionIsOneThatLastsUntilItIsClosed() throws IOException {
        story.at(10).lasting(50);
        Request closed = webSocket(S, SERVER, 0).assemble().only();
        assertThat(closed.side()).isEqualTo(Side.SERVER);
        assertThat(closed.outcome()).isEqualTo(Outcome.COMPLETE);
        assertThat(closed.endNs()).isEqualTo(60);
        assertThat(closed.method()).isEmpty();
        assertThat(closed.remote()).isEqualTo("10.0.0.9:80");
        assertThat(closed.receivedBytes()).isEqualTo(500);
        assertThat(closed.sentBytes()).isEqualTo(900);
        assertThat(closed.details().protocol()).isEqualTo("websocket");
        assertThat(closed.details().operation()).isEmpty();
        assertThat(closed.details().reply()).isEqualTo("12 received, 30 sent");
    }
}
