package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests on connections that are older than the recording have their peers, or none, but never another's. */
@KernelTest(since = "5.8")
class ExistingConnectionsTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void requestsHaveThePeersOfConnectionsThatWereOpenBefore(NodeBinary node) throws Exception {
        Path tables = folder.resolve("tables");
        try (NodeFixture program = NodeFixture.start(node, folder, "kept.js")) {
            JsonNode truth = new ObjectMapper().readTree(program.greeting());
            try (CommandRun record =
                    CommandRun.start("record", "-p", program.pid(), "--probes", "node-http", "-o", tables + "/")) {
                record.awaitRecording();
                assertThat(program.ask("ask")).isEqualTo("done");
                assertThat(record.interrupt().end()).isZero();
            }
            int port = truth.path("port").asInt();
            for (int n = 0; n < 3; n++) {
                int local = truth.path("locals").path(n).asInt();
                assertThat(request("CLIENT", "/" + n)).isEqualTo(ends(port, local));
                assertThat(request("SERVER", "/" + n)).isEqualTo(ends(local, port));
            }
            assertThat(request("SERVER", "/unix"))
                    .containsEntry("local_address", truth.path("socketPath").asText());
            assertThat(request("CLIENT", "/unix")).isEmpty();
            assertThat(olderConnections(tables)).containsExactlyInAnyOrderElementsOf(expected(truth));
        }
    }

    /** Both ends of each connection: the server's are known to be accepted; nothing shows who made the others. */
    private static List<String> expected(JsonNode truth) {
        String server = "127.0.0.1:" + truth.path("port").asInt();
        List<String> rows = new ArrayList<>();
        for (JsonNode local : truth.path("locals")) {
            if (local.isInt()) {
                String client = "127.0.0.1:" + local.asInt();
                rows.add("NULL," + server + "," + client + ",true,true,true");
                rows.add("in," + client + "," + server + ",true,true,true");
            }
        }
        rows.add("in,unix," + truth.path("socketPath").asText() + ",true,true,true");
        return rows;
    }

    private static List<String> olderConnections(Path tables) throws Exception {
        CommandRun query = CommandRun.run("query", tables + "/", """
                SELECT coalesce(direction, 'NULL') AS direction, remote, local, stream IS NOT NULL AS is_used, fd > 2 AS has_fd,
                  from_ns IS NULL AND closed_ns IS NULL AS is_open_throughout
                FROM connections WHERE is_older""", "--format", "csv");
        assertThat(query.exitCode()).as("%s", query.said()).isZero();
        return query.out().lines().skip(1).toList();
    }

    private static Map<String, Object> ends(int remotePort, int localPort) {
        return Map.of(
                "remote_address",
                "127.0.0.1",
                "remote_port",
                remotePort,
                "local_address",
                "127.0.0.1",
                "local_port",
                localPort);
    }

    private Map<String, Object> request(String side, String url) throws Exception {
        List<Map<String, Object>> rows =
                DuckDb.rows("SELECT remote_address, remote_port, local_address, local_port FROM read_parquet('"
                        + folder.resolve("tables") + "/requests/**/*.parquet') WHERE side = '" + side
                        + "' AND url = '" + url + "'");
        assertThat(rows).as("%s %s", side, url).hasSize(1);
        return rows.get(0);
    }
}
