package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashRuleTest {
    private static final String SET = "node-crash";

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        // A blocked loop, which is no match for a death.
        planted.turns(1, 900, 1);
        planted.request("SERVER", "/a?x=***", 100, 200, "");
        planted.sql("INSERT INTO requests BY NAME SELECT 1 AS capture_id, 9 AS request_id, 100 AS pid, 100 AS tid,"
                + " 'SERVER' AS side, 'GET' AS method, '/b' AS url, 300000000 AS mono_ns, 'OPEN' AS outcome");
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void uncaughtErrorIsNamedWithItsThrowerAndItsRequest() throws Exception {
        event("uncaught error", 900, arguments("isolate", 7, "from", 0));
        event("fatal error", 901, Map.of());
        text(902, """
                /srv/app/lib/a.js:3

                TypeError: no price
                    at price (/srv/app/node_modules/x/a.js:3:9)
                    at order (/srv/app/lib/o.js:7:1)
                """);
        text(903, "\nNode.js v20.20.2\n");
        ended("exit_code = 1");

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.rule()).isEqualTo("crash");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("Process 100 (node) died of an uncaught exception: TypeError: no price, thrown in price"
                        + " (x/a.js:3), while serving GET /b.");
        assertThat(finding.text())
                .isEqualTo("It ended with exit code 1. The application's code called it in order (lib/o.js:7).");
        assertThat(finding.evidence()).isNotEmpty();
    }

    @Test
    void killedProcessHasItsSender() throws Exception {
        signal(9, 0, 4711, 900, 0);
        ended("exit_signal = 9");

        assertThat(planted.finding(folder, "crash").title())
                .isEqualTo("Process 100 (node) was ended by SIGKILL from process 4711 (oomd), while serving GET /b.");
    }

    @Test
    void faultHasTheFunctionInWhichItWas() throws Exception {
        signal(11, 1, 100, 900, planted.stack("decode", "handler /srv/app/lib/a.js:5"));
        signal(11, -6, 100, 901, planted.stack("raise"));
        ended("exit_signal = 11");

        assertThat(planted.finding(folder, "crash").title())
                .isEqualTo(
                        "Process 100 (node) crashed with SIGSEGV in decode, called by handler (lib/a.js:5), while serving GET /b.");
    }

    @Test
    void endWithoutACauseIsNoGuess() throws Exception {
        ended("exit_code = 4");

        Finding finding = planted.finding(folder, "crash");

        assertThat(finding.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(finding.title()).startsWith("Process 100 (node) ended with exit code 4");
        assertThat(finding.text()).contains("node-crash was not recorded");
    }

    /** As a service is stopped. */
    @Test
    void processThatWasAskedToEndIsNotAccused() throws Exception {
        signal(15, 0, 1, 900, 0);
        ended("exit_signal = 15");

        assertThat(planted.findings(folder).get(0).rule()).isEqualTo("loop-blocked");
        assertThat(planted.finding(folder, "crash").severity()).isEqualTo(Severity.MEDIUM);
    }

    @Test
    void processThatEndsInOrderIsNoFinding() throws Exception {
        ended("exit_code = 0");

        assertThat(planted.rules(folder)).doesNotContain("crash");
    }

    private void signal(int signal, int code, int sender, double atMs, long stack) throws SQLException {
        Map<String, Object> values = arguments("signal", signal, "code", code);
        values.put("sender_pid", sender);
        values.put("sender", "oomd");
        planted.event(Planted.LOOP, SET, "signal", atMs, values, stack);
    }

    private void text(double atMs, String text) throws SQLException {
        event("printed text", atMs, Map.of("text", text));
    }

    private void event(String probe, double atMs, Map<String, Object> values) throws SQLException {
        planted.event(Planted.LOOP, SET, probe, atMs, values, 0);
    }

    private static Map<String, Object> arguments(String first, int one, String second, int two) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put(first, one);
        values.put(second, two);
        return values;
    }

    private void ended(String how) throws SQLException {
        planted.sql("UPDATE processes SET end_mono_ns = 910000000, " + how);
    }
}
