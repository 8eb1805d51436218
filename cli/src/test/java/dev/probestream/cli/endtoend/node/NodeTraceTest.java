package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.demo.SampleLoad;
import dev.probestream.cli.demo.SampleServer;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Node's own trace beside a recording, on each version of Node.js that is there, see {@link NodeVersionsTest}. */
@KernelTest(since = "5.8")
class NodeTraceTest {
    private static final String CATEGORIES = "v8,node,node.http,node.async_hooks,node.fs.async,node.perf";

    private static final String THIRTY_REQUESTS = """
            const http = require('http');
            const server = http.createServer((request, response) => response.end('x'));
            const ask = () => new Promise((answered) =>
              http.get({ port: server.address().port, path: '/own' }, (answer) => answer.resume().on('end', answered)));
            server.listen(0, '127.0.0.1', async () => {
              for (let i = 0; i < 30; i++) await ask();
              process.exit();
            });
            """;

    private static final String ENDLESS_READS = """
            let reads = 0;
            setInterval(() => require('fs').readFile('/proc/self/stat', () => {
              if (++reads === 10) console.log('10 reads');
            }), 10);
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void runningProcessIsTracedOverItsInspectorWhichIsClosedAgain(NodeBinary node) throws Exception {
        try (SampleServer server = SampleServer.start(node)) {
            // Twice: the second time shows that the first has closed what it opened.
            for (int i = 0; i < 2; i++) {
                Path recording = folder.resolve("trace" + i + ".avro");
                try (CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        String.valueOf(server.pid()),
                        "-o",
                        recording.toString(),
                        "--probes",
                        "node-loop",
                        "--v8-trace",
                        CATEGORIES)) {
                    record.awaitRecording();
                    new SampleLoad(server.address()).run(Duration.ofMillis(500));
                    assertThat(record.interrupt().end()).as("%s", record.said()).isZero();
                    assertThat(record.said()).anyMatch(line -> line.endsWith(" is opened for the recording"));
                }
                Path trace = Path.of(recording + ".node_trace.1.log");
                assertThat(events(trace)).anyMatch(event -> event.contains("http.server.request"));
                Path merged = folder.resolve("merged" + i + ".json");
                CommandRun convert = CommandRun.run(
                        "convert", recording.toString(), "-o", merged.toString(), "--merge", trace.toString());
                assertThat(convert.exitCode()).isZero();
                assertThat(events(merged)).containsAll(events(trace));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void commandThatStillRunsIsMadeToWriteItsTrace(NodeBinary node) throws Exception {
        Path output = folder.resolve("trace.json");
        try (CommandRun record = CommandRun.start(
                "record",
                "-o",
                output.toString(),
                "--probes",
                "node-loop",
                "--v8-trace",
                CATEGORIES,
                "--",
                node.path().toString(),
                "-e",
                ENDLESS_READS)) {
            record.awaitRecording();
            record.awaitOut("10 reads");
            assertThat(record.interrupt().end()).as("%s", record.said()).isZero();
        }
        assertThat(events(output))
                .anyMatch(event -> event.contains("\"RunTimers\""))
                .anyMatch(event -> event.contains("node.fs.async"));
    }

    /** A request of Node's trace lies within ours, which begins with its first byte and ends with the last write. */
    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void requestsOfNodesOwnTraceLieOverOurs(NodeBinary node) throws Exception {
        Path output = folder.resolve("both.json");
        CommandRun record = CommandRun.run(
                "record",
                "-o",
                output.toString(),
                "--probes",
                "node-http",
                "--v8-trace",
                "node.http",
                "--",
                node.path().toString(),
                "-e",
                THIRTY_REQUESTS);

        assertThat(record.exitCode()).isZero();
        List<double[]> ours =
                intervals(output, event -> event.path("cat").asText().equals("node-http,HTTP server"));
        List<double[]> nodes =
                intervals(output, event -> event.get("name").asText().equals("http.server.request"));
        assertThat(ours).hasSize(30);
        assertThat(nodes).hasSameSizeAs(ours);
        List<Double> startOffsetsUs = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            startOffsetsUs.add(nodes.get(i)[0] - ours.get(i)[0]);
            assertThat(nodes.get(i)[0]).isBetween(ours.get(i)[0], ours.get(i)[1]);
        }
        startOffsetsUs.sort(null);
        System.out.printf(
                "%s: Node reports a request %.0f to %.0f us after its first byte, median %.0f us%n",
                node.path().getFileName(), startOffsetsUs.get(0), startOffsetsUs.get(29), startOffsetsUs.get(15));
    }

    /** Begin and end in us of the asynchronous events, in the order of their beginnings. */
    private static List<double[]> intervals(Path trace, Predicate<JsonNode> isWanted) throws IOException {
        Map<String, double[]> byId = new LinkedHashMap<>();
        for (JsonNode event : new ObjectMapper().readTree(trace.toFile()).get("traceEvents")) {
            if (event.path("ph").asText().equals("b") && isWanted.test(event)) {
                byId.put(id(event), new double[] {event.get("ts").asDouble(), 0});
            } else if (event.path("ph").asText().equals("e")) {
                byId.computeIfPresent(id(event), (id, interval) ->
                        new double[] {interval[0], event.get("ts").asDouble()});
            }
        }
        return byId.values().stream()
                .sorted(Comparator.comparingDouble(interval -> interval[0]))
                .toList();
    }

    private static String id(JsonNode event) {
        return event.path("cat").asText() + event.path("id") + event.path("id2");
    }

    private static List<String> events(Path trace) throws IOException {
        List<String> events = new ArrayList<>();
        for (JsonNode event : new ObjectMapper().readTree(trace.toFile()).get("traceEvents")) {
            events.add(event.toString());
        }
        return events;
    }
}
