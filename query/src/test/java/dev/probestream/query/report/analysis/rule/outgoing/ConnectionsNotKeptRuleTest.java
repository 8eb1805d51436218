package dev.probestream.query.report.analysis.rule.outgoing;

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

/** Connections that serve one request, and those that are kept or cost little. */
class ConnectionsNotKeptRuleTest {
    private static final String STATEMENT = "SELECT name FROM users WHERE id = $1";
    private static final int REQUESTS = 30;

    @TempDir
    private Path folder;

    private PlantedCalls calls;

    @BeforeEach
    void begin() throws SQLException {
        calls = new PlantedCalls();
    }

    @AfterEach
    void close() throws SQLException {
        calls.close();
    }

    @Test
    void peerTimeAndFunctionAreNamed() throws Exception {
        asking(1, 8, true);

        List<Finding> findings = calls.planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("connections-not-kept");
        assertThat(findings.get(0).title())
                .isEqualTo(
                        "30 connections to PostgreSQL db (10.0.0.5:5432) were made for 30 requests, and each took 8.0 ms to make,"
                                + " from findUser (lib/users.js:3).");
        assertThat(findings.get(0).text())
                .contains("80 % of the time for this peer", "30 requests used them, most often GET /users.");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.MEDIUM);
    }

    @Test
    void connectionsThatStayAreKept() throws Exception {
        asking(1, 8, false);

        assertThat(calls.planted.rules(folder)).doesNotContain("connections-not-kept");
    }

    @Test
    void connectionsThatAreMadeAtOnceCostLittle() throws Exception {
        asking(1, 0.3, true);

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void connectionsForManyRequestsAreNoWaste() throws Exception {
        asking(9, 8, true);

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    private void asking(int statements, double makingMs, boolean isClosed) throws SQLException {
        for (int i = 0; i < REQUESTS; i++) {
            double atMs = 10 + i * 100;
            int stream = 1000 + i;
            long parent = calls.server("/users", atMs, atMs + makingMs + 2 * statements + 1, 200);
            calls.planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    atMs,
                    atMs + 0.1,
                    Map.of("stream", stream, "remote", "10.0.0.5:5432"));
            calls.planted.event(
                    Planted.LOOP, "node-net", "connected", atMs + 0.2, Map.of("stream", stream, "result", 0), 0);
            for (int n = 0; n < statements; n++) {
                double sentMs = atMs + makingMs + n * 2;
                calls.statement(parent, STATEMENT, sentMs, sentMs + 2, ", 'findUser (lib/users.js:3)' AS caller");
            }
            if (isClosed) {
                double closedMs = atMs + makingMs + 2 * statements + 0.5;
                calls.planted.event(
                        Planted.LOOP, "node-net", "close", closedMs, Map.of("stream", stream, "handle", 12), 0);
            }
        }
    }
}
