package dev.probestream.cli.endtoend.program;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.MariaDbServer;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.PostgresServer;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements of requests in the table requests beside what the application did: which, for which request, to whom. */
@Tag("deep")
@KernelTest(since = "5.8")
class StatementsTruthTest {
    private static final int ALONE = 6;
    private static final int TOGETHER = 12;

    @TempDir
    private Path folder;

    @Test
    void statementsStandInTheTableWithTheRequestThatOrderedThem() throws Exception {
        record();

        assertThat(DuckDb.rows(
                        "SELECT protocol, operation, outcome, reply, error_code, peer_name, remote_port IS NOT NULL"
                                + " AS has_port, count(*) AS n FROM " + statements()
                                + " GROUP BY ALL ORDER BY protocol"))
                .containsExactly(
                        expected("mysql", "SELECT", "ROWS"),
                        expected("postgresql", "SELECT", "SELECT 1"),
                        expected("redis", "GET", "nil"));
        assertThat(DuckDb.rows(
                        "SELECT DISTINCT network_ns = duration_ns AND sent_bytes > 0 AND received_bytes > 0 AS is_told FROM "
                                + statements()))
                .containsExactly(Map.of("is_told", true));
        // Each connection is open by then: whose the first statement is after a pool has connected is not always known.
        assertThat(parents("asked < 100")).isEqualTo(3L * ALONE);
        assertThat(DuckDb.rows("SELECT statement FROM " + ordered() + " WHERE wanted <> ordering"))
                .as("statements of another request")
                .isEmpty();
        System.out.printf("at once: %d of %d statements have their request%n", parents("asked >= 100"), 3 * TOGETHER);
    }

    private static Map<String, Object> expected(String protocol, String operation, String reply) {
        return Map.of(
                "protocol",
                protocol,
                "operation",
                operation,
                "outcome",
                "COMPLETE",
                "reply",
                reply,
                "peer_name",
                "localhost",
                "has_port",
                true,
                "n",
                (long) ALONE + TOGETHER);
    }

    private void record() throws Exception {
        Path recording = folder.resolve("shop.avro");
        try (PostgresServer postgres = PostgresServer.onLoopback();
                MariaDbServer mariaDb = MariaDbServer.onLoopback();
                RedisServer redis = RedisServer.onLoopback();
                NodeFixture app = app(postgres, mariaDb, redis);
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        app.pid(),
                        "--probes",
                        "node-http,node-db,node-dns,node-loop",
                        "--show-query",
                        "--budget",
                        "off",
                        "-o",
                        recording.toString())) {
            record.awaitRecording();
            for (String line : List.of("open", "one " + ALONE, "all " + TOGETHER)) {
                assertThat(app.ask(line)).isEqualTo("done");
            }
            assertThat(record.interrupt().end()).isZero();
        }
        assertThat(RecordedFile.read(recording).lost()).isZero();
        CommandRun convert = CommandRun.run("convert", recording.toString(), "-o", folder.resolve("tables") + "/");
        assertThat(convert.exitCode()).as("%s", convert.said()).isZero();
    }

    private NodeFixture app(PostgresServer postgres, MariaDbServer mariaDb, RedisServer redis) throws Exception {
        Map<String, Object> addresses = Map.of(
                "postgres", postgres.url().replace("127.0.0.1", "localhost"),
                "mariaDb", mariaDb.url().replace("127.0.0.1", "localhost"),
                "redisPort", redis.port());
        ProcessBuilder command = new ProcessBuilder(
                NodeFixture.installedNode().path().toString(),
                NodeFixture.copied(folder, "statements.js").toString(),
                new ObjectMapper().writeValueAsString(addresses));
        command.environment().put("NODE_PATH", NodeApps.modules().toString());
        return NodeFixture.start(command);
    }

    /** How many statements have the request whose number they name. */
    private long parents(String condition) throws Exception {
        Object count = DuckDb.rows(
                        "SELECT count(*) AS n FROM " + ordered() + " WHERE wanted = ordering AND " + condition)
                .get(0)
                .get("n");
        return ((Number) Objects.requireNonNull(count)).longValue();
    }

    private String ordered() {
        return "(SELECT s.statement, asked, '/n=' || asked AS wanted, r.url AS ordering FROM (SELECT *,"
                + " regexp_extract(statement, '[0-9]+')::INTEGER AS asked FROM " + statements() + ") s LEFT JOIN "
                + requests() + " r ON r.request_id = s.parent_request_id)";
    }

    /** Those of the application, without what its libraries ask when they connect. */
    private String statements() {
        return "(SELECT * FROM " + requests()
                + " WHERE side = 'CLIENT' AND database IS NOT NULL"
                + " AND (operation = 'GET' OR statement LIKE 'SELECT % AS n'))";
    }

    private String requests() {
        return "read_parquet('" + folder.resolve("tables") + "/requests/**/*.parquet')";
    }
}
