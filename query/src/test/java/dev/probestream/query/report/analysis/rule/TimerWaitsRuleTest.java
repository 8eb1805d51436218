package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that go on in a timer's callback, and those that go on elsewhere. */
class TimerWaitsRuleTest {
    private static final List<String> SETS =
            List.of("node-http", "node-net", "node-db", "node-dns", "node-fs", "node-pool", "node-loop");

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.poll(0, 9000).poll(9000, 9001);
        for (String set : SETS) {
            planted.event(Planted.LOOP, set, "a probe", 0, Map.of("fd", 1), 0);
        }
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void routeAndTimeAreNamed() throws Exception {
        sleeping(300, "timers");

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("timer-waits", "healthy");
        assertThat(findings.get(0).title())
                .isEqualTo("Requests of GET /orders wait for a timer, for 300 ms on average.");
        assertThat(findings.get(0).text()).contains("10 of 10 requests", "100 % of their time");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.NOTE);
        assertThat(findings.get(1).title()).isEqualTo("Nothing else stands out.");
    }

    @Test
    void whatGoesOnElsewhereWaitsForNoTimer() throws Exception {
        sleeping(300, "check");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void shortDelaysAreNotNoted() throws Exception {
        sleeping(60, "timers");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    private void sleeping(double sleepMs, String phase) throws SQLException {
        for (int i = 0; i < 10; i++) {
            double fromMs = 100 + i * 500;
            double toMs = fromMs + sleepMs + 1;
            planted.request("SERVER", "/orders", fromMs, toMs, "200 AS status");
            planted.request(
                    "CLIENT",
                    "/",
                    fromMs + sleepMs,
                    toMs - 0.1,
                    (2 * i + 1) + " AS parent_request_id, 'http' AS protocol, 'GET /price' AS operation,"
                            + " '10.0.0.5' AS remote_address, 9000 AS remote_port, 200 AS status, 900000 AS network_ns");
            planted.span(Planted.LOOP, "node-loop", phase, fromMs + sleepMs - 0.1, fromMs + sleepMs + 0.1, Map.of(), 0);
        }
    }
}
