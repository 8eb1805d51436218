package dev.probestream.query.report.analysis.rule.outgoing;

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

/** Costly commands of Redis, and transactions that are held over a call. */
class DatabaseUseRulesTest {
    @TempDir
    private Path folder;

    private PlantedCalls calls;
    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        calls = new PlantedCalls();
        planted = calls.planted;
    }

    @AfterEach
    void close() throws SQLException {
        calls.close();
    }

    @Test
    void keysIsNamedWithItsCountItsCallerWhatWaitedAndWhatToUseInstead() throws Exception {
        for (int i = 0; i < 20; i++) {
            double from = i * 300;
            long parent = calls.server("/sessions", from, from + 60, 200);
            redis(parent, "KEYS", from + 5, from + 55, ", 'listSessions (lib/sessions.js:4)' AS caller");
            redis(calls.server("/profile", from + 10, from + 60, 200), "GET", from + 12, from + 56, "");
        }

        Finding finding = planted.finding(folder, "costly-commands");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("Redis 10.0.0.5:6379 ran KEYS 20 times, which goes through all of its keys,"
                        + " from listSessions (lib/sessions.js:4).");
        assertThat(finding.text())
                .contains(
                        "It took 50 ms on average",
                        "20 other commands of this process were sent meanwhile and answered later.",
                        "20 requests sent it, most often GET /sessions.",
                        "SCAN");
    }

    @Test
    void statementsThatWaitForKeysAreAConsequenceAndKeysIsNotReportedTwice() throws Exception {
        for (int i = 0; i < 6; i++) {
            double from = i * 1000;
            redis(0, "KEYS", from, from + 700, "");
            redis(0, "GET", from + 1, from + 701, "");
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("costly-commands", "slow-statement");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(1).severity()).isEqualTo(Severity.MEDIUM);
        assertThat(findings.get(1).title()).startsWith("The statement \"GET\" takes 700 ms");
        assertThat(findings.get(1).text())
                .contains("6 of them were sent while Redis ran a command for all of its keys");
    }

    @Test
    void keysOfASmallDatabaseIsANote() throws Exception {
        for (int i = 0; i < 5; i++) {
            redis(calls.server("/sessions", i * 300, i * 300 + 6, 200), "KEYS", i * 300 + 1, i * 300 + 1.2, "");
        }

        assertThat(planted.finding(folder, "costly-commands").severity()).isEqualTo(Severity.NOTE);
    }

    @Test
    void keysOfWhichTheTimesAreNotKnownIsANote() throws Exception {
        for (int i = 0; i < 5; i++) {
            redis(calls.server("/sessions", i * 300, i * 300 + 60, 200), "KEYS", i * 300 + 1, i * 300 + 50, "");
        }
        planted.sql(
                "UPDATE requests SET outcome = 'UNKNOWN', duration_ns = NULL, network_ns = NULL WHERE side = 'CLIENT'");

        Finding finding = planted.finding(folder, "costly-commands");

        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
        assertThat(finding.title()).startsWith("Redis 10.0.0.5:6379 ran KEYS 5 times");
        assertThat(finding.text())
                .startsWith("Redis runs one command at a time. How long 5 of them took is not known.");
    }

    @Test
    void commandsForAllElementsCountOnlyIfTheyTakeLong() throws Exception {
        for (int i = 0; i < 5; i++) {
            redis(0, "HGETALL", i * 300, i * 300 + 1, "");
            redis(0, "SMEMBERS", i * 300 + 100, i * 300 + 130, "");
            redis(0, "GET", i * 300 + 200, i * 300 + 230, "");
        }

        assertThat(planted.findings(folder))
                .filteredOn(finding -> finding.rule().equals("costly-commands"))
                .singleElement()
                .satisfies(
                        finding -> assertThat(finding.title()).isEqualTo("Redis 10.0.0.5:6379 ran SMEMBERS 5 times."))
                .satisfies(finding -> assertThat(finding.text()).contains("SSCAN"));
    }

    @Test
    void transactionThatIsOpenDuringACallIsNamedWithRoutePeerAndTime() throws Exception {
        for (int i = 0; i < 4; i++) {
            double from = i * 400;
            long parent = calls.server("/pay/17", from, from + 120, 200);
            sql(parent, "BEGIN", from + 1, from + 2);
            sql(parent, "SELECT accounts", from + 3, from + 4);
            call(parent, from + 5, from + 105);
            sql(parent, "COMMIT", from + 106, from + 108);
        }

        Finding finding = planted.finding(folder, "transaction-held");

        assertThat(finding.title())
                .isEqualTo("GET /pay/:id keeps a transaction at PostgreSQL db (10.0.0.5:5432) open while it calls"
                        + " 10.0.0.5:8080 (POST /charge), from charge (lib/bank.js:3).");
        assertThat(finding.text())
                .startsWith("4 transactions stayed open for 107 ms on average, at most 107 ms, of which the call to"
                        + " 10.0.0.5:8080 took 100 ms.");
    }

    @Test
    void callBeforeOrAfterTheTransactionHoldsNothing() throws Exception {
        for (int i = 0; i < 4; i++) {
            double from = i * 400;
            long parent = calls.server("/pay/17", from, from + 320, 200);
            call(parent, from + 1, from + 101);
            sql(parent, "BEGIN", from + 102, from + 103);
            sql(parent, "UPDATE accounts", from + 104, from + 130);
            sql(parent, "COMMIT", from + 131, from + 132);
            call(parent, from + 133, from + 233);
        }

        assertThat(planted.rules(folder)).doesNotContain("transaction-held");
    }

    @Test
    void callOfAnotherRequestOrOfAnotherConnectionDoesNotCount() throws Exception {
        for (int i = 0; i < 4; i++) {
            double from = i * 400;
            long parent = calls.server("/pay/17", from, from + 320, 200);
            sql(parent, "BEGIN", from + 1, from + 2);
            call(calls.server("/rates", from + 2, from + 150, 200), from + 3, from + 103);
            sql(parent, "COMMIT", from + 106, from + 108);
            // Two connections of one request: which COMMIT belongs to which BEGIN is not known.
            sql(parent, "BEGIN", from + 110, from + 111);
            sql(parent, "BEGIN", from + 112, from + 113);
            call(parent, from + 115, from + 215);
            sql(parent, "COMMIT", from + 216, from + 217);
            sql(parent, "COMMIT", from + 218, from + 219);
        }

        assertThat(planted.rules(folder)).doesNotContain("transaction-held");
    }

    private void redis(long parent, String command, double fromMs, double toMs, String more) throws SQLException {
        calls.client(parent, "redis", command, fromMs, toMs, 6379, more);
    }

    private void sql(long parent, String operation, double fromMs, double toMs) throws SQLException {
        calls.client(
                parent,
                "postgresql",
                operation,
                fromMs,
                toMs,
                5432,
                ", 'db' AS peer_name, '" + operation + "' AS statement");
    }

    private void call(long parent, double fromMs, double toMs) throws SQLException {
        calls.client(
                parent,
                "http",
                "POST /charge",
                fromMs,
                toMs,
                8080,
                ", 'charge (lib/bank.js:3)' AS caller, 200 AS status");
    }
}
