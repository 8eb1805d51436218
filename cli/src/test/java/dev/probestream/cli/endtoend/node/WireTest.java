package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** HTTP/2, answers to fetch and undici and who called fetch, the names of peers that c-ares resolved, and connects that fail are recorded as the application saw them, and nothing else is. */
@KernelTest(since = "5.8")
class WireTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    /** Over two connections, one after the other and together. */
    private static final long FETCHES = 14;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void whatTheApplicationSawIsRecordedAndNothingElse(NodeBinary node) throws Exception {
        Path tables = folder.resolve("tables");
        // Room for two connections that nobody accepts (backlog 1): one is ours, one the application's.
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket ours = new Socket(full.getInetAddress(), full.getLocalPort());
                NodeFixture program = NodeFixture.start(command(node, full.getLocalPort()))) {
            assertThat(ours.isConnected()).isTrue();
            JsonNode seen;
            try (CommandRun record = CommandRun.start(
                    "record",
                    "-p",
                    program.pid(),
                    "--budget",
                    "off",
                    "--probes",
                    "node-http,node-http2,node-dns,node-callers",
                    "-o",
                    tables + "/")) {
                record.awaitRecording();
                seen = new ObjectMapper().readTree(program.ask("go"));
                assertThat(record.interrupt().end()).isZero();
            }
            List<String> expected = new ArrayList<>();
            seen.forEach(request -> expected.add(request.asText()));
            assertThat(expected).hasSizeGreaterThan(50);
            assertThat(recorded(tables)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(wrongOnes(tables)).isEmpty();
            assertThat(resolved(tables))
                    .containsExactly("four.test is four.test", "six.test is six.test", "any.test is any.test");
            assertThat(callersOfFetches(tables)).isBetween(reportsUrls(node) ? FETCHES : 0, FETCHES);
        }
    }

    private ProcessBuilder command(NodeBinary node, int fullPort) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                node.path().toString(),
                NodeFixture.copied(folder, "wire.js").toString(),
                NodeFixture.copied(folder, "truth/key.pem").toString(),
                NodeFixture.copied(folder, "truth/cert.pem").toString(),
                String.valueOf(fullPort));
        String nodes = System.getenv("PROBESTREAM_NODES");
        if (nodes != null && Files.isDirectory(Path.of(nodes, "apps", "node_modules", "undici"))) {
            command.environment().put("NODE_PATH", nodes + "/apps/node_modules");
        }
        return command;
    }

    private static List<String> recorded(Path tables) throws SQLException {
        return DuckDb.rows(
                        "SELECT concat_ws(' ', side, protocol, coalesce(method || ' ' || split_part(url, '?', 1), operation),"
                                + " coalesce(status, 0), coalesce(error_code, '-'), outcome)"
                                + " AS row FROM " + requests(tables))
                .stream()
                .map(row -> String.valueOf(row.get("row")))
                .toList();
    }

    /** What is known of each beside that: where it was sent, that it took time, and that of a query only the names are recorded. */
    private static List<Map<String, Object>> wrongOnes(Path tables) throws SQLException {
        return DuckDb.rows("SELECT * FROM " + requests(tables) + " WHERE remote_address IS NULL OR duration_ns <= 0"
                + " OR (outcome = 'OPEN') <> (duration_ns IS NULL) OR url LIKE '%secret%'");
    }

    /** How many requests have the function that calls fetch. */
    private static long callersOfFetches(Path tables) throws SQLException {
        Object count = DuckDb.rows(
                        "SELECT count(*) AS n FROM " + requests(tables)
                                + " WHERE regexp_full_match(caller, 'ask \\(.*/wire[.]js:[0-9]+\\)') AND caller_package IS NULL")
                .get(0)
                .get("n");
        return ((Number) Objects.requireNonNull(count)).longValue();
    }

    /** Whether it reports which URLs are read, and so who calls fetch, whenever the request is written. */
    private static boolean reportsUrls(NodeBinary node) {
        return node.version()
                .filter(version -> version.matches("v(22|24)[.].*"))
                .isPresent();
    }

    /** The paths of what was sent to names that the application looked up by itself, and the names that are recorded. */
    private static List<String> resolved(Path tables) throws SQLException {
        return DuckDb.rows("SELECT concat(url[5:], ' is ', peer_name) AS row FROM " + requests(tables)
                        + " WHERE side = 'CLIENT' AND url LIKE '%.test' ORDER BY mono_ns")
                .stream()
                .map(row -> String.valueOf(row.get("row")))
                .toList();
    }

    private static String requests(Path tables) {
        return "read_parquet('" + tables + "/requests/**/*.parquet')";
    }
}
