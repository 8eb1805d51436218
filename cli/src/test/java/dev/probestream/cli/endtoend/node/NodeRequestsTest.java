package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests by the set node-requests, beside the log of the application (requests.js): what a row has is right, and what is not known is NULL. */
@KernelTest(since = "5.17")
class NodeRequestsTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    /** Of a first line. */
    private static final int MAX_BYTES = 512;

    /** Recordings until one has requests over TLS: the probes may be late on a busy machine. */
    private static final int TRIES = 20;

    private static final Map<String, String> OUTCOMES = Map.of(
            "hang", "ABORTED",
            "half", "ABORTED",
            "abort", "ABORTED",
            "upgrade", "UPGRADED");

    /** Which of several answers is theirs is not known. */
    private static final Set<String> UNKNOWN = Set.of("/piped/1", "/piped/2", "/piped/3", "/piped/5");

    /** Their first line is not at the beginning of what is read at once. */
    private static final Set<String> MISSING = Set.of(
            "/split/url?token=***",
            "/split/method",
            "/blank",
            "/missing/piped",
            "/missing/piped/2",
            "/missing/piped/6",
            "/missing/piped/8",
            "/missing/piped/10");

    @TempDir
    private Path folder;

    private int recordings;

    private interface Traffic {
        String run() throws IOException;
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatIsServedIsWhatTheServerLogs(NodeBinary node) throws Exception {
        try (NodeFixture server = start(node);
                NodeFixture client = start(node)) {
            JsonNode served = record(server, () -> {
                client.ask("ask " + server.greeting());
                client.ask("raw " + server.greeting());
                return server.ask("served");
            });

            assertServed(served);
            assertThat(lines("status, coalesce(url, '-')", "url IS NULL OR url = '/heavy'"))
                    .as("without a log of the application")
                    .containsExactly("200 -", "400 -", "400 -", "431 /heavy");
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatIsSentIsWhatTheClientLogs(NodeBinary node) throws Exception {
        try (NodeFixture server = start(node);
                NodeFixture client = start(node)) {
            JsonNode sent = record(client, () -> client.ask("ask " + server.greeting()));

            assertSent(sent);
            assertThat(lines("side, protocol, operation, error_code", "url IS NULL"))
                    .containsExactly("CLIENT tcp connect ECONNREFUSED");
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void aProcessThatAsksItselfHasBothEnds(NodeBinary node) throws Exception {
        try (NodeFixture both = start(node)) {
            List<String> sent = new ArrayList<>();
            JsonNode served = record(both, () -> {
                sent.add(both.ask("ask"));
                return both.ask("served");
            });

            assertServed(served);
            assertSent(new ObjectMapper().readTree(sent.get(0)));
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatBeganBeforeTheRecordingIsMissing(NodeBinary node) throws Exception {
        try (NodeFixture server = start(node);
                NodeFixture client = start(node)) {
            client.ask("open " + server.greeting());
            record(server, () -> client.ask("go-on " + server.greeting()));

            assertThat(lines("method, url, status, outcome", "true"))
                    .containsExactly("GET /missing/after 404 COMPLETE", "GET /release 200 COMPLETE");
        }
    }

    /** Also with the traps of node-http: of a body that goes on, the answer belongs to no request that was seen to begin. */
    @ParameterizedTest
    @MethodSource(NODES)
    void whatBeganBeforeTheTrapsGivesItsAnswerToNoOther(NodeBinary node) throws Exception {
        try (NodeFixture server = start(node);
                NodeFixture client = start(node)) {
            client.ask("open " + server.greeting());
            record(server, "node-http", () -> client.ask("go-on " + server.greeting()));

            assertThat(lines("method, url, status, outcome", "true"))
                    .containsExactly(
                            "GET /head-before 200 COMPLETE",
                            "GET /missing/after 404 COMPLETE",
                            "GET /release 200 COMPLETE",
                            "GET /missing/after-body UNKNOWN");
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatIsServedOverTlsIsKnownOnceItIsUsed(NodeBinary node) throws Exception {
        try (NodeFixture server = start(node);
                NodeFixture client = start(node)) {
            for (int i = 0; i < TRIES && (i == 0 || rows("SERVER").isEmpty()); i++) {
                JsonNode served = record(server, () -> secure(client, server) + server.ask("served"));
                for (Map<String, Object> row : rows("SERVER").values()) {
                    assertThat(row).containsEntry("is_tls", true);
                    assertServed(row, entry(served, row));
                }
            }
            assertThat(rows("SERVER")).isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatIsSentOverTlsIsKnownOnceItIsUsed(NodeBinary node) throws Exception {
        try (NodeFixture server = start(node);
                NodeFixture client = start(node)) {
            for (int i = 0; i < TRIES && (i == 0 || rows("CLIENT").isEmpty()); i++) {
                JsonNode sent = record(client, () -> secure(client, server) + client.ask("sent"));
                for (Map<String, Object> row : rows("CLIENT").values()) {
                    assertThat(row).containsEntry("is_tls", true);
                    assertSent(row, entry(sent, row));
                }
            }
            assertThat(rows("CLIENT")).isNotEmpty();
        }
    }

    private NodeFixture start(NodeBinary node) throws IOException {
        return NodeFixture.start(new ProcessBuilder(
                node.path().toString(),
                NodeFixture.copied(folder, "requests.js").toString(),
                NodeFixture.copied(folder, "truth/key.pem").toString(),
                NodeFixture.copied(folder, "truth/cert.pem").toString()));
    }

    /** Several times, so that the probes are there at the last. */
    private static String secure(NodeFixture client, NodeFixture server) throws IOException {
        for (int i = 0; i < 5; i++) {
            client.ask("secure " + server.greeting());
        }
        return "";
    }

    private static JsonNode entry(JsonNode log, Map<String, Object> row) {
        for (JsonNode entry : log) {
            if (url(entry).equals(row.get("url"))) {
                return entry;
            }
        }
        throw new AssertionError("not in the log: " + row);
    }

    private void assertServed(JsonNode log) throws Exception {
        Map<Object, Map<String, Object>> rows = rows("SERVER");
        for (JsonNode entry : log) {
            Map<String, Object> row = rows.remove(url(entry));
            if (MISSING.contains(url(entry))) {
                assertThat(row).isNull();
            } else if (UNKNOWN.contains(url(entry))) {
                assertThat(row)
                        .containsEntry("outcome", "UNKNOWN")
                        .containsEntry("method", entry.path("method").asText())
                        .doesNotContainKeys("status", "duration_ns");
            } else {
                assertServed(row, entry);
                assertThat(row).containsEntry("outcome", outcome(entry));
            }
        }
        assertThat(rows.keySet()).isSubsetOf("/heavy");
    }

    private static void assertServed(Map<String, Object> row, JsonNode entry) {
        assertAnswer(row, entry);
        long startNs = number(row, "mono_ns");
        long endNs = startNs + number(row, "duration_ns");
        assertThat(startNs).as("%s", row).isLessThan(entry.path("seenNs").asLong());
        assertThat(endNs).as("%s", row).isGreaterThan(entry.path("answeredNs").asLong());
        if (entry.path("endNs").asLong() > 0) {
            assertThat(endNs).as("%s", row).isLessThan(entry.path("endNs").asLong());
        }
    }

    private void assertSent(JsonNode log) throws Exception {
        Map<Object, Map<String, Object>> rows = rows("CLIENT");
        for (JsonNode entry : log) {
            if (!entry.path("error").asText().equals("ECONNREFUSED")) {
                Map<String, Object> row = rows.remove(url(entry));
                assertSent(row, entry);
                assertThat(row).containsEntry("outcome", outcome(entry));
            }
        }
        assertThat(rows).isEmpty();
    }

    private static void assertSent(Map<String, Object> row, JsonNode entry) {
        assertAnswer(row, entry);
        long startNs = number(row, "mono_ns");
        assertThat(startNs).as("%s", row).isGreaterThan(entry.path("sentNs").asLong());
        if (!"ABORTED".equals(row.get("outcome"))) {
            assertThat(startNs + number(row, "duration_ns"))
                    .as("%s", row)
                    .isLessThan(entry.path("endNs").asLong());
        }
    }

    private static void assertAnswer(Map<String, Object> row, JsonNode entry) {
        assertThat(row)
                .as("%s", entry)
                .isNotNull()
                .containsEntry("method", entry.path("method").asText());
        int status = entry.path("status").asInt();
        assertThat(row.getOrDefault("status", 0)).as("%s", row).isEqualTo(status);
    }

    private static long number(Map<String, Object> row, String column) {
        return (Long) Objects.requireNonNull(row.get(column), column);
    }

    private static String outcome(JsonNode entry) {
        return OUTCOMES.getOrDefault(entry.path("url").asText().split("/")[1], "COMPLETE");
    }

    /** As it is recorded. */
    private static String url(JsonNode entry) {
        String url = entry.path("url").asText().replaceAll("=[^&]*", "=***");
        int maxBytes = MAX_BYTES - entry.path("method").asText().length() - 1;
        return url.length() <= maxBytes ? url : url.substring(0, maxBytes) + "…";
    }

    private JsonNode record(NodeFixture program, Traffic traffic) throws Exception {
        return record(program, "node-requests", traffic);
    }

    private JsonNode record(NodeFixture program, String set, Traffic traffic) throws Exception {
        recordings++;
        Path file = folder.resolve("requests" + recordings + ".avro");
        try (CommandRun record = CommandRun.start(
                "record", "-p", program.pid(), "--probes", set, "--budget", "off", "-o", file.toString())) {
            record.awaitRecording();
            JsonNode log = new ObjectMapper().readTree(traffic.run());
            assertThat(record.interrupt().end()).isZero();
            assertThat(RecordedFile.read(file).lost()).isZero();
            assertThat(RecordedFile.texts(file))
                    .noneMatch(text -> text.toLowerCase(Locale.ROOT).contains("secret"));
            assertThat(CommandRun.run("convert", file.toString(), "-o", tables() + "/")
                            .exitCode())
                    .isZero();
            return log;
        }
    }

    private Path tables() {
        return folder.resolve("tables" + recordings);
    }

    private String requests() {
        return "read_parquet('" + tables() + "/requests/**/*.parquet')";
    }

    /** By URL: no two have the same. */
    private Map<Object, Map<String, Object>> rows(String side) throws Exception {
        Map<Object, Map<String, Object>> rows = new HashMap<>();
        for (Map<String, Object> row :
                DuckDb.rows("SELECT * FROM " + requests() + " WHERE url IS NOT NULL AND side = '" + side + "'")) {
            assertThat(rows.put(row.get("url"), row)).as("%s", row).isNull();
        }
        return rows;
    }

    private List<String> lines(String columns, String where) throws Exception {
        return DuckDb.rows("SELECT concat_ws(' ', " + columns + ") AS line FROM " + requests() + " WHERE " + where
                        + " ORDER BY mono_ns")
                .stream()
                .map(row -> String.valueOf(row.get("line")))
                .toList();
    }
}
