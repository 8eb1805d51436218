package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.HttpTruth;
import dev.probestream.cli.endtoend.fixture.HttpTruth.Exchange;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** http on a Node (http.js) that serves itself in many ways, beside what it says of its exchanges. */
@KernelTest(since = "5.8")
class HttpTest {
    private static final String COLUMNS =
            "TIME            COMM            PID     METHOD  URL                                      STATUS      LATENCY"
                    + " SIDE   REMOTE";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void linesAreTheExchangesOfTheProgram(NodeBinary node) throws Exception {
        List<JsonNode> requests = new ArrayList<>();
        HttpTruth truth = watch(node, line -> requests.add(json(line)), "--json");

        assertThat(served(requests))
                .containsExactlyInAnyOrderElementsOf(
                        truth.served().stream().map(HttpTest::said).toList());
        // Its raw sockets send requests, too.
        assertThat(texts(requests, "client"))
                .containsAll(truth.sent().stream().map(HttpTest::said).toList());
        assertThat(requests.toString()).doesNotContain("SECRET");
        assertThat(requests)
                .filteredOn(request -> request.get("outcome").asText().equals("complete"))
                .allSatisfy(request -> {
                    assertThat(request.get("durationNs").asLong()).isPositive();
                    assertThat(request.get("pid").asInt())
                            .isEqualTo(request.get("tid").asInt());
                });
        assertThat(requests)
                .filteredOn(request -> request.get("url").asText().startsWith("/tls"))
                .hasSize(4)
                .allMatch(request -> request.get("tls").asBoolean());
    }

    @Test
    void aPersonReadsColumnsAndQueriesOnlyWhenAskedFor() throws Exception {
        List<String> lines = new ArrayList<>();
        watch(NodeFixture.installedNode(), lines::add, "--server", "--show-query");

        assertThat(lines.get(0)).isEqualTo(COLUMNS);
        assertThat(lines.subList(1, lines.size()))
                .allMatch(line -> line.contains(" ms server "))
                .anyMatch(line -> line.matches(
                        "\\d\\d:\\d\\d:\\d\\d\\.\\d{6} \\S+ +\\d+ +GET     /plain\\?name=SECRET-1&n=SECRET-2 +200"
                                + " +\\d+\\.\\d{3} ms server 127\\.0\\.0\\.1:\\d+"));
    }

    @Test
    void onlyWhatPassesTheFilterIsPrintedUntilThereAreEnough() throws Exception {
        List<String> lines = new ArrayList<>();
        watch(NodeFixture.installedNode(), lines::add, "--server", "--status", "404,5xx", "-M", "1");

        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).contains("HEAD    /missing ", " 404 ");
    }

    /** Has the program do all its exchanges, and takes the lines that come. */
    private HttpTruth watch(NodeBinary node, Consumer<String> lines, String... options) throws Exception {
        try (NodeFixture program = NodeFixture.start(node, folder, "http.js")) {
            List<String> command = new ArrayList<>(List.of("http", "-p", program.pid()));
            command.addAll(List.of(options));
            try (CommandRun http = CommandRun.start(command.toArray(String[]::new))) {
                http.await("tracing requests with ");
                HttpTruth truth = HttpTruth.of(program.ask("exchanges"));
                assertThat(http.terminate().end()).isZero();
                assertThat(http.said()).anyMatch(line -> line.endsWith(", none lost"));
                http.out().lines().forEach(lines);
                return truth;
            }
        }
    }

    /** If nothing more came from a client, it is unknown what Node answered: it tries to. */
    private static List<String> served(List<JsonNode> requests) {
        return texts(requests, "server").stream()
                .map(text -> text.startsWith("POST /aborted ") ? "POST /aborted 0" : text)
                .toList();
    }

    private static List<String> texts(List<JsonNode> requests, String side) {
        Function<JsonNode, String> text = request -> Stream.of("method", "url", "status")
                .map(name -> request.get(name).asText("0"))
                .reduce((a, b) -> a + " " + b)
                .orElseThrow();
        return requests.stream()
                .filter(request -> request.get("side").asText().equals(side))
                .map(text)
                .toList();
    }

    /** A value is masked, and what has none is masked as a whole. */
    private static String said(Exchange exchange) {
        String url = exchange.url().replaceAll("=[^&]+", "=***").replaceAll("([?&])[^&=]*=(&|$)", "$1***$2");
        return exchange.method() + " " + url + " " + exchange.status();
    }

    private static JsonNode json(String line) {
        try {
            return new ObjectMapper().readTree(line);
        } catch (JsonProcessingException e) {
            throw new AssertionError(line, e);
        }
    }
}
