package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConnectsTest {
    private static final long S = 0x1000;
    private static final long P = 0x2000;
    private static final long C = 0x1800;
    private static final long D = 0x1900;
    private static final int ECONNREFUSED = 111;
    private static final int ENOENT = 2;

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void aConnectThatFailsIsARequestOfItsOwnThatWhoeverAskedForItOrdered() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/front")
                .at(20)
                .lasting(2)
                .connect(C, "10.0.0.1:80")
                .at(25)
                .streamEnd();
        story.at(30).as("failed").connected(C, -ECONNREFUSED).at(31).close(C);
        Scenario.Result result = story.assemble();

        Request failed = result.of("");
        assertThat(failed.side()).isEqualTo(Side.CLIENT);
        assertThat(failed.details().protocol()).isEqualTo("tcp");
        assertThat(failed.details().operation()).isEqualTo("connect");
        assertThat(failed.details().errorCode()).isEqualTo("ECONNREFUSED");
        assertThat(failed.remote()).isEqualTo("10.0.0.1:80");
        assertThat(failed.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(failed.startNs()).isEqualTo(20);
        assertThat(failed.endNs()).isEqualTo(30);
        assertThat(failed.split().networkNs()).isEqualTo(10);
        assertThat(failed.parentNumber()).isEqualTo(result.of("/front").number());
        assertThat(result.number("failed")).isEqualTo(failed.number());
    }

    @Test
    void theCallbackMayComeAfterTheClose() throws IOException {
        story.at(10)
                .lasting(1)
                .connect(C, "/run/no.sock")
                .at(12)
                .close(C)
                .at(13)
                .connected(C, -ENOENT);
        Request failed = story.assemble().only();

        assertThat(failed.details().protocol()).isEqualTo("unix");
        assertThat(failed.details().errorCode()).isEqualTo("ENOENT");
        assertThat(failed.endNs()).isEqualTo(13);
    }

    @Test
    void eachAttemptIsOneAndTheOneThatSucceedsIsNone() throws IOException {
        story.at(10).lasting(1).connect(C, "[::1]:80").at(20).lasting(1).connect(D, "127.0.0.1:80");
        story.at(30).connected(C, -ECONNREFUSED).at(40).connected(D);

        assertThat(story.assemble().only().remote()).isEqualTo("[::1]:80");
    }

    @Test
    void whatIsNotThereAtTheEndIsOpenUnlessItWasUsed() throws IOException {
        story.at(10).lasting(1).connect(C, "10.0.0.1:80").at(20).lasting(1).connect(D, "10.0.0.2:80");
        story.at(30).line(D, "GET /a HTTP/1.1").at(40).plain();
        Scenario.Result result = story.assemble();

        assertThat(result.requests()).hasSize(2);
        Request open = result.of("");
        assertThat(open.outcome()).isEqualTo(Outcome.OPEN);
        assertThat(open.endNs()).isEqualTo(-1);
        assertThat(open.remote()).isEqualTo("10.0.0.1:80");
        assertThat(open.details().errorCode()).isEmpty();
    }
}
