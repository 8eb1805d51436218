package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.HttpTruth;
import dev.probestream.cli.endtoend.fixture.HttpTruth.Exchange;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedConnections;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedMessages;
import dev.probestream.cli.node.NodeBinary;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The sets node-http and node-net on each version of Node.js that is there, beside what the program (http.js) says of itself:
 * keep-alive, chunked and large answers, HEAD, unix sockets, answers that end with the connection, TLS, a request in pieces,
 * pipelined ones, an upgrade, an aborted one.
 */
@KernelTest(since = "5.8")
class NodeHttpTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final int BIG_ANSWER_BYTES = 300_000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void messagesAndConnectionsAreThoseTheProgramSpeaksOf(NodeBinary node) throws Exception {
        Path recording = folder.resolve("http.avro");
        HttpTruth truth = record(node, recording, "node-http,node-net");
        RecordedFile recorded = RecordedFile.read(recording);

        assertThat(recorded.lost()).isZero();
        assertMessages(truth, new RecordedMessages(recorded));
        assertConnections(truth, new RecordedConnections(recorded));
        assertThat(RecordedFile.texts(recording)).noneMatch(text -> text.contains("SECRET"));
    }

    /** One where its headers are complete, two around the write of its answer. */
    @ParameterizedTest
    @MethodSource(NODES)
    void aRequestOnAConnectionThatIsKeptCostsThreeHits(NodeBinary node) throws Exception {
        int requests = 20;
        Path recording = folder.resolve("kept.avro");
        try (NodeFixture program = NodeFixture.start(node, folder, "kept.js")) {
            int port =
                    new ObjectMapper().readTree(program.greeting()).path("port").asInt();
            try (CommandRun record = CommandRun.start(
                    "record", "-p", program.pid(), "-o", recording.toString(), "--probes", "node-http")) {
                record.awaitRecording();
                HttpClient client = HttpClient.newHttpClient();
                HttpRequest get = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/x"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
                for (int i = 0; i < requests; i++) {
                    assertThat(client.send(get, HttpResponse.BodyHandlers.ofString())
                                    .body())
                            .isEqualTo("ok");
                }
                assertThat(record.interrupt().end()).isZero();
            }
        }
        Map<String, Long> hits = RecordedFile.read(recording).events().stream()
                .filter(event -> event.probe().getCategory().toString().equals("node-http"))
                .collect(Collectors.groupingBy(
                        event -> event.probe().getName() + " " + event.probe().getKind(), Collectors.counting()));
        hits.keySet().removeIf(probe -> probe.matches("(accept|close|open connection) .*"));
        assertThat(hits)
                .containsOnly(Map.entry("HTTP request INSTANT", (long) requests), Map.entry("bytes written SPAN", (long)
                        requests));
    }

    @Test
    void valuesOfQueriesAreShownToWhoAsksForThem() throws Exception {
        Path recording = folder.resolve("shown.avro");
        HttpTruth truth = record(NodeFixture.installedNode(), recording, "node-http", "--show-query");
        RecordedMessages messages = new RecordedMessages(RecordedFile.read(recording));

        assertThat(messages.requests())
                .containsExactlyElementsOf(
                        truth.served().stream().map(Exchange::plain).toList());
        assertThat(messages.requestsWritten())
                .containsSubsequence(truth.sent().stream().map(Exchange::plain).toList());
        assertThat(RecordedFile.texts(recording))
                .noneMatch(text -> text.contains("SECRET-body") || text.contains("SECRET-header"));
    }

    private HttpTruth record(NodeBinary node, Path recording, String sets, String... options) throws Exception {
        try (NodeFixture program = NodeFixture.start(node, folder, "http.js")) {
            List<String> command = new ArrayList<>(
                    List.of("record", "-p", program.pid(), "-o", recording.toString(), "--probes", sets));
            // The guard makes a sample of a set where a busy machine makes its hits expensive.
            command.addAll(List.of("--budget", "off"));
            command.addAll(List.of(options));
            try (CommandRun record = CommandRun.start(command.toArray(String[]::new))) {
                record.awaitRecording();
                HttpTruth truth = HttpTruth.of(program.ask("exchanges"));
                assertThat(record.interrupt().end()).isZero();
                return truth;
            }
        }
    }

    private static void assertMessages(HttpTruth truth, RecordedMessages messages) {
        assertThat(messages.requests())
                .containsExactlyElementsOf(
                        truth.served().stream().map(Exchange::masked).toList());
        assertThat(messages.upgrades()).containsExactly("GET /socket");
        assertThat(messages.requestsWritten())
                .containsSubsequence(truth.sent().stream().map(Exchange::masked).toList());
        assertThat(messages.statusesRead())
                .containsExactlyElementsOf(
                        truth.sent().stream().map(Exchange::status).toList());
        // Beside the server's answers: that of the server with the connections that end, and what Node says to who
        // aborts.
        List<Integer> written = new ArrayList<>(List.of(200, 400));
        truth.served().stream()
                .map(Exchange::status)
                .filter(status -> status != 0)
                .forEach(written::add);
        assertThat(counts(messages.statusesWritten())).isEqualTo(counts(written));
        assertThat(messages.ended())
                .isEqualTo(truth.served().size() - 1 + truth.sent().size());
    }

    private static void assertConnections(HttpTruth truth, RecordedConnections connections) {
        String server = "127.0.0.1:" + truth.port();
        assertThat(connections.accepted())
                .filteredOn(end -> end.local().equals(server))
                .extracting(RecordedConnections.End::remote)
                .containsExactlyElementsOf(truth.peers());
        assertThat(connections.made())
                .filteredOn(end -> end.remote().equals(server))
                .extracting(RecordedConnections.End::local)
                .containsExactlyElementsOf(truth.peers());
        assertThat(connections.made())
                .extracting(RecordedConnections.End::remote)
                .contains(truth.socketPath());
        assertThat(connections.accepted())
                .extracting(RecordedConnections.End::local)
                .contains(truth.socketPath());
        assertThat(connections.accepted()).allMatch(RecordedConnections.End::isClosed);
        // What one end writes the other reads.
        for (RecordedConnections.End made : connections.made()) {
            connections.accepted().stream()
                    .filter(accepted ->
                            !made.local().isEmpty() && accepted.remote().equals(made.local()))
                    .forEach(accepted ->
                            assertThat(accepted.readBytes()).as("%s", made).isEqualTo(made.writtenBytes()));
        }
        assertThat(connections.made()).anyMatch(end -> end.readBytes() > BIG_ANSWER_BYTES);
    }

    private static Map<Integer, Long> counts(List<Integer> statuses) {
        return statuses.stream()
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    }
}
