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

/** Connections that fail, and requests whose connection ends before their answer. */
class ConnectionErrorsRuleTest {
    @TempDir
    private Path folder;

    private PlantedCalls calls;
    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        calls = new PlantedCalls();
        planted = calls.planted;
    }

    @AfterEach
    void close() throws SQLException {
        calls.close();
    }

    @Test
    void connectionsThatAreRefusedAreFoundWithTheRequestsThatFailed() throws Exception {
        refused("10.0.0.5", 500);

        Finding finding = planted.finding(folder, "connection-errors");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("6 connections to stock.internal (10.0.0.5:7000) failed with ECONNREFUSED.");
        assertThat(finding.text())
                .isEqualTo("6 of 6 attempts to connect failed. 6 requests of this server failed in whose work that was,"
                        + " most often GET /stock.");
    }

    /** As Node does with a name of two addresses: the next one is tried. */
    @Test
    void addressThatIsRefusedBeforeAnotherOneIsNoError() throws Exception {
        refused("::1", 200);
        for (int i = 0; i < 6; i++) {
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i * 100 + 2,
                    i * 100 + 2.1,
                    Map.of("remote", "127.0.0.1:7000", "stream", i));
            planted.event(
                    Planted.LOOP,
                    "node-net",
                    "connected",
                    i * 100 + 3,
                    Map.of("remote", "127.0.0.1:7000", "stream", i, "result", 0),
                    0);
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void requestsThatThePeerResetsAreFoundWithTheRequestsThatFailed() throws Exception {
        for (int i = 0; i < 20; i++) {
            boolean isReset = i % 4 == 0;
            long parent = calls.server("/basket/" + i, i * 100, i * 100 + 50, isReset ? 502 : 200);
            calls.client(
                    parent,
                    "http",
                    "GET /stock/:id",
                    i * 100 + 1,
                    i * 100 + 31,
                    9000,
                    ", 'callStock (lib/stock.js:4)' AS caller, "
                            + (isReset ? "'ECONNRESET' AS error_code" : "200 AS status"));
        }
        planted.sql("UPDATE requests SET outcome = 'ABORTED' WHERE error_code = 'ECONNRESET'");

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("connection-errors", "errors");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .isEqualTo(
                        "5 of 20 requests to 10.0.0.5:9000 had no complete answer: ECONNRESET after 30 ms on average,"
                                + " from callStock (lib/stock.js:4).");
        assertThat(findings.get(0).text())
                .isEqualTo(
                        "The peer reset the connection. 5 requests of this server failed in whose work that was, most often"
                                + " GET /basket/:id.");
        assertThat(findings.get(1).title()).contains("GET /basket/:id");
    }

    /** Connections that are older than the recording may have no known peer: their share is of requests to such peers. */
    @Test
    void requestsToUnknownPeersAreCountedAmongThemselves() throws Exception {
        for (int i = 0; i < 20; i++) {
            String error = i < 5 ? "'EOF' AS error_code" : "200 AS status";
            calls.client(0, "http", "GET /stock/:id", i * 100 + 1, i * 100 + 31, 9000, ", " + error);
        }
        planted.sql("UPDATE requests SET remote_address = NULL, remote_port = NULL WHERE side = 'CLIENT'");

        assertThat(planted.finding(folder, "connection-errors").title())
                .startsWith("5 of 20 requests to peers that are not known had no complete answer: EOF after");
    }

    /** Several peers listen at the same port: one that is reached next is no other address of the one that reset. */
    @Test
    void requestsThatAreResetAreFoundThoughAnotherPeerIsConnectedTo() throws Exception {
        for (int i = 0; i < 6; i++) {
            calls.client(0, "http", "GET /stock", i * 100 + 1, i * 100 + 31, 9000, ", 'ECONNRESET' AS error_code");
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i * 100 + 32,
                    i * 100 + 32.1,
                    Map.of("remote", "10.0.0.6:9000", "stream", i));
            planted.event(
                    Planted.LOOP,
                    "node-net",
                    "connected",
                    i * 100 + 33,
                    Map.of("remote", "10.0.0.6:9000", "stream", i, "result", 0),
                    0);
        }

        assertThat(planted.finding(folder, "connection-errors").title()).startsWith("6 of 6 requests to 10.0.0.5:9000");
    }

    @Test
    void whatTheProcessGivesUpWithoutAFailureIsANote() throws Exception {
        givingUp(200, "COMPLETE");

        Finding finding = planted.finding(folder, "connection-errors");
        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
        assertThat(finding.text()).startsWith("This process closed the connection itself");
    }

    /** The client of the server leaves, and what was asked for it is given up: neither is a cause. */
    @Test
    void whatIsGivenUpForAClientThatLeftIsNoFinding() throws Exception {
        givingUp(0, "ABORTED");

        List<Finding> findings = planted.findings(folder);
        assertThat(findings).extracting(Finding::rule).containsExactly("errors");
        assertThat(findings.get(0).text()).doesNotContain("consequence");
    }

    private void refused(String address, int status) throws SQLException {
        for (int i = 0; i < 6; i++) {
            long parent = calls.server("/stock", i * 100, i * 100 + 10, status);
            calls.client(
                    parent,
                    "tcp",
                    "connect",
                    i * 100 + 1,
                    i * 100 + 1.5,
                    7000,
                    ", 'ECONNREFUSED' AS error_code," + " 'stock.internal' AS peer_name");
        }
        planted.sql("UPDATE requests SET remote_address = '" + address + "' WHERE protocol = 'tcp'");
    }

    private void givingUp(int status, String outcome) throws SQLException {
        for (int i = 0; i < 6; i++) {
            long parent = calls.server("/offers", i * 100, i * 100 + 50, status);
            calls.client(parent, "http", "GET /stock", i * 100 + 1, i * 100 + 40, 9000, ", 'ECANCELED' AS error_code");
        }
        planted.sql(
                "UPDATE requests SET outcome = '" + outcome + "', status = nullif(status, 0) WHERE side = 'SERVER'");
        planted.sql("UPDATE requests SET outcome = 'ABORTED' WHERE error_code = 'ECANCELED'");
    }
}
