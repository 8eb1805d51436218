package dev.probestream.query.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.RecordingFolder;
import dev.probestream.query.Recordings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The view {@code outgoing}, of a capture of 2 s with two served requests and what they, or none, asked of others. */
class OutgoingViewTest {
    private static final String REQUESTS = """
            INSERT INTO captures BY NAME SELECT 1 AS capture_id, now() AS ts, 0 AS mono_ns, 2000000000 AS end_mono_ns;
            INSERT INTO requests BY NAME
            SELECT 1 AS capture_id, 10 AS pid, 10 AS tid, 0 AS mono_ns, 'COMPLETE' AS outcome, 'SERVER' AS side, *
            FROM (VALUES (1, 'GET', '/orders/17?full=***', 'GET /orders/:id'), (2, 'GET', '/orders/18', 'GET /orders/:id'),
              (3, 'POST', '/login', 'POST /login')) v(request_id, method, url, operation);
            INSERT INTO requests BY NAME
            SELECT 1 AS capture_id, 10 AS pid, 10 AS tid, 'CLIENT' AS side, request_id * 1000000 AS mono_ns,
              ms * 1000000 AS duration_ns, waited_ms * 1000000 AS waited_ns,
              CASE protocol WHEN 'postgresql' THEN 'PostgreSQL' WHEN 'redis' THEN 'Redis' END AS database, * EXCLUDE (ms, waited_ms)
            FROM (VALUES
              (11, 1, 'postgresql', NULL, NULL, 'SELECT orders', NULL, '', 'db.test', '10.0.0.9', 5432, 2, NULL, 'load (lib/orders.js:12)', NULL, 'COMPLETE', 100, 10),
              (12, 2, 'postgresql', NULL, NULL, 'SELECT orders', NULL, '42P01', 'db.test', '10.0.0.9', 5432, 4, 7, 'load (lib/orders.js:12)', NULL, 'COMPLETE', 100, 10),
              (13, 3, 'postgresql', NULL, NULL, 'SELECT orders', NULL, '', 'db.test', '10.0.0.9', 5432, 6, 0, 'login (lib/login.js:3)', NULL, 'COMPLETE', 100, 10),
              (14, 1, 'http', 'GET', '/prices/7f3a8c11-94ae-4a6b', 'GET /prices/:id', 503, NULL, NULL, '10.0.0.8', 80, 30, NULL, NULL, NULL, 'COMPLETE', 50, 20),
              (15, 2, 'http', 'GET', '/prices/99?now=***', 'GET /prices/:id', 200, NULL, NULL, '10.0.0.8', 80, 20, NULL, NULL, NULL, 'COMPLETE', 50, 20),
              (16, NULL, 'http', 'POST', '/v1/metrics', 'POST /v1/metrics', 200, NULL, 'telemetry.test', '10.0.0.7', 4318, 1, NULL, 'flush (node_modules/beacon/index.js:8)', 'beacon', 'COMPLETE', 5, 500),
              (17, NULL, 'http', 'POST', '/v1/metrics', 'POST /v1/metrics', 200, NULL, 'telemetry.test', '10.0.0.7', 4318, 1, NULL, 'start (app.js:4)', NULL, 'COMPLETE', 5, 500),
              (18, NULL, 'tcp', NULL, NULL, 'connect', NULL, 'ECONNREFUSED', NULL, '::1', 6379, 1, NULL, NULL, NULL, 'ABORTED', NULL, NULL),
              (19, NULL, 'redis', NULL, NULL, 'GET', NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'OPEN', NULL, NULL)
            ) v(request_id, parent_request_id, protocol, method, url, operation, status, error_code, peer_name, remote_address, remote_port, ms,
              waited_ms, caller, caller_package, outcome, received_bytes, sent_bytes);
            """;

    @TempDir
    private Path folder;

    @Test
    void groupsByPeerAndOperationAndTellsWhoOrdered() throws Exception {
        try (Recordings recordings = recordings()) {
            Answer answer = ask(recordings, Map.of());

            assertThat(rows(answer, "peer", "protocol", "operation", "count", "per_s", "p50_ms", "p99_ms"))
                    .containsExactly(
                            "10.0.0.8:80 http GET /prices/:id 2 1 20 30",
                            "db.test:5432 postgresql SELECT orders 3 1.5 4 6",
                            "[::1]:6379 tcp connect 1 0.5 1 1",
                            "telemetry.test:4318 http POST /v1/metrics 1 0.5 1 1",
                            "telemetry.test:4318 http POST /v1/metrics 1 0.5 1 1",
                            "unknown redis GET 1 0.5 - -");
            assertThat(rows(answer, "ordered_by", "ordered", "routes", "caller", "caller_package"))
                    .containsExactly(
                            "GET /orders/:id 2 1 - -",
                            "GET /orders/:id 2 2 load (lib/orders.js:12) -",
                            "no request 1 0 - -",
                            "no request 1 0 flush (node_modules/beacon/index.js:8) beacon",
                            "no request 1 0 start (app.js:4) -",
                            "no request 1 0 - -");
        }
    }

    @Test
    void countsErrorsByCodeAndWaitsForConnections() throws Exception {
        try (Recordings recordings = recordings()) {
            Answer answer = ask(recordings, Map.of("limit", "3"));

            assertThat(rows(answer, "failed", "errors", "waited", "waited_p99_ms", "received_mb"))
                    .containsExactly("1 503 1 0 - 0", "1 42P01 1 1 7 0", "1 ECONNREFUSED 1 0 - -");
        }
    }

    @Test
    void theParameterPeerChoosesPeers() throws Exception {
        try (Recordings recordings = recordings()) {
            assertThat(ask(recordings, Map.of("peer", "telemetry%")).column("count"))
                    .containsExactly("1", "1");
        }
    }

    private static List<String> rows(Answer answer, String... columns) {
        List<List<String>> values =
                List.of(columns).stream().map(answer::column).toList();
        return IntStream.range(0, answer.rows().size())
                .mapToObj(row -> String.join(
                        " ", values.stream().map(column -> column.get(row)).toList()))
                .toList();
    }

    private static Answer ask(Recordings recordings, Map<String, String> settings) throws Exception {
        BuiltInQuery view = BuiltInQueries.load().named("outgoing");
        view.prepare(recordings, settings);
        return Answer.of(recordings.connection(), view.sql());
    }

    private Recordings recordings() throws Exception {
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute(REQUESTS);
            Path written = tables.write(folder.resolve("tables"));
            return Recordings.open(List.of(written), Limits.standard(), ConversionProgress.NONE);
        }
    }
}
