package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that a limiter lets wait, and what only looks so. */
class CallsLimitedRuleTest {
    private static final int REQUESTS = 40;
    private static final List<String> SETS =
            List.of("node-http", "node-net", "node-db", "node-dns", "node-fs", "node-pool");

    @TempDir
    private Path folder;

    private PlantedCalls calls;
    private final Random random = new Random(11);

    @BeforeEach
    void begin() throws SQLException {
        calls = new PlantedCalls();
        for (String set : SETS) {
            calls.planted.event(Planted.LOOP, set, "a probe", 0, Map.of("fd", 1), 0);
        }
    }

    @AfterEach
    void close() throws SQLException {
        calls.close();
    }

    @Test
    void routeLimitAndCallsAreNamed() throws Exception {
        limited(3, 0.2, "");

        List<Finding> findings = calls.planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("calls-limited");
        Finding finding = findings.get(0);
        assertThat(finding.title())
                .startsWith(
                        "Requests of GET /quotes wait for one of 3 calls of GET /slow at 10.0.0.5:9000 to end, for ")
                .endsWith(" on average: no more are let go at a time.");
        assertThat(finding.text()).contains("of 40 requests of this route that were answered waited");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
    }

    /** The mean time between answers is 63 ms. */
    @Test
    void requestsMayGoOnLateOnABusyMachine() throws Exception {
        limited(3, 10, "");

        assertThat(calls.planted.rules(folder)).containsExactly("calls-limited");
    }

    /** The requests wait for a pool of 3 connections, because each statement takes long. */
    @Test
    void waitsForSlowStatementsFollowFromThese() throws Exception {
        limited(3, 0.2, "");
        calls.planted.sql("UPDATE requests SET protocol = 'postgresql', database = 'PostgreSQL', status = NULL,"
                + " operation = 'SELECT', statement = 'SELECT pg_sleep(?)' WHERE side = 'CLIENT'");

        List<Finding> findings = calls.planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("slow-statement", "calls-limited");
        assertThat(findings.get(1).isConsequence()).isTrue();
    }

    @Test
    void waitsThatAreKnownAsThoseForAConnectionAreNone() throws Exception {
        limited(3, 0.2, ", 10000000000 AS waited_ns");

        assertThat(calls.planted.rules(folder)).doesNotContain("calls-limited");
    }

    @Test
    void requestsThatSleepBeforeTheirCallAreNotLimited() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            double atMs = 1 + i * 30;
            double sentMs = atMs + 50 + random.nextInt(300);
            called(atMs, sentMs, sentMs + 130 + random.nextInt(120), "");
        }

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    /** As many are under way at all times, and each goes on when another one ends. */
    @Test
    void constantDelaysBeforeConstantCallsAreNoLimit() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            double atMs = 1 + i * 50;
            called(atMs, atMs + 250.1 + i % 3, atMs + 400 + i % 3, "");
        }

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void callsThatAreNotLimitedAreNone() throws Exception {
        for (int i = 0; i < REQUESTS; i++) {
            double atMs = 1 + i * 30;
            called(atMs, atMs + 0.2, atMs + 130 + random.nextInt(120), "");
        }

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    /** The requests come faster than so many calls at a time answer them. */
    private void limited(int slots, double goesOnMs, String more) throws SQLException {
        double[] freeMs = new double[slots];
        for (int i = 0; i < REQUESTS; i++) {
            double atMs = 1 + i * 30;
            Arrays.sort(freeMs);
            double sentMs = Math.max(atMs, freeMs[0]) + goesOnMs;
            freeMs[0] = sentMs + 130 + random.nextInt(120);
            called(atMs, sentMs, freeMs[0], more);
        }
    }

    private void called(double atMs, double sentMs, double answeredMs, String more) throws SQLException {
        long parent = calls.server("/quotes", atMs, answeredMs + 0.1, 200);
        calls.client(parent, "http", "GET /slow", sentMs, answeredMs, 9000, ", 200 AS status" + more);
    }
}
