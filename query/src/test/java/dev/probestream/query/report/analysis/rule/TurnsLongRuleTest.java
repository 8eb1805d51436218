package dev.probestream.query.report.analysis.rule;

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

/** A loop that is busy for tens of milliseconds at a time, one turn every 100 ms. */
class TurnsLongRuleTest {
    private static final int TURNS = 30;
    private static final double EVERY_MS = 100;

    @TempDir
    private Path folder;

    private Planted planted;
    private long sealing;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        // Switches are recorded.
        planted.offCpu(Planted.LOOP, 0.2, 0.4, false);
        sealing = planted.stack(
                "PKCS5_PBKDF2_HMAC",
                "pbkdf2Sync node:internal/crypto/pbkdf2:61",
                "sealInvoice /app/lib/invoice.js:8",
                "serve /app/server.js:5");
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void functionRouteAndTurnsAreNamed() throws Exception {
        turns(45, 1, sealing);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("turns-long");
        Finding finding = findings.get(0);
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("Many turns of the event loop are long: 30 of 45 ms in the median, at most 45 ms, by pbkdf2,"
                        + " called by sealInvoice (lib/invoice.js:8), for GET /invoice.");
        assertThat(finding.text())
                .startsWith("They took 1.4 s altogether (45 % of the ")
                .contains("100 % of the time of 30 requests lay in such turns.")
                .contains(
                        "100 % of the CPU samples in them lie in sealInvoice (lib/invoice.js:8). It is called by serve");
        assertThat(finding.remedy()).startsWith("Make the named function cheaper");
        assertThat(finding.evidence()).extracting(Finding.Evidence::sectionId).startsWith("loop", "requests");
    }

    @Test
    void aSmallerPartOfTheTimeIsNotHigh() throws Exception {
        turns(25, 1, sealing);

        assertThat(planted.finding(folder, "turns-long").severity()).isEqualTo(Severity.MEDIUM);
    }

    @Test
    void turnsThatAreShortAreNone() throws Exception {
        turns(18, 1, sealing);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void turnsOfManySmallRequestsAreNone() throws Exception {
        turns(45, 15, sealing);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void turnsInWhichNoRequestIsServedAreNone() throws Exception {
        turns(45, 0, sealing);
        planted.request("SERVER", "/health", 60, 61, "500000 AS javascript_ns");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void turnsThatTheMachineMakesLongAreNone() throws Exception {
        turns(45, 1, sealing);
        for (int turn = 0; turn < TURNS; turn++) {
            planted.offCpu(Planted.LOOP, turn * EVERY_MS + 5, turn * EVERY_MS + 35, true);
        }

        assertThat(planted.rules(folder)).doesNotContain("turns-long");
    }

    /** Two requests in one turn: the same work, not another cause. */
    @Test
    void someTurnsThatBlockTheLoopWithTheSameFunctionAreItsConsequence() throws Exception {
        turns(45, 1, sealing);
        turn(TURNS * EVERY_MS, 90, 2, sealing);
        turn((TURNS + 1) * EVERY_MS, 90, 2, sealing);
        turn((TURNS + 2) * EVERY_MS, 160, 2, sealing);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("turns-long", "loop-blocked");
        assertThat(findings.get(1).isConsequence()).isTrue();
    }

    @Test
    void anotherFunctionThatBlocksTheLoopIsNoConsequence() throws Exception {
        turns(45, 1, sealing);
        long parsing =
                planted.stack("Builtins_JsonParse", "parseCatalog /app/lib/catalog.js:3", "serve /app/server.js:5");
        turn(TURNS * EVERY_MS, 260, 1, parsing);

        Finding blocked = planted.finding(folder, "loop-blocked");

        assertThat(blocked.isConsequence()).isFalse();
        assertThat(blocked.title()).contains("parseCatalog");
    }

    @Test
    void turnsThatBlockTheLoopForMostOfTheirTimeAreThatOnly() throws Exception {
        turns(95, 1, sealing);

        assertThat(planted.rules(folder)).containsExactly("loop-blocked");
    }

    /** Of synchronous calls of the file system, which have a rule of their own. */
    @Test
    void turnsThatReadFilesAreOfThatRule() throws Exception {
        turns(45, 1, sealing);
        for (int turn = 0; turn < TURNS; turn++) {
            planted.span(
                    Planted.LOOP,
                    "node-fs",
                    "uv_fs_read",
                    turn * EVERY_MS + 2,
                    turn * EVERY_MS + 40,
                    java.util.Map.of("path", "/srv/page", "request", 9, "callback", 0));
        }

        assertThat(planted.rules(folder)).contains("sync-fs").doesNotContain("turns-long");
    }

    private void turns(double busyMs, int requests, long stack) throws SQLException {
        for (int turn = 0; turn < TURNS; turn++) {
            turn(turn * EVERY_MS, busyMs, requests, stack);
        }
    }

    /** A turn that begins after a poll of 1 ms and serves so many requests, one after the other. */
    private void turn(double atMs, double busyMs, int requests, long stack) throws SQLException {
        planted.poll(atMs, atMs + 1).poll(atMs + 1 + busyMs, Math.max(atMs + EVERY_MS, atMs + busyMs + 2));
        planted.samples(Planted.LOOP, atMs + 2, atMs + busyMs, stack);
        for (int i = 0; i < requests; i++) {
            double eachMs = busyMs / requests;
            double fromMs = atMs + 1 + i * eachMs;
            planted.request(
                    "SERVER", "/invoice", fromMs, fromMs + eachMs, Math.round(eachMs * 1e6) + " AS javascript_ns");
        }
    }
}
