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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlowDnsRuleTest {
    /** UV_EAI_AGAIN of uv/errno.h: no name server has answered. */
    private static final int EAI_AGAIN = -3001;

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
    void lookupsThatOccupyThePoolAreWhyOthersWaitForIt() throws Exception {
        planted.thread(201, "libuv-worker").thread(202, "libuv-worker");
        for (int i = 0; i < 10; i++) {
            Map<String, Object> request = Map.of("request", 80 + i);
            Map<String, Object> lookup = Map.of("host", "db.partner.test", "request", 80 + i);
            double fromMs = i / 2 * 300;
            planted.span(Planted.LOOP, "node-dns", "DNS lookup", i, i + 0.1, lookup);
            planted.event(Planted.LOOP, "node-dns", "DNS work queued", i, request, 0);
            planted.span(201 + i % 2, "node-dns", "DNS lookup work", fromMs + i, fromMs + 299 + i, lookup);
            planted.span(Planted.LOOP, "node-dns", "DNS lookup done", fromMs + 300 + i, fromMs + 300.1 + i, request);
        }
        planted.poll(10, 1600).poll(1600, 1601);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("slow-dns", "pool-starved");
        assertThat(findings.get(1).isConsequence()).isTrue();
        assertThat(findings.get(1).severity()).isEqualTo(Severity.MEDIUM);
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
        timeoutsOfCares();

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("slow-dns");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .startsWith(
                        "The DNS server does not answer: 6 of 6 lookups of gone.test had no answer, after 3.5 s on average");
        assertThat(findings.get(0).text())
                .contains("3 had no response when the recording ended. 3 failed (timeout).")
                .contains("The servers are those of dns.setServers() or /etc/resolv.conf: check that they run");
    }

    @Test
    void serversOfTheSystemAreNamedAndMayBeOthersForCares() throws Exception {
        timeoutsOfCares();
        planted.event(Planted.LOOP, "process", "name servers", 0, Map.of("addresses", "10.0.0.2, 10.0.0.3"), 0);

        assertThat(planted.finding(folder, "slow-dns").text())
                .contains("The servers are those of dns.setServers(), or else of /etc/resolv.conf (10.0.0.2, 10.0.0.3):"
                        + " check that they run and can be reached.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.2, 10.0.0.3 | The servers are 10.0.0.2, 10.0.0.3 (/etc/resolv.conf): check that they run and can be reached.",
                "10.0.0.2           | The server is 10.0.0.2 (/etc/resolv.conf): check that it runs and can be reached.",
                "                   | The servers are those of /etc/resolv.conf: check that they run and can be reached."
            })
    void silentServersOfGetaddrinfoAreThoseOfTheSystem(String addresses, String text) throws Exception {
        for (int i = 0; i < 4; i++) {
            lookup(i * 20_000, 15_000, 15_000, EAI_AGAIN);
        }
        planted.sql(
                "UPDATE probes SET arguments = list_transform(arguments, lambda a: {'name': a.name, 'type': a.type,"
                        + " 'unit': a.unit, 'flow': a.flow, 'column': a.\"column\", 'labels': MAP {'-3001': 'temporary failure'}})");
        if (addresses != null) {
            planted.event(Planted.LOOP, "process", "name servers", 0, Map.of("addresses", addresses), 0);
        }

        Finding finding = planted.finding(folder, "slow-dns");

        assertThat(finding.title()).startsWith("The DNS server does not answer: 4 of 4 lookups of db.partner.test");
        assertThat(finding.text()).contains(text);
    }

    private void timeoutsOfCares() throws SQLException {
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
    }

    private void lookup(double atMs, double tookMs, double resolverMs) throws SQLException {
        lookup(atMs, tookMs, resolverMs, 0);
    }

    private void lookup(double atMs, double tookMs, double resolverMs, int result) throws SQLException {
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
                Map.of("host", "db.partner.test", "request", 77, "lookup_result", result));
        planted.span(
                Planted.LOOP,
                "node-dns",
                "DNS lookup done",
                endMs,
                endMs + 0.1,
                Map.of("request", 77, "lookup_result", result));
    }
}
