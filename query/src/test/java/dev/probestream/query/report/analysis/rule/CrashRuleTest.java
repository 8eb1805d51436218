package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
                /srv/app/node_modules/x/a.js:3

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
    void errorEventHasItsMakerAndItsEmitter() throws Exception {
        died("""
                node:events:497

                Error: part missing
                    at makePart (/srv/app/lib/part.js:7:34)
                    at listOnTimeout (node:internal/timers:581:17)
                Emitted 'error' event at:
                    at Timeout.check [as _onTimeout] (/srv/app/lib/check.js:6:75) ***
                  code: 'EPART'
                """);

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.title())
                .isEqualTo(
                        "Process 100 (node) died of an 'error' event without a listener: Error: part missing (EPART),"
                                + " made in makePart (lib/part.js:7), while serving GET /b.");
        assertThat(finding.text())
                .isEqualTo("It ended with exit code 1. The event was emitted in Timeout.check (lib/check.js:6).");
    }

    @Test
    void errorThatOnlyNodeKnowsNamesTheObjectWithoutAListener() throws Exception {
        died("""
                node:events:505

                Error: socket hang up
                    at Socket.socketOnEnd (node:_http_client:790:25)
                    at Socket.emit (node:events:526:24)
                Emitted 'error' event on ClientRequest instance at:
                    at emitErrorEvent (node:_http_client:114:11) ***
                  code: 'ECONNRESET'
                """);

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.title())
                .contains("an 'error' event without a listener on ClientRequest: Error: socket hang up (ECONNRESET),"
                        + " made in Socket.socketOnEnd (node:_http_client:790)");
        assertThat(finding.text())
                .contains(
                        "No function of the application is in the error's stack. The ClientRequest that failed needs a"
                                + " listener for 'error'.");
    }

    @Test
    void errorOfAParserIsPlacedAtItsCaller() throws Exception {
        died("""
                <anonymous_script>:1

                SyntaxError: Unexpected end of JSON input
                    at JSON.parse (<anonymous>)
                    at onConfig (/srv/app/lib/config.js:9:106)
                """);

        assertThat(planted.findings(folder).get(0).title())
                .contains("an uncaught exception: SyntaxError: Unexpected end of JSON input, thrown in onConfig"
                        + " (lib/config.js:9)");
    }

    @Test
    void errorThatWasKeptHasBothPlaces() throws Exception {
        died("""
                /srv/app/lib/late.js:18

                Error: no part
                    at makePart (/srv/app/lib/part.js:7:34)
                """);

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.title()).contains("Error: no part, made in makePart (lib/part.js:7)");
        assertThat(finding.text()).contains("It was thrown in lib/late.js:18.");
    }

    @Test
    void errorOfAWorkerIsNoErrorOfItsParent() throws Exception {
        planted.thread(101, "worker");
        planted.event(101, SET, "uncaught error", 899, arguments("isolate", 8, "from", 0), 0);
        died("""
                node:internal/event_target:1118

                RangeError [Error]: shard 7 is empty
                    at Timeout.computeShard [as _onTimeout] (/srv/app/worker.js:3:33)
                """);

        assertThat(planted.findings(folder).get(0).title())
                .contains("an uncaught error in a Worker: RangeError: shard 7 is empty, thrown in Timeout.computeShard"
                        + " (app/worker.js:3)");
    }

    @Test
    void handlerThatExitsDoesNotHideTheError() throws Exception {
        thrown(898, 4096, planted.stack("price /srv/app/lib/a.js:5"));
        thrown(899, 512, planted.stack("other /srv/app/lib/b.js:6"));
        uncaught(900, 4096);
        exits(902, planted.stack("onFatal /srv/app/main.js:2"));

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.title())
                .isEqualTo("Process 100 (node) ended with exit code 7 after an uncaught exception that a handler of the"
                        + " application took, thrown in price (lib/a.js:5), while serving GET /b.");
        assertThat(finding.text())
                .startsWith("process.exit(7) was called in onFatal (app/main.js:2) 2.0 ms after the error.");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
    }

    /** The exit has another reason. */
    @Test
    void errorThatWasHandledLongAgoIsNoCause() throws Exception {
        uncaught(900, 4096);
        exits(11_000, planted.stack("stop /srv/app/main.js:2"));

        assertThat(planted.finding(folder, "crash").title())
                .startsWith("Process 100 (node) ended because process.exit(7) was called in stop (app/main.js:2)");
    }

    /** As of a process that ended before the name was read. */
    @Test
    void callerOfAFunctionWithoutANameIsNotTakenForIt() throws Exception {
        exits(900, planted.stack("JavaScript (interpreted)", "onRejection /srv/app/main.js:2"));

        Finding finding = planted.finding(folder, "crash");

        assertThat(finding.title()).startsWith("Process 100 (node) ended because process.exit(7) was called, while");
        assertThat(finding.text())
                .contains("The name of the function is not known; it ran on behalf of onRejection (app/main.js:2).");
    }

    @Test
    void handlerThatSetsTheExitCodeDoesNotHideTheError() throws Exception {
        uncaught(900, 4096);
        ended("exit_code = 7");

        assertThat(planted.finding(folder, "crash").title())
                .startsWith("Process 100 (node) ended with exit code 7 after an uncaught exception that a handler");
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

    /** The requests were aborted because it ended. */
    @Test
    void endThatAbortsRequestsStandsBeforeThem() throws Exception {
        planted.close();
        planted = new Planted();
        planted.poll(0, 950);
        for (int i = 0; i < 20; i++) {
            planted.request("SERVER", "/slow", 800, 901, "");
        }
        planted.sql("UPDATE requests SET outcome = 'ABORTED'");
        signal(15, 0, 1, 900, 0);
        ended("exit_signal = 15");

        assertThat(planted.findings(folder))
                .extracting(Finding::rule, Finding::severity)
                .startsWith(tuple("crash", Severity.MEDIUM), tuple("errors", Severity.MEDIUM));
        assertThat(planted.finding(folder, "errors").text())
                .contains("Of the failed ones 20 were open when their process ended: a consequence.");
    }

    @Test
    void processThatEndsInOrderIsNoFinding() throws Exception {
        ended("exit_code = 0");

        assertThat(planted.rules(folder)).doesNotContain("crash");
    }

    /** Of an uncaught exception of which Node prints this. */
    private void died(String text) throws SQLException {
        event("uncaught error", 900, arguments("isolate", 7, "from", 0));
        event("fatal error", 901, Map.of());
        text(902, text.replace("'", "''"));
        ended("exit_code = 1");
    }

    private void thrown(double atMs, int error, long stack) throws SQLException {
        planted.event(Planted.LOOP, "node-callers", "throw", atMs, arguments("isolate", 7, "error", error), stack);
    }

    private void uncaught(double atMs, int error) throws SQLException {
        Map<String, Object> values = arguments("isolate", 7, "from", 0);
        values.put("error", error);
        event("uncaught error", atMs, values);
    }

    private void exits(double atMs, long stack) throws SQLException {
        planted.event(Planted.LOOP, SET, "process.exit", atMs, Map.of("exit_code", 7), stack);
        planted.sql("UPDATE processes SET end_mono_ns = %d, exit_code = 7".formatted(Math.round((atMs + 10) * 1e6)));
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
