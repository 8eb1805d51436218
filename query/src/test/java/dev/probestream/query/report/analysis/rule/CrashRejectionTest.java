package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ends shortly after a promise was rejected that nothing handled: a handler of unhandledRejection may be what ended it. */
class CrashRejectionTest {
    private static final String CALLERS = "node-callers";
    private static final String EXIT =
            "Process 100 (node) ended because process.exit(7) was called in stop (app/main.js:2)";
    private static final String NOT_HANDLED = "after a promise that nothing handled was rejected";

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.poll(0, 950);
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void endNamesTheRejectionThatItFollowsAndNotThatOneCausedIt() throws Exception {
        rejected(899, 8192, 512, planted.stack("other /srv/app/lib/b.js:6"));
        rejected(900, 4096, 256, planted.stack("loadUser /srv/app/lib/a.js:5"));

        Finding finding = exits(902);

        assertThat(finding.title()).isEqualTo(EXIT + ", 2.0 ms " + NOT_HANDLED + " in loadUser (lib/a.js:5).");
        assertThat(finding.text())
                .contains("If a handler of unhandledRejection ended the process, the rejected promise");
    }

    @Test
    void rejectionIsPlacedWhereItsErrorWasThrown() throws Exception {
        planted.event(
                Planted.LOOP,
                CALLERS,
                "throw",
                899,
                arguments("isolate", 7, "error", 256),
                planted.stack("price /srv/app/lib/p.js:9"));
        rejected(900, 4096, 256, planted.stack("loadUser /srv/app/lib/a.js:5"));

        assertThat(exits(902).title()).contains(NOT_HANDLED + " by an error thrown in price (lib/p.js:9)");
    }

    @Test
    void rejectionWithoutAFunctionHasNoPlace() throws Exception {
        rejected(900, 4096, 256, 0);

        assertThat(exits(902).title()).endsWith(NOT_HANDLED + ".");
    }

    @Test
    void endWithoutACallOfExitNamesTheRejectionToo() throws Exception {
        rejected(909, 4096, 256, 0);
        planted.sql("UPDATE processes SET end_mono_ns = 910000000, exit_code = 7");

        assertThat(crash().title()).isEqualTo("Process 100 (node) ended with exit code 7, 1.0 ms " + NOT_HANDLED + ".");
    }

    /** As an await in a try block handles that of an async function which throws at once. */
    @Test
    void rejectionThatWasHandledLaterIsNotNamed() throws Exception {
        rejected(900, 4096, 256, 0);
        handled(900.5, 4096);

        assertNoRejection(exits(902));
    }

    /** The same promise at another address, or another one: neither is known. */
    @Test
    void rejectionIsNotNamedIfOneOfUnknownBeginWasHandled() throws Exception {
        rejected(900, 4096, 256, 0);
        handled(900.5, 123_456);

        assertNoRejection(exits(902));
    }

    @Test
    void rejectionIsNotNamedIfItsHandlingMayBeLost() throws Exception {
        rejected(900, 4096, 256, 0);
        planted.sql("INSERT INTO losses BY NAME SELECT 1 AS capture_id, 'rejection handled' AS probe, 3 AS count,"
                + " 800000000 AS from_mono_ns, 901000000 AS to_mono_ns");

        assertNoRejection(exits(902));
    }

    @Test
    void rejectionThatWasHandledDoesNotTakeBackAnother() throws Exception {
        rejected(899, 4096, 256, planted.stack("loadUser /srv/app/lib/a.js:5"));
        rejected(900, 8192, 512, 0);
        handled(900.5, 8192);

        assertThat(exits(902).title()).contains("in loadUser (lib/a.js:5)");
    }

    /** A handler that only logs. */
    @Test
    void rejectionLongBeforeTheEndIsNotNamed() throws Exception {
        rejected(900, 4096, 256, 0);

        assertNoRejection(exits(2000));
    }

    /** A handler may wait for its log; it may also go on, and the end have another cause. */
    @Test
    void rejectionThatMayPrecedeTheEndByChanceIsInTheTextOnly() throws Exception {
        rejected(800, 4096, 256, planted.stack("loadUser /srv/app/lib/a.js:5"));

        Finding finding = exits(900);

        assertThat(finding.title()).isEqualTo(EXIT + ".");
        assertThat(finding.text())
                .startsWith("A promise that nothing handled was rejected 100 ms before in loadUser (lib/a.js:5):"
                        + " a handler of unhandledRejection may have ended the process.");
    }

    @Test
    void oneOfManyRejectionsIsInTheTextOnly() throws Exception {
        for (int i = 0; i < 100; i++) {
            rejected(10 + 8 * i, 4096 + 8 * i, 256, 0);
        }
        rejected(900, 4096, 256, 0);

        assertThat(exits(902).title()).isEqualTo(EXIT + ".");
    }

    @Test
    void rejectionOfAnotherThreadIsNotNamed() throws Exception {
        planted.thread(101, "worker");
        planted.event(101, CALLERS, "rejection", 900, arguments("promise", 4096, "error", 256), 0);

        assertNoRejection(exits(902));
    }

    /** Without a handler of unhandledRejection it is an uncaught error next, which is what the handler gets. */
    @Test
    void rejectionThatBecameAnUncaughtErrorIsThatOnly() throws Exception {
        rejected(899, 4096, 256, 0);
        Map<String, Object> values = arguments("isolate", 7, "from", 1);
        values.put("error", 256);
        planted.event(Planted.LOOP, "node-crash", "uncaught error", 900, values, 0);

        assertThat(exits(902).title())
                .contains("after a rejected promise that a handler of the application took")
                .doesNotContain(NOT_HANDLED);
    }

    private void rejected(double atMs, int promise, int error, long stack) throws SQLException {
        planted.event(Planted.LOOP, CALLERS, "rejection", atMs, arguments("promise", promise, "error", error), stack);
    }

    private void handled(double atMs, int promise) throws SQLException {
        planted.event(Planted.LOOP, CALLERS, "rejection handled", atMs, Map.of("promise", promise), 0);
    }

    private static Map<String, Object> arguments(String first, int one, String second, int two) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put(first, one);
        values.put(second, two);
        return values;
    }

    /** By a call of process.exit; the result is the finding. */
    private Finding exits(double atMs) throws Exception {
        planted.event(
                Planted.LOOP,
                "node-crash",
                "process.exit",
                atMs,
                Map.of("exit_code", 7),
                planted.stack("stop /srv/app/main.js:2"));
        planted.sql("UPDATE processes SET end_mono_ns = %d, exit_code = 7".formatted(Math.round((atMs + 10) * 1e6)));
        return crash();
    }

    private Finding crash() throws Exception {
        return planted.finding(folder, "crash");
    }

    private static void assertNoRejection(Finding finding) {
        assertThat(finding.title() + finding.text()).doesNotContain("rejected");
    }
}
