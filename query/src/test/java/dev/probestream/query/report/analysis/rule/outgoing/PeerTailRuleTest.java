package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backend that is late for a part of the calls, and what only looks so. */
class PeerTailRuleTest {
    private static final int CALLS = 100;
    private static final double USUAL_MS = 15;
    private static final double LATE_MS = 400;

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
    void shareMedianLateDurationAndRouteAreNamed() throws Exception {
        served(i -> i % 10 == 9, LATE_MS, 0);

        List<Finding> findings = calls.planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("peer-tail");
        Finding finding = findings.get(0);
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("The peer 10.0.0.5:9000 responds late now and then: 10 % of the calls of GET /tariff take"
                        + " 400 ms, the median is 15 ms.");
        assertThat(finding.text())
                .isEqualTo(
                        "10 of 100 calls took longer than 150 ms for the network and the response, the longest 400 ms."
                                + " Of 10 requests of GET /order that took as long, 10 waited for such a call: 74 % of the time of"
                                + " all 100 requests of the route.");
        assertThat(finding.remedy()).startsWith("Set a time limit for these calls");
    }

    @Test
    void aTailThatIsASmallPartOfTheTimeIsNotHigh() throws Exception {
        served(i -> i % 20 == 19, LATE_MS, 60);

        assertThat(calls.planted.finding(folder, "peer-tail").severity()).isEqualTo(Severity.MEDIUM);
    }

    @Test
    void callsThatAreLateByLessAreNone() throws Exception {
        served(i -> i % 10 == 9, 6 * USUAL_MS, 0);

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void callsThatAreLateAtTheBeginningOnlyAreNone() throws Exception {
        served(i -> i < 10, LATE_MS, 0);

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void lateCallsThatNoSlowRequestWaitsForAreNone() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            double atMs = 1 + i * 30;
            calls.server("/order", atMs, atMs + (i % 4 == 0 ? 700 : 20), 200);
            calls.client(0, "http", "GET /tariff", atMs, atMs + (i % 10 == 9 ? LATE_MS : USUAL_MS), 9000, "");
        }

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void otherRequestsOfThePeerThatTakeLongAreNoTail() throws Exception {
        served(i -> false, LATE_MS, 0);
        for (int i = 0; i < CALLS / 10; i++) {
            double atMs = 5 + i * 300;
            long request = calls.server("/export", atMs, atMs + LATE_MS + 1, 200);
            calls.client(request, "http", "GET /export", atMs, atMs + LATE_MS, 9000, "");
        }

        assertThat(calls.planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void aPeerThatIsLateForManyCallsIsASlowPeerOnly() throws Exception {
        served(i -> i % 3 == 0, LATE_MS, 0);

        assertThat(calls.planted.rules(folder)).containsExactly("slow-peer");
    }

    /** Requests that each wait for one call and then for something else. */
    private void served(IntPredicate isLate, double lateMs, double moreMs) throws SQLException {
        for (int i = 0; i < CALLS; i++) {
            double atMs = 1 + i * 30;
            double answeredMs = atMs + (isLate.test(i) ? lateMs : USUAL_MS);
            long request = calls.server("/order", atMs, answeredMs + moreMs + 0.5, 200);
            calls.client(request, "http", "GET /tariff", atMs, answeredMs, 9000, "");
        }
    }
}
