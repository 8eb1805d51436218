package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowPeerRuleTest {
    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void peerThatRespondsLateIsNamed() throws Exception {
        sent(9000, "1200000000 AS network_ns");

        Finding finding = planted.finding(folder, "slow-peer");

        assertThat(finding.title()).isEqualTo("The peer 10.0.0.5:9000 responds late: after 1.2 s on average.");
        assertThat(finding.text()).contains("GET /price");
    }

    @Test
    void peersThatAreUnknownAreNotOnePeer() throws Exception {
        for (int i = 0; i < 4; i++) {
            planted.request("CLIENT", "/old", i, i + 1200, "1200000000 AS network_ns");
        }
        planted.poll(0, 2000).poll(2000, 2001);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void peerOnAPortThatTheProcessListensOnElsewhereIsNamed() throws Exception {
        sent(9000, "1200000000 AS network_ns");
        planted.request("SERVER", "/", 0, 5, "'10.0.0.9' AS local_address, 9000 AS local_port");

        assertThat(planted.finding(folder, "slow-peer").title()).startsWith("The peer 10.0.0.5:9000 responds late");
    }

    @Test
    void peerBehindAUnixSocketIsNamedByItsPath() throws Exception {
        for (int i = 0; i < 4; i++) {
            planted.request("CLIENT", "/x", i, i + 1200, "'/run/x.sock' AS remote_address, 1200000000 AS network_ns");
        }
        planted.poll(0, 2000).poll(2000, 2001);

        assertThat(planted.finding(folder, "slow-peer").title()).startsWith("The peer /run/x.sock responds late");
    }

    @Test
    void responsesThatWaitForTheOwnLoopAreNotSlowPeers() throws Exception {
        sent(9000, "10000000 AS network_ns, 1190000000 AS loop_wait_ns");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void requestsToTheProcessItselfAreNotSlowPeers() throws Exception {
        sent(9000, "1200000000 AS network_ns");
        planted.request("SERVER", "/price", 0, 5, "9000 AS local_port");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    private void sent(int port, String more) throws SQLException {
        for (int i = 0; i < 4; i++) {
            planted.request(
                    "CLIENT",
                    "/price",
                    i,
                    i + 1200,
                    "'10.0.0.5' AS remote_address, " + port + " AS remote_port, " + more);
        }
        planted.poll(0, 2000).poll(2000, 2001);
    }
}
