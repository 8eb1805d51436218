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

/** Names that cannot be looked up, and those that are looked up again and again. */
class LookupRulesTest {
    private static final int UNKNOWN_HOST = -3008;

    @TempDir
    private Path folder;

    private Planted planted;
    private int sequence;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.poll(0, 3000).poll(3000, 3001);
        sequence = 2;
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void nameThatCannotBeLookedUpIsFoundWithItsRequests() throws Exception {
        for (int i = 0; i < 4; i++) {
            lookup(i, 500, UNKNOWN_HOST);
        }

        Finding finding = planted.finding(folder, "lookups-failing");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title()).startsWith("The name rates.partner.test could not be looked up 4 times");
        assertThat(finding.text())
                .contains("4 of 4 lookups by getaddrinfo failed", "4 requests of this server failed", "GET /rates");
    }

    @Test
    void nameThatIsLookedUpForEachRequestIsFound() throws Exception {
        for (int i = 0; i < 24; i++) {
            lookup(i, 200, 0);
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("lookups-repeated");
        assertThat(findings.get(0).title()).startsWith("rates.partner.test is looked up for each request");
        assertThat(findings.get(0).text()).contains("24 lookups by getaddrinfo for 24 of 24 requests of GET /rates");
    }

    /** The name server is the cause then, not how often it is asked. */
    @Test
    void lookupsWithoutAnAnswerAreNotRepeated() throws Exception {
        for (int i = 0; i < 24; i++) {
            lookup(i, 200, 0);
        }
        planted.sql("UPDATE spans SET duration_ns = 2000000000 WHERE probe = 'DNS lookup work'");
        planted.sql("DELETE FROM spans WHERE probe = 'DNS lookup done'");

        assertThat(planted.rules(folder)).contains("slow-dns").doesNotContain("lookups-repeated");
    }

    /** Twice a name was looked up in vain, and others for some requests only, as connections are used again. */
    @Test
    void namesThatAreLookedUpNowAndThenAreNoFinding() throws Exception {
        for (int i = 0; i < 22; i++) {
            lookup(i, 200, 0);
        }
        for (int i = 22; i < 60; i++) {
            planted.request("SERVER", "/rates", i * 20, i * 20 + 2, "200 AS status");
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    /** Of a request of the server, the number of which is that of the lookup from 1. */
    private void lookup(int number, int status, int result) throws SQLException {
        double atMs = number * 20;
        int request = 700 + number;
        planted.request("SERVER", "/rates", atMs, atMs + 10, status + " AS status");
        planted.event(
                Planted.LOOP,
                "node-dns",
                "DNS lookup",
                atMs + 1,
                Map.of("host", "rates.partner.test", "request", request),
                0);
        planted.sql("INSERT INTO request_events BY NAME SELECT 1 AS capture_id, %d AS sequence, %d AS request_id"
                .formatted(sequence, number + 1));
        planted.span(
                201,
                "node-dns",
                "DNS lookup work",
                atMs + 1.1,
                atMs + 2,
                Map.of("host", "rates.partner.test", "request", request, "lookup_result", result));
        planted.span(
                Planted.LOOP,
                "node-dns",
                "DNS lookup done",
                atMs + 3,
                atMs + 4,
                Map.of("request", request, "lookup_result", result));
        sequence += 3;
    }
}
