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

/** Statements that wait for rows of a transaction on another connection, and what looks like that. */
class LockWaitsRuleTest {
    private static final String CHANGE = "UPDATE stock SET n = n - *** WHERE id = ***";

    /** Connections, by the port of this end. */
    private static final int HOLDING = 40001;

    private static final int WAITING = 40002;

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
    void tableRouteFunctionAndTheCallOfTheTransactionAreNamed() throws Exception {
        contended("UPDATE \"Stock\" SET n = 0", CHANGE, true);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings)
                .extracting(Finding::rule)
                .containsExactly("transaction-held", "lock-waits", "slow-statement");
        Finding finding = findings.get(1);
        assertThat(finding.title())
                .isEqualTo(
                        "Statements wait for rows of stock that another transaction has locked, at PostgreSQL db (10.0.0.5:5432):"
                                + " for 182 ms on average, from take (lib/stock.js:7).");
        assertThat(finding.text())
                .contains(
                        "8 of 8 statements",
                        "8 requests waited, most often GET /take.",
                        "most often those of GET /order (order (lib/order.js:3))",
                        "For most of this time they waited for 10.0.0.5:8080 (POST /charge), 180 ms on average.",
                        "A consequence of the transactions that stay open during a call (transaction-held)");
        assertThat(finding.isConsequence()).isTrue();
        assertThat(findings.get(2).isConsequence()).isTrue();
        assertThat(findings.get(2).text()).contains("8 of them waited for rows", "(lock-waits)");
    }

    @Test
    void transactionsThatWaitForNothingElseAreTheCause() throws Exception {
        contended("UPDATE stock SET n = 0", CHANGE, false);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("lock-waits", "slow-statement");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).isConsequence()).isFalse();
    }

    @Test
    void rowsThatAreReadToBeChangedAreLocked() throws Exception {
        contended(
                "SELECT n FROM public.stock WHERE id = *** FOR UPDATE",
                "select * from `public`.stock for share",
                false);

        assertThat(planted.finding(folder, "lock-waits").title())
                .startsWith("Statements wait for rows of public.stock ");
    }

    @Test
    void whatAStatementOnlyReadsIsNotWhatItLocks() throws Exception {
        contended("UPDATE orders SET n = (SELECT n FROM stock)", CHANGE, false);

        assertThat(planted.rules(folder)).doesNotContain("lock-waits");
    }

    @Test
    void statementsOfTheTransactionsOwnConnectionDoNotWaitForIt() throws Exception {
        for (int i = 0; i < 8; i++) {
            double from = i * 400;
            statement(0, "BEGIN", from, from + 1, HOLDING);
            statement(0, CHANGE, from + 2, from + 3, HOLDING);
            statement(0, CHANGE, from + 4, from + 200, HOLDING);
            statement(0, "COMMIT", from + 201, from + 202, HOLDING);
        }

        assertThat(planted.rules(folder)).doesNotContain("lock-waits");
    }

    @Test
    void statementsThatEndAtAnotherTimeAreSlowByThemselves() throws Exception {
        for (int i = 0; i < 8; i++) {
            double from = i * 400;
            statement(0, "BEGIN", from, from + 1, HOLDING);
            statement(0, CHANGE, from + 2, from + 3, HOLDING);
            statement(0, CHANGE, from + 10, from + 110 + i * 20, WAITING);
            statement(0, "COMMIT", from + 60, from + 61, HOLDING);
        }

        assertThat(planted.rules(folder)).containsExactly("slow-statement");
    }

    /** A proxy (PgBouncer) lets a transaction begin, or a statement run, when another one ends: whatever its table. */
    @Test
    void statementsThatWaitForAConnectionOfAProxyDoNotWaitForRows() throws Exception {
        for (int i = 0; i < 8; i++) {
            double from = i * 600;
            statement(0, "BEGIN", from, from + 1, HOLDING);
            statement(0, CHANGE, from + 2, from + 3, HOLDING);
            statement(0, CHANGE, from + 10, from + 192, WAITING);
            statement(0, "BEGIN", from + 11, from + 193, WAITING + 1);
            statement(0, "COMMIT", from + 190, from + 191, HOLDING);
            statement(0, CHANGE, from + 194, from + 195, WAITING + 1);
            statement(0, "COMMIT", from + 196, from + 197, WAITING + 1);
        }

        assertThat(planted.rules(folder)).doesNotContain("lock-waits");
    }

    /** It has its connection of the proxy since its BEGIN. */
    @Test
    void statementsOfATransactionWaitForRowsAlsoBehindAProxy() throws Exception {
        for (int i = 0; i < 8; i++) {
            double from = i * 600;
            statement(0, "BEGIN", from, from + 1, HOLDING);
            statement(0, CHANGE, from + 2, from + 3, HOLDING);
            statement(0, "BEGIN", from + 10, from + 60, WAITING);
            statement(0, CHANGE, from + 61, from + 192, WAITING);
            statement(0, "COMMIT", from + 190, from + 191, HOLDING);
            statement(0, "COMMIT", from + 196, from + 197, WAITING);
        }

        assertThat(planted.rules(folder)).contains("lock-waits");
    }

    /** With so many short ones, an answer comes with one of them anyway. */
    @Test
    void endsOfManyShortTransactionsMatchByChance() throws Exception {
        for (int i = 0; i < 8; i++) {
            double from = i * 400;
            for (int j = 0; j < 30; j++) {
                double begin = from + j * 8;
                statement(0, "BEGIN", begin, begin + 1, HOLDING);
                statement(0, CHANGE, begin + 2, begin + 3, HOLDING);
                statement(0, "COMMIT", begin + 6, begin + 7, HOLDING);
            }
            statement(0, CHANGE, from + 4, from + 239, WAITING);
        }

        assertThat(planted.rules(folder)).doesNotContain("lock-waits");
    }

    /** It answers the statement of one and the COMMIT of the other when both are on it. */
    @Test
    void aSlowDiskThatEndsWritesTogetherIsNoLock() throws Exception {
        for (int i = 0; i < 8; i++) {
            double from = i * 400;
            statement(0, "BEGIN", from, from + 1, HOLDING);
            statement(0, CHANGE, from + 2, from + 3, HOLDING);
            statement(0, CHANGE, from + 10, from + 211, WAITING);
            statement(0, "COMMIT", from + 50, from + 210, HOLDING);
        }

        assertThat(planted.rules(folder)).doesNotContain("lock-waits");
    }

    /** One transaction keeps the row for most of 190 ms, and the statement of another connection is answered behind its COMMIT. */
    private void contended(String first, String second, boolean isCalling) throws SQLException {
        for (int i = 0; i < 8; i++) {
            double from = i * 400;
            long order = calls.server("/order", from, from + 200, 200);
            statement(order, "BEGIN", from + 1, from + 2, HOLDING);
            statement(order, first, from + 3, from + 4, HOLDING, "order (lib/order.js:3)");
            if (isCalling) {
                calls.client(order, "http", "POST /charge", from + 5, from + 185, 8080, ", 200 AS status");
            }
            statement(order, "COMMIT", from + 190, from + 191, HOLDING);
            long take = calls.server("/take", from + 9, from + 195, 200);
            statement(take, second, from + 10, from + 192, WAITING, "take (lib/stock.js:7)");
        }
    }

    private void statement(long parent, String text, double fromMs, double toMs, int port) throws SQLException {
        statement(parent, text, fromMs, toMs, port, "");
    }

    private void statement(long parent, String text, double fromMs, double toMs, int port, String caller)
            throws SQLException {
        calls.client(
                parent,
                "postgresql",
                text.split(" ")[0],
                fromMs,
                toMs,
                5432,
                ", 'db' AS peer_name, '%s' AS statement, %d AS local_port, nullif('%s', '') AS caller"
                        .formatted(text, port, caller));
    }
}
