package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose loop is busy for 40 of each 50 ms, with 100 accepted connections in one second. */
class TlsHandshakesRuleTest {
    private static final String[] HANDSHAKE = {
        "tls_construct_server_hello",
        "state_machine",
        "ssl3_read_bytes",
        "SSL_read",
        "node::crypto::TLSWrap::ClearOut()"
    };

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        for (int turn = 0; turn < 20; turn++) {
            planted.poll(turn * 50, turn * 50 + 10);
        }
        planted.poll(1000, 1001);
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void handshakesAreNamedWithTheConnectionsAndTheRequestsThatTheyWereFor() throws Exception {
        accepted(100);
        planted.request("SERVER", "/", 5, 9, "true AS is_tls, 200 AS status");
        samples(0, 10, "bn_sqrx8x_internal");
        samples(10, 20, HANDSHAKE);
        samples(20, 40, "render /srv/app/page.js:3");

        Finding finding = planted.finding(folder, "tls-handshakes");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "TLS handshakes took 50 % of the event loop's CPU time: 100 connections were accepted for 1 request.");
        assertThat(finding.text())
                .contains(
                        "40 of 80 CPU samples of the loop are in handshakes",
                        "20 of them in RSA",
                        "keep-alive",
                        "ECDSA");
    }

    @Test
    void applicationThatSignsByItselfIsNotBlamedForItsFewHandshakes() throws Exception {
        accepted(100);
        samples(0, 10, "EVP_DigestSign", "node::crypto::Sign::SignFinal()", "sign /srv/app/token.js:3");
        samples(10, 36, "bn_sqrx8x_internal");
        samples(36, 40, HANDSHAKE);

        assertThat(planted.rules(folder)).doesNotContain("tls-handshakes");
    }

    @Test
    void applicationsFunctionThatRunsWithinAHandshakeIsNoHandshake() throws Exception {
        accepted(100);
        String[] callback = new String[HANDSHAKE.length + 1];
        callback[0] = "chooseCertificate /srv/app/sni.js:7";
        System.arraycopy(HANDSHAKE, 0, callback, 1, HANDSHAKE.length);
        samples(0, 40, callback);

        assertThat(planted.rules(folder)).doesNotContain("tls-handshakes");
    }

    @Test
    void fewLongLivedConnectionsAreHealthy() throws Exception {
        accepted(4);
        samples(0, 20, HANDSHAKE);
        samples(20, 40, "render /srv/app/page.js:3");

        assertThat(planted.rules(folder)).doesNotContain("tls-handshakes");
    }

    private void accepted(int connections) throws SQLException {
        for (int i = 0; i < connections; i++) {
            double atMs = i * 9;
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "accept",
                    atMs,
                    atMs + 0.1,
                    Map.of("stream", 1000 + i, "remote", "10.0.0.7:40000"));
            planted.event(Planted.LOOP, "node-net", "close", atMs + 5, Map.of("stream", 1000 + i, "handle", 12), 0);
        }
    }

    /** In each busy time of 40 ms, in ms from its start. */
    private void samples(double fromMs, double toMs, String... leafFirst) throws SQLException {
        long stack = planted.stack(leafFirst);
        for (int turn = 0; turn < 20; turn++) {
            planted.samples(Planted.LOOP, turn * 50 + 10 + fromMs, turn * 50 + 10 + toMs, stack);
        }
    }
}
