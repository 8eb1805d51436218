package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules about what goes out: the cause of each, and the same where it is none. */
class OutgoingRulesTest {
    private static final String ORDERS = "SELECT * FROM orders WHERE id = ***";

    @TempDir
    private Path folder;

    private Planted planted;
    private int requests;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.poll(0, 8000).poll(8000, 8001);
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void statementsThatAreSlowAreNamedWithWhoseTimeItWas() throws Exception {
        for (int i = 0; i < 4; i++) {
            long parent = server("/orders", i * 700, i * 700 + 620, 200);
            statement(parent, ORDERS, i * 700 + 5, i * 700 + 605, ", 'loadOrders (lib/orders.js:12)' AS caller");
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
            statement(0, ORDERS, atMs + 10, atMs + 440, "");
            statement(0, "UPDATE orders SET paid = ***", atMs + 460, atMs + 800, "");
            planted.offCpu(Planted.LOOP, atMs + 470, atMs + 800, true);
            atMs += 1000;
        }

        assertThat(planted.rules(folder)).doesNotContain("slow-statement", "slow-peer");
    }

    @Test
    void commandsThatWaitByTheirMeaningAreNotSlow() throws Exception {
        for (int i = 0; i < 4; i++) {
            client(0, "redis", "BLPOP", i * 1000, i * 1000 + 900, 6379, ", 'BLPOP *** ***' AS statement");
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
    void statementsThatARequestNeedsAFewTimesAreNotRepeated() throws Exception {
        repeating(5);

        assertThat(planted.rules(folder)).containsExactly("healthy");
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

    @Test
    void connectionsThatAreRefusedAreFoundWithTheRequestsThatFailed() throws Exception {
        refused("10.0.0.5", 500);

        Finding finding = planted.finding(folder, "connection-errors");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("6 connections to stock.internal (10.0.0.5:7000) failed with ECONNREFUSED.");
        assertThat(finding.text())
                .isEqualTo("6 of 6 attempts to connect failed. 6 requests of this server failed in whose work that was,"
                        + " most often GET /stock.");
    }

    /** As Node does with a name of two addresses: the next one is tried. */
    @Test
    void addressThatIsRefusedBeforeAnotherOneIsNoError() throws Exception {
        refused("::1", 200);
        for (int i = 0; i < 6; i++) {
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i * 100 + 2,
                    i * 100 + 2.1,
                    Map.of("remote", "127.0.0.1:7000", "stream", i));
            planted.event(
                    Planted.LOOP,
                    "node-net",
                    "connected",
                    i * 100 + 3,
                    Map.of("remote", "127.0.0.1:7000", "stream", i, "result", 0),
                    0);
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void workThatFailsAndIsDoneAgainIsRetried() throws Exception {
        retrying(503);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("retries");
        assertThat(findings.get(0).title())
                .isEqualTo("GET /stock at 10.0.0.5:9000 was tried again 8 times after it failed.");
        assertThat(findings.get(0).text())
                .isEqualTo(
                        "Most often after 503. It was tried up to 3 times for one request; 4 first attempts became 12."
                                + " 4 requests tried again, most often GET /basket.");
    }

    @Test
    void workThatIsDoneOftenWithoutAFailureIsNotRetried() throws Exception {
        retrying(200);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void packageThatSendsWhatNoRequestOrderedIsNamed() throws Exception {
        server("/", 1, 2, 200);
        for (int i = 0; i < 3; i++) {
            client(
                    0,
                    "http",
                    "POST /v1/collect",
                    i * 1000,
                    i * 1000 + 5,
                    443,
                    ", 'stats.vendor.test' AS peer_name,"
                            + " 'report (metrics-kit/index.js:7)' AS caller, 'metrics-kit' AS caller_package");
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("calls-home");
        assertThat(findings.get(0).title())
                .isEqualTo("The package metrics-kit sent 3 requests to stats.vendor.test (10.0.0.5:443) beside the"
                        + " requests that this server serves, from report (metrics-kit/index.js:7).");
        assertThat(findings.get(0).text())
                .contains("3 of them were sent while no request was", "One every 1.0 s, most often POST /v1/collect.");
    }

    @Test
    void peerThatRequestsNeedIsNotCalledHome() throws Exception {
        long parent = server("/", 1, 20, 200);
        client(parent, "http", "GET /rates", 2, 10, 443, "");
        for (int i = 0; i < 3; i++) {
            client(
                    0,
                    "http",
                    "GET /rates",
                    i * 1000,
                    i * 1000 + 5,
                    443,
                    ", 'refresh (cache-kit/index.js:7)' AS caller," + " 'cache-kit' AS caller_package");
            client(0, "http", "GET /flags", i * 1000, i * 1000 + 5, 444, ", 'refresh (lib/flags.js:7)' AS caller");
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::severity).containsOnly(Severity.NOTE);
        assertThat(findings)
                .extracting(Finding::title)
                .anyMatch(title -> title.startsWith("The application sent 3 requests to 10.0.0.5:444"));
    }

    /** Whose they are is not known, and they are sent only while requests are served. */
    @Test
    void whatRequestsMayHaveOrderedIsNotCalledHome() throws Exception {
        for (int i = 0; i < 20; i++) {
            server("/", i * 10, i * 10 + 5, 200);
            client(
                    0,
                    "http",
                    "GET /rates",
                    i * 10 + 1,
                    i * 10 + 4,
                    443,
                    ", 'ask (rates-kit/index.js:7)' AS caller, 'rates-kit' AS caller_package");
        }

        assertThat(planted.rules(folder)).doesNotContain("calls-home");
    }

    @Test
    void whatAPackageSendsToTheServerItselfIsNamed() throws Exception {
        server("/", 1, 2, 200);
        planted.sql("UPDATE requests SET local_address = '10.0.0.5', local_port = 443");
        for (int i = 0; i < 3; i++) {
            client(
                    0,
                    "http",
                    "POST /collect",
                    i * 1000 + 10,
                    i * 1000 + 15,
                    443,
                    ", 'report (metrics-kit/index.js:7)' AS caller, 'metrics-kit' AS caller_package");
        }

        assertThat(planted.finding(folder, "calls-home").title())
                .startsWith("The package metrics-kit sent 3 requests to this process (10.0.0.5:443) beside");
    }

    @Test
    void requestsThatThePeerResetsAreFoundWithTheRequestsThatFailed() throws Exception {
        for (int i = 0; i < 20; i++) {
            boolean isReset = i % 4 == 0;
            long parent = server("/basket/" + i, i * 100, i * 100 + 50, isReset ? 502 : 200);
            client(
                    parent,
                    "http",
                    "GET /stock/:id",
                    i * 100 + 1,
                    i * 100 + 31,
                    9000,
                    ", 'callStock (lib/stock.js:4)' AS caller, "
                            + (isReset ? "'ECONNRESET' AS error_code" : "200 AS status"));
        }
        planted.sql("UPDATE requests SET outcome = 'ABORTED' WHERE error_code = 'ECONNRESET'");

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("connection-errors", "errors");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .isEqualTo(
                        "5 of 20 requests to 10.0.0.5:9000 had no complete answer: ECONNRESET after 30 ms on average,"
                                + " from callStock (lib/stock.js:4).");
        assertThat(findings.get(0).text())
                .isEqualTo(
                        "The peer reset the connection. 5 requests of this server failed in whose work that was, most often"
                                + " GET /basket/:id.");
        assertThat(findings.get(1).title()).contains("GET /basket/:id");
    }

    @Test
    void retriesOfManyIdsAreOneFinding() throws Exception {
        for (int i = 0; i < 8; i++) {
            long parent = server("/basket", i * 100, i * 100 + 50, 200);
            for (int n = 0; n < 2; n++) {
                double atMs = i * 100 + n * 10;
                client(
                        parent,
                        "http",
                        "GET /pay/:id",
                        atMs + 1,
                        atMs + 5,
                        9000,
                        ", " + (n == 0 ? 503 : 200) + " AS status");
                planted.sql("UPDATE requests SET url = '/pay/" + (1000 + i) + "' WHERE request_id = " + requests);
            }
        }

        assertThat(planted.finding(folder, "retries").title())
                .isEqualTo("GET /pay/:id at 10.0.0.5:9000 was tried again 8 times after it failed.");
    }

    /** As a loop over ids does, of which the first has failed. */
    @Test
    void anotherIdIsNoRetry() throws Exception {
        for (int i = 0; i < 8; i++) {
            long parent = server("/basket", i * 100, i * 100 + 50, 200);
            for (int n = 0; n < 2; n++) {
                double atMs = i * 100 + n * 10;
                client(
                        parent,
                        "http",
                        "GET /pay/:id",
                        atMs + 1,
                        atMs + 5,
                        9000,
                        ", " + (n == 0 ? 404 : 200) + " AS status");
                planted.sql("UPDATE requests SET status = 503, url = '/pay/" + n + "' WHERE request_id = " + requests);
            }
        }

        assertThat(planted.rules(folder)).doesNotContain("retries");
    }

    @Test
    void statementsOfUnknownOwnersAreThoseOfTheRoutesDuringWhichTheyAreSent() throws Exception {
        repeating(25);
        for (int i = 0; i < 40; i++) {
            server("/health", 4000 + i * 10, 4000 + i * 10 + 1, 200);
        }
        planted.sql("UPDATE requests SET parent_request_id = NULL");

        assertThat(planted.finding(folder, "statements-repeated").title())
                .isEqualTo(
                        "The statement \"" + ORDERS
                                + "\" is sent 25 times per request of GET /orders on average, from loadOrders (lib/orders.js:12).");
    }

    private void repeating(int times) throws SQLException {
        for (int i = 0; i < 4; i++) {
            long parent = server("/orders", i * 1000, i * 1000 + 2.4 * times, 200);
            for (int n = 0; n < times; n++) {
                double atMs = i * 1000 + n * 2;
                statement(parent, ORDERS, atMs, atMs + 2, ", 'loadOrders (lib/orders.js:12)' AS caller");
            }
        }
    }

    private void waiting(int waitedMs) throws SQLException {
        for (int i = 0; i < 8; i++) {
            long parent = server("/price", 100 + i * 400, 450 + i * 400, 200);
            client(
                    parent,
                    "http",
                    "GET /price",
                    400 + i * 400,
                    420 + i * 400,
                    9000,
                    ", " + waitedMs * 1_000_000L + " AS waited_ns");
        }
    }

    private void refused(String address, int status) throws SQLException {
        for (int i = 0; i < 6; i++) {
            long parent = server("/stock", i * 100, i * 100 + 10, status);
            client(
                    parent,
                    "tcp",
                    "connect",
                    i * 100 + 1,
                    i * 100 + 1.5,
                    7000,
                    ", 'ECONNREFUSED' AS error_code," + " 'stock.internal' AS peer_name");
        }
        planted.sql("UPDATE requests SET remote_address = '" + address + "' WHERE protocol = 'tcp'");
    }

    private void retrying(int status) throws SQLException {
        for (int i = 0; i < 4; i++) {
            long parent = server("/basket", i * 100, i * 100 + 50, 200);
            for (int n = 0; n < 3; n++) {
                double atMs = i * 100 + n * 10;
                client(
                        parent,
                        "http",
                        "GET /stock",
                        atMs + 1,
                        atMs + 5,
                        9000,
                        ", " + (n < 2 ? status : 200) + " AS status");
            }
        }
    }

    private long server(String url, double fromMs, double toMs, int status) throws SQLException {
        planted.request("SERVER", url, fromMs, toMs, status + " AS status");
        return ++requests;
    }

    private void statement(long parent, String text, double fromMs, double toMs, String more) throws SQLException {
        client(
                parent,
                "postgresql",
                "SELECT orders",
                fromMs,
                toMs,
                5432,
                ", 'db' AS peer_name, '" + text + "' AS statement" + more);
    }

    /** {@code parent}: 0 = ordered by none. */
    private void client(
            long parent, String protocol, String operation, double fromMs, double toMs, int port, String more)
            throws SQLException {
        long networkNs = Math.round((toMs - fromMs) * 1e6);
        requests++;
        planted.request(
                "CLIENT",
                "/",
                fromMs,
                toMs,
                "nullif(%d, 0) AS parent_request_id, '%s' AS protocol, '%s' AS operation,"
                                .formatted(parent, protocol, operation)
                        + " '10.0.0.5' AS remote_address, %d AS remote_port, %d AS network_ns %s"
                                .formatted(port, networkNs, more));
    }
}
