package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowDnsRuleTest {
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
    void hostWhoseLookupIsSlowIsNamed() throws Exception {
        for (int i = 0; i < 4; i++) {
            lookup(i * 400, 300, 300);
        }

        Finding finding = planted.finding(folder, "slow-dns");

        assertThat(finding.title()).isEqualTo("Looking up db.partner.test took 300 ms on average.");
        assertThat(finding.text()).contains("4 of 4 lookups by getaddrinfo");
    }

    @Test
    void lookupThatWaitsForThePoolIsNotSlowItself() throws Exception {
        for (int i = 0; i < 4; i++) {
            lookup(i * 400, 300, 1);
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void unansweredQueriesOfCaresAreSlow() throws Exception {
        for (int i = 0; i < 3; i++) {
            planted.event(
                    Planted.LOOP, "node-dns", "DNS query", i * 10, Map.of("host", "gone.test", "request", 50 + i), 0);
        }
        planted.poll(0, 900).poll(900, 901);

        assertThat(planted.finding(folder, "slow-dns").text()).contains("3 had no response when the recording ended");
    }

    private void lookup(double atMs, double tookMs, double resolverMs) throws SQLException {
        Map<String, Object> request = Map.of("request", 77);
        planted.span(
                Planted.LOOP,
                "node-dns",
                "DNS lookup",
                atMs,
                atMs + 0.1,
                Map.of("host", "db.partner.test", "request", 77));
        planted.event(Planted.LOOP, "node-dns", "DNS work queued", atMs, request, 0);
        double endMs = atMs + tookMs;
        planted.span(
                201,
                "node-dns",
                "DNS lookup work",
                endMs - resolverMs,
                endMs,
                Map.of("host", "db.partner.test", "request", 77));
        planted.span(
                Planted.LOOP,
                "node-dns",
                "DNS lookup done",
                endMs,
                endMs + 0.1,
                Map.of("request", 77, "lookup_result", 0));
    }
}
