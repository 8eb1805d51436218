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

/** The rules about statements and pools: the cause of each, and the same where it is none. */
class OutgoingRulesTest {
    private static final String ORDERS = "SELECT * FROM orders WHERE id = ***";

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
    void statementsThatAreSlowAreNamedWithWhoseTimeItWas() throws Exception {
        for (int i = 0; i < 4; i++) {
            long parent = calls.server("/orders", i * 700, i * 700 + 620, 200);
            calls.statement(parent, ORDERS, i * 700 + 5, i * 700 + 605, ", 'loadOrders (lib/orders.js:12)' AS caller");
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("slow-statement");
        Finding finding = findings.get(0);
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("The statement \"" + ORDERS
                        + "\" takes 600 ms on average at PostgreSQL db (10.0.0.5:5432), from"
                        + " loadOrders (lib/orders.js:12).");
        assertThat(finding.text())
                .contains(
                        "4 of 4 statements took longer than 100 ms",
                        "Of their time 100 % was the database's, 0 % this process's own.",
                        "4 requests waited for such statements, most often GET /orders.");
    }

    /** The answer came while a turn was busy, and is read in the next one. */
    @Test
    void statementsAreNotSlowWhileTheLoopIsBusyOrHasNoCpu() throws Exception {
        double atMs = 8001;
        for (int i = 0; i < 4; i++) {
            planted.poll(atMs, atMs + 20).poll(atMs + 400, atMs + 400.01).poll(atMs + 450, atMs + 460);
            calls.statement(0, ORDERS, atMs + 10, atMs + 440, "");
            calls.statement(0, "UPDATE orders SET paid = ***", atMs + 460, atMs + 800, "");
            planted.offCpu(Planted.LOOP, atMs + 470, atMs + 800, true);
            atMs += 1000;
        }

        assertThat(planted.rules(folder)).doesNotContain("slow-statement", "slow-peer");
    }

    @Test
    void commandsThatWaitByTheirMeaningAreNotSlow() throws Exception {
        for (int i = 0; i < 4; i++) {
            calls.client(0, "redis", "BLPOP", i * 1000, i * 1000 + 900, 6379, ", 'BLPOP *** ***' AS statement");
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void statementsThatEachRequestRepeatsAreFound() throws Exception {
        repeating(25);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("statements-repeated");
        assertThat(findings.get(0).title())
                .isEqualTo("GET /orders sends the statement \"" + ORDERS
                        + "\" 25 times per request, from loadOrders (lib/orders.js:12).");
        assertThat(findings.get(0).text()).contains("4 of 4 requests", "83 % of the time of these requests");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.MEDIUM);
    }

    @Test
    void statementsThatAreRepeatedAreFoundThoughItIsNotKnownForWhom() throws Exception {
        repeating(25);
        planted.sql("UPDATE requests SET parent_request_id = NULL");

        assertThat(planted.finding(folder, "statements-repeated").title())
                .isEqualTo(
                        "The statement \"" + ORDERS
                                + "\" is sent 25 times per request of GET /orders on average, from loadOrders (lib/orders.js:12).");
    }

    @Test
    void statementsThatAreRepeatedAreFoundThoughTheirTimesAreNotKnown() throws Exception {
        repeating(25);
        planted.sql(
                "UPDATE requests SET outcome = 'UNKNOWN', duration_ns = NULL, network_ns = NULL WHERE side = 'CLIENT'");

        Finding finding = planted.finding(folder, "statements-repeated");

        assertThat(finding.title()).contains("25 times per request, from loadOrders");
        assertThat(finding.text())
                .contains("How long 100 of them took is not known.")
                .doesNotContain("%");
    }

    @Test
    void statementsOfUnknownOwnersAreThoseOfTheRoutesDuringWhichTheyAreSent() throws Exception {
        repeating(25);
        for (int i = 0; i < 40; i++) {
            calls.server("/health", 4000 + i * 10, 4000 + i * 10 + 1, 200);
        }
        planted.sql("UPDATE requests SET parent_request_id = NULL");

        assertThat(planted.finding(folder, "statements-repeated").title())
                .isEqualTo(
                        "The statement \"" + ORDERS
                                + "\" is sent 25 times per request of GET /orders on average, from loadOrders (lib/orders.js:12).");
    }

    @Test
    void statementsThatARequestNeedsAFewTimesAreNotRepeated() throws Exception {
        repeating(5);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void callsThatEachRequestRepeatsOneAfterTheOtherAreFound() throws Exception {
        calling(30, 0);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("calls-repeated");
        assertThat(findings.get(0).title())
                .isEqualTo(
                        "GET /orders calls GET /prices/:id at 10.0.0.5:9000 30 times per request, one after the other,"
                                + " from priceOf (lib/prices.js:4).");
        assertThat(findings.get(0).text()).contains("4 of 4 requests", "83 % of the time of these requests");
    }

    @Test
    void callsAtTheSameTimeAreNotRepeated() throws Exception {
        calling(30, 20);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void callsThatARequestNeedsAFewTimesAreNotRepeated() throws Exception {
        calling(5, 0);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void callsThatAreTriedAgainAreNotRepeated() throws Exception {
        calling(30, 0);
        planted.sql("UPDATE requests SET status = 503 WHERE side = 'CLIENT'");

        assertThat(planted.rules(folder)).doesNotContain("calls-repeated");
    }

    @Test
    void connectionsThatAreAllInUseAreFound() throws Exception {
        waiting(300);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("connections-exhausted");
        assertThat(findings.get(0).title())
                .isEqualTo("The only connection to 10.0.0.5:9000 is in use: what is sent to it waits for 300 ms.");
        assertThat(findings.get(0).text())
                .contains("8 of 8", "8 requests of this server waited, most often GET /price.");
    }

    @Test
    void connectionsThatAreFreeSoonAreNotExhausted() throws Exception {
        waiting(5);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void waitsForAConnectionAreTheLoopsWhileItIsBusy() throws Exception {
        waiting(300);
        for (int i = 0; i < 8; i++) {
            planted.offCpu(Planted.LOOP, 100 + i * 400, 399 + i * 400, true);
        }

        assertThat(planted.rules(folder)).doesNotContain("connections-exhausted");
    }

    private void repeating(int times) throws SQLException {
        for (int i = 0; i < 4; i++) {
            long parent = calls.server("/orders", i * 1000, i * 1000 + 2.4 * times, 200);
            for (int n = 0; n < times; n++) {
                double atMs = i * 1000 + n * 2;
                calls.statement(parent, ORDERS, atMs, atMs + 2, ", 'loadOrders (lib/orders.js:12)' AS caller");
            }
        }
    }

    /** Each call is answered so many milliseconds after the next one was sent. */
    private void calling(int times, double besideMs) throws SQLException {
        for (int i = 0; i < 4; i++) {
            long parent = calls.server("/orders", i * 1000, i * 1000 + 2.4 * times + besideMs, 200);
            for (int n = 0; n < times; n++) {
                double atMs = i * 1000 + n * 2;
                calls.client(
                        parent,
                        "http",
                        "GET /prices/:id",
                        atMs,
                        atMs + 2 + besideMs,
                        9000,
                        ", 200 AS status, 'priceOf (lib/prices.js:4)' AS caller");
            }
        }
    }

    private void waiting(int waitedMs) throws SQLException {
        for (int i = 0; i < 8; i++) {
            long parent = calls.server("/price", 100 + i * 400, 450 + i * 400, 200);
            calls.client(
                    parent,
                    "http",
                    "GET /price",
                    400 + i * 400,
                    420 + i * 400,
                    9000,
                    ", " + waitedMs * 1_000_000L + " AS waited_ns");
        }
    }
}
