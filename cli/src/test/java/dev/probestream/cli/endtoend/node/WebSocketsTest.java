package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The probe set node-websocket beside what servers and clients of WebSocket counted themselves. */
@KernelTest(since = "5.8")
class WebSocketsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void messagesAreThoseThatTheApplicationCounted(NodeBinary node) throws Exception {
        Path recording = folder.resolve("trace.avro");
        JsonNode ends;
        try (NodeFixture app = app(node)) {
            app.ask("open");
            try (CommandRun record = CommandRun.start(
                    "record",
                    "-p",
                    app.pid(),
                    "--budget",
                    "off",
                    "--probes",
                    "node-websocket,node-http",
                    "-o",
                    recording.toString())) {
                record.awaitRecording();
                ends = new ObjectMapper().readTree(app.ask("run"));
                assertThat(record.interrupt().end()).isZero();
            }
        }
        List<String> counted = new ArrayList<>();
        List<String> replies = new ArrayList<>();
        ends.forEach(end -> {
            boolean isServer = end.get("accepted").asInt() == 1;
            String reply = end.get("received").asInt() + " received, "
                    + end.get("sent").asInt() + " sent";
            counted.add(end.get("accepted").asInt() + " " + end.get("tls").asInt() + " " + reply);
            replies.add((isServer ? "SERVER " : "CLIENT ") + reply);
        });
        assertThat(counted).hasSizeGreaterThanOrEqualTo(10);

        RecordedFile recorded = RecordedFile.read(recording);
        List<RecordedEvent> connections = recorded.events("WebSocket");
        assertThat(recorded.lost()).isZero();
        assertThat(connections)
                .extracting(event -> event.argument("accepted") + " " + event.argument("tls") + " "
                        + event.argument("received_messages") + " received, " + event.argument("sent_messages")
                        + " sent")
                .containsExactlyInAnyOrderElementsOf(counted);
        assertThat(connections)
                .filteredOn(event -> event.durationNs() < 0)
                .as("what is not closed")
                .hasSize(2);
        assertThat(connections).allSatisfy(event -> {
            assertThat(event.argument("received_at_least")).isEqualTo(0L);
            assertThat(event.argument("sent_at_least")).isEqualTo(0L);
            assertThat(String.valueOf(event.argument("remote"))).startsWith("127.0.0.1:");
        });
        assertThat(new String(Files.readAllBytes(recording), StandardCharsets.ISO_8859_1))
                .doesNotContain("PLANTED");

        Path tables = folder.resolve("tables");
        assertThat(CommandRun.run("convert", recording.toString(), "-o", tables + "/")
                        .exitCode())
                .isZero();
        assertThat(DuckDb.rows("SELECT concat_ws(' ', side, reply) AS reply, operation, outcome FROM read_parquet('"
                        + tables + "/requests/**/*.parquet') WHERE protocol = 'websocket'"))
                .allSatisfy(row -> assertThat(row.get("outcome")).isEqualTo("UPGRADED"))
                .allSatisfy(row -> assertThat(String.valueOf(row.get("operation")))
                        .matches("GET /(chat|deflated|byhand|node|kept)"))
                .extracting(row -> row.get("reply"))
                .containsExactlyInAnyOrderElementsOf(replies);
    }

    private NodeFixture app(NodeBinary node) throws Exception {
        NodeFixture.copied(folder, "truth/key.pem");
        NodeFixture.copied(folder, "truth/cert.pem");
        ProcessBuilder command = new ProcessBuilder(
                node.path().toString(),
                NodeFixture.copied(folder, "websockets/app.js").toString(),
                folder.resolve("truth").toString());
        command.environment().put("NODE_PATH", NodeApps.modules().toString());
        return NodeFixture.start(command);
    }
}
