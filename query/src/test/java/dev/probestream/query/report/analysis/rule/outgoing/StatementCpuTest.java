package dev.probestream.query.report.analysis.rule.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A loop that is busy while requests repeat statements: what it is busy with decides which of the two is the cause. */
class StatementCpuTest {
    private static final String PG = "/srv/app/node_modules/pg/lib/client.js";
    private static final String OWN = "render /srv/app/lib/page.js:7";
    private static final long CONNECTION = 0x7700;

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        double[] turnsMs = new double[100];
        Arrays.fill(turnsMs, 9);
        planted.turns(turnsMs);
        PlantedCalls calls = new PlantedCalls(planted);
        long writer = planted.stack(
                "writeGeneric node:net:1", "query " + PG + ":500", "loadOrders /srv/app/lib/orders.js:12");
        for (int request = 0; request < 4; request++) {
            double fromMs = 250 * request;
            long parent = calls.server("/orders", fromMs, fromMs + 245, 200);
            for (int n = 0; n < 25; n++) {
                double atMs = fromMs + 8 * n;
                calls.statement(parent, "SELECT * FROM orders WHERE id = ***", atMs, atMs + 5, "");
                planted.span(Planted.LOOP, "node-db", "statement", atMs, atMs + 5, Map.of("stream", CONNECTION));
                planted.event(
                        Planted.LOOP, "node-callers", "caller of write", atMs, Map.of("stream", CONNECTION), writer);
            }
        }
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void aLoopThatIsBusyWithSendingThemIsAConsequence() throws Exception {
        planted.samples(Planted.LOOP, 1, 600, planted.stack("parse " + PG + ":90", "onread node:net:2"));
        planted.samples(Planted.LOOP, 601, 1000, planted.stack(OWN));

        List<Finding> findings = planted.findings(folder);

        assertThat(findings.get(0).rule()).isEqualTo("statements-repeated");
        Finding burnt = planted.finding(folder, "cpu-burnt");
        assertThat(burnt.isConsequence()).isTrue();
        assertThat(burnt.text())
                .endsWith("A consequence of the repeated statement (statements-repeated), or prolonged by it:"
                        + " 60 % of the loop's CPU samples are in the packages that send it (pg).");
    }

    @Test
    void aLoopThatIsBusyWithSomethingElseIsNot() throws Exception {
        planted.samples(Planted.LOOP, 1, 300, planted.stack("parse " + PG + ":90", "onread node:net:2"));
        planted.samples(Planted.LOOP, 301, 1000, planted.stack(OWN));

        assertThat(planted.finding(folder, "cpu-burnt").isConsequence()).isFalse();
    }

    /** A package that is on these stacks only around the application's function does not send them. */
    @Test
    void whatCallsTheApplicationIsNotWhatSends() throws Exception {
        planted.sql("INSERT INTO stacks BY NAME SELECT 1 AS capture_id, 1 AS stack_id, 3 AS depth, 'JS' AS kind,"
                + " 'handle' AS symbol, '/srv/app/node_modules/express/lib/router.js' AS file, 1 AS line");
        planted.samples(
                Planted.LOOP, 1, 1000, planted.stack(OWN, "handle /srv/app/node_modules/express/lib/router.js:1"));

        assertThat(planted.finding(folder, "cpu-burnt").isConsequence()).isFalse();
    }
}
