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

    @Test
    void aServerThatDoesNotAnswerIsNamedAsThatAndItsTimeoutsAreNoFindingOfTheirOwn() throws Exception {
        for (int i = 0; i < 6; i++) {
            Map<String, Object> query = Map.of("host", "gone.test", "request", 50 + i);
            planted.event(Planted.LOOP, "node-dns", "DNS query", i * 10, query, 0);
            if (i < 3) {
                Map<String, Object> answer = Map.of("ares_status", 1, "request", 50 + i);
                planted.event(Planted.LOOP, "node-dns", "DNS answer", 2000 + i, answer, 0);
            }
        }
        planted.poll(0, 5000).poll(5000, 5001);
        planted.sql("UPDATE probes SET arguments = list_transform(arguments, lambda a: {'name': a.name, 'type': a.type,"
                + " 'unit': a.unit, 'flow': a.flow, 'column': a.\"column\", 'labels': MAP {'1': 'timeout'}})");

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("slow-dns");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .startsWith(
                        "The DNS server does not answer: 6 of 6 lookups of gone.test had no answer, after 3.5 s on average");
        assertThat(findings.get(0).text()).contains("3 had no response when the recording ended. 3 failed (timeout).");
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
