package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that go on one after the other, and what looks like that. */
class RequestsSerializedRuleTest {
    private static final List<String> SETS =
            List.of("node-http", "node-net", "node-db", "node-dns", "node-fs", "node-pool", "node-loop");
    private static final int REQUESTS = 20;

    @TempDir
    private Path folder;

    private Planted planted;
    private int requests;

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
    void routeAndFunctionAreNamed() throws Exception {
        oneAtATime(true);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("requests-serialized");
        Finding finding = findings.get(0);
        assertThat(finding.title())
                .startsWith("Requests of GET /stock wait for each other in JavaScript, for ")
                .endsWith(" on average, and go on in takeStock (lib/stock.js:9).");
        assertThat(finding.text()).contains("19 of 20 requests of this route waited", "An async mutex");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
    }

    @Test
    void turnsOfNobodyAreThoseOfTheRequestThatEndsWithThem() throws Exception {
        oneAtATime(true);
        planted.sql("UPDATE requests SET parent_request_id = NULL");

        assertThat(planted.rules(folder)).containsExactly("requests-serialized");
    }

    @Test
    void whatMayWaitForAStatementIsNotSilent() throws Exception {
        oneAtATime(true);
        planted.sql(
                "UPDATE requests SET outcome = 'UNKNOWN', duration_ns = NULL, network_ns = NULL WHERE side = 'CLIENT'");

        assertThat(planted.rules(folder)).doesNotContain("requests-serialized");
    }

    @Test
    void constantTurnsAreFoundAsTheWaitsGrow() throws Exception {
        oneAtATime(false);

        assertThat(planted.rules(folder)).containsExactly("requests-serialized");
    }

    @Test
    void timersWithConstantIntervalsAreNoOrder() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            // Each begins 50 ms after the one before, sleeps, and is active for 50 ms.
            served(i * 50, i * 50 + 100, i * 50 + 150);
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void requestsThatSleepAndAreActiveBesideOthersAreNoOrder() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < REQUESTS; i++) {
            double resumes = i * 50 + 40 + random.nextInt(100);
            served(i * 50, resumes, resumes + 30 + random.nextInt(60));
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    /** One client sends one after the other, and each body comes a while behind its headers. */
    @Test
    void requestsOfOneClientThatWaitForTheirBodiesDoNotWaitForEachOther() throws Exception {
        Random random = new Random(5);
        double at = 1;
        for (int i = 0; i < REQUESTS; i++) {
            double body = at + 22 + random.nextInt(10);
            double end = body + 380 + random.nextInt(20);
            served(at, body, end);
            at = end + 1;
        }

        assertThat(planted.rules(folder)).doesNotContain("requests-serialized");
    }

    @Test
    void requestsThatAreInThePoolMeanwhileDoNotWaitInJavaScript() throws Exception {
        oneAtATime(true);
        planted.sql(
                "INSERT INTO request_events BY NAME SELECT 1 AS capture_id, request_id, 100000 + request_id AS sequence FROM requests"
                        + " WHERE side = 'SERVER'");
        planted.sql(
                "INSERT INTO spans BY NAME SELECT 1 AS capture_id, 100000 + request_id AS sequence, 100 AS pid, 100 AS tid,"
                        + " 'node-fs' AS category, 'open' AS probe, mono_ns, duration_ns FROM requests WHERE side = 'SERVER'");

        assertThat(planted.rules(folder)).doesNotContain("requests-serialized");
    }

    @Test
    void nothingIsSaidWhereASetWasNotWatched() throws Exception {
        oneAtATime(true);
        planted.gap("node-fs", 100, 200);

        assertThat(planted.rules(folder)).doesNotContain("requests-serialized");
    }

    @Test
    void nothingIsSaidOfABusyLoop() throws Exception {
        oneAtATime(true);
        planted.sql("DELETE FROM spans");
        planted.turns(4900, 3000);

        assertThat(planted.rules(folder)).doesNotContain("requests-serialized");
    }

    /** All come at once, and each is active when the one before is done. */
    private void oneAtATime(boolean isVarying) throws SQLException {
        Random random = new Random(3);
        double at = 1;
        for (int i = 0; i < REQUESTS; i++) {
            double active = isVarying ? 20 + random.nextInt(40) : 40;
            served(1 + i * 0.1, Math.max(at, 1 + i * 0.1), at + active);
            at += active + 0.3;
        }
    }

    /** A request that is active, which is: asks a backend, from {@code resumesMs} to shortly before its end. */
    private void served(double fromMs, double resumesMs, double toMs) throws SQLException {
        planted.request("SERVER", "/stock", fromMs, toMs, "200 AS status");
        int server = ++requests;
        requests++;
        planted.request(
                "CLIENT",
                "/",
                resumesMs + 0.1,
                toMs - 0.1,
                server
                        + " AS parent_request_id, 'http' AS protocol, 'GET /price' AS operation, '10.0.0.5' AS remote_address,"
                        + " 9000 AS remote_port, 200 AS status, " + Math.round((toMs - resumesMs - 0.2) * 1e6)
                        + " AS network_ns");
        long stack = planted.stack(
                "write node:net:1", "ask /app/node_modules/kit/ask.js:3", "takeStock /app/lib/stock.js:9");
        planted.event(Planted.LOOP, "node-callers", "caller of write", resumesMs + 0.1, Map.of("fd", 1), stack);
        planted.sql("INSERT INTO request_events BY NAME SELECT 1 AS capture_id, " + server
                + " AS request_id, max(sequence) AS sequence FROM events");
    }
}
