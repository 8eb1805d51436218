package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pool of two connections whose transactions do not end, and pools that look like it. */
class ConnectionsHeldRuleTest {
    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.poll(0, 10_000).poll(10_000, 10_001);
        // Request 1: its transaction ends. Requests 4 and 7: theirs do not.
        served(0);
        statement(5, 1, 1, "BEGIN");
        statement(10, 1, 1, "COMMIT");
        served(100);
        statement(105, 1, 4, "BEGIN");
        statement(110, 1, 4, "UPDATE account SET balance = ?");
        served(200);
        statement(205, 2, 7, "START TRANSACTION");
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void connectionsThatTransactionsHoldAreNamedWithWhoBeganThemAndWhoWaits() throws Exception {
        waiting();

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("connections-held", "errors");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .isEqualTo(
                        "All 2 connections to 127.0.0.1:5432 are held by transactions that did not end, from transfer"
                                + " (lib/bank.js:3): 4 requests wait, most often GET /transfer/:id.");
        assertThat(findings.get(0).text())
                .startsWith("The first of them was begun 9.9 s before the end of the recording")
                .contains("They were begun in 2 requests, most often GET /transfer/:id; 2 of these were answered");
        assertThat(findings.get(1).severity())
                .as("requests that their clients gave up are a consequence")
                .isEqualTo(Severity.MEDIUM);
    }

    @Test
    void aPoolWithAConnectionThatIsGivenBackIsNotHeld() throws Exception {
        waiting();
        served(9000);
        statement(9005, 3, 14, "SELECT ?");

        assertThat(planted.rules(folder)).doesNotContain("connections-held");
    }

    @Test
    void aTransactionInWhichAStatementIsUnderWayIsNotLeftOpen() throws Exception {
        statement(210, 2, 7, "UPDATE account SET balance = ?");
        planted.sql("UPDATE requests SET duration_ns = NULL WHERE mono_ns = 210000000");
        waiting();

        assertThat(planted.rules(folder)).doesNotContain("connections-held");
    }

    /** Four requests that get nothing until their clients give up. */
    private void waiting() throws SQLException {
        for (int i = 0; i < 4; i++) {
            served(1000 + i * 500);
        }
        planted.sql("UPDATE requests SET outcome = 'ABORTED', duration_ns = 5000000000"
                + " WHERE mono_ns >= 1000000000 AND side = 'SERVER'");
    }

    private void served(double atMs) throws SQLException {
        planted.request("SERVER", "/transfer/17", atMs, atMs + 50, "");
    }

    private void statement(double atMs, int connection, int parent, String statement) throws SQLException {
        planted.request(
                "CLIENT",
                "",
                atMs,
                atMs + 2,
                ("'postgresql' AS protocol, 'PostgreSQL' AS database, '%s' AS statement, '%1$s' AS operation, '127.0.0.1' AS remote_address, 5432 AS remote_port,"
                                + " %d AS local_port, %d AS parent_request_id, 'transfer (lib/bank.js:3)' AS caller")
                        .formatted(statement, 40_000 + connection, parent));
    }
}
