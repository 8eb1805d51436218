package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The counters of a Node process: as the process knows them, and what the report makes of them. */
@KernelTest(since = "5.8")
class CountersTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> RULES =
            List.of("descriptors-grow", "heap-grows", "listen-overflow", "cpu-burnt", "microtask-flood");

    @TempDir
    private Path folder;

    /**
     * What is wrong.
     *
     * @param mode of counters.js
     * @param named the rules that find something, and words of their findings
     */
    record Cause(String mode, Map<String, List<String>> named) {
        @Override
        public String toString() {
            return mode;
        }
    }

    static List<Cause> causes() {
        return List.of(
                new Cause(
                        "grows",
                        Map.of(
                                "descriptors-grow", List.of("files", "readPart (", "part.txt"),
                                "heap-grows", List.of("after full collections"),
                                "listen-overflow", List.of("overflowed", "127.0.0.1:"))),
                new Cause("burns", Map.of("cpu-burnt", List.of("timers", "refreshRates ("))),
                new Cause("floods", Map.of("microtask-flood", List.of("drainQueue ("))),
                new Cause("healthy", Map.of()));
    }

    @Test
    void theLastReadingIsWhatTheProcessKnowsOfItself() throws Exception {
        JsonNode truth;
        try (NodeFixture app = start("holds");
                CommandRun record = record(app, "process")) {
            record.awaitRecording();
            app.ask("run 0");
            truth = JSON.readTree(app.ask("truth"));
            assertThat(record.interrupt().end()).isZero();
        }

        Map<String, Long> last = last();
        // It waits since it answered; the kernel counts in steps of 10 ms, and the answer itself takes some time.
        assertThat(value(last, "cpu user_ns") + value(last, "cpu system_ns"))
                .isBetween(
                        (truth.path("user").asLong() + truth.path("system").asLong()) * 1000 - 20_000_000L,
                        (truth.path("user").asLong() + truth.path("system").asLong()) * 1000 + 500_000_000L);
        assertThat(value(last, "memory rss"))
                .isBetween(
                        truth.path("rss").asLong() * 9 / 10, truth.path("rss").asLong() * 11 / 10);
        assertThat(last)
                .containsEntry(
                        "open descriptors open", truth.path("descriptors").asLong())
                .containsEntry("descriptors files", truth.path("files").asLong() + ofItsOwn(last))
                .containsEntry("connections established", 20L)
                .containsEntry("listen queue listeners", 1L)
                .containsEntry("listen queue limit", 77L)
                .containsEntry("listen queue drops", 0L);
    }

    /** Node holds /dev/null and files of its own, as many as there are besides. */
    private static long ofItsOwn(Map<String, Long> last) {
        return value(last, "open descriptors open")
                - value(last, "descriptors sockets")
                - value(last, "descriptors pipes")
                - value(last, "descriptors eventpolls")
                - value(last, "descriptors eventfds")
                - value(last, "descriptors anonymous")
                - 5;
    }

    @ParameterizedTest
    @MethodSource("causes")
    @Tag("deep")
    void theReportNamesWhatGrowsOverflowsOrBurns(Cause cause) throws Exception {
        try (NodeFixture app = start(cause.mode());
                CommandRun record = record(app, "incident")) {
            record.awaitRecording();
            assertThat(app.ask("run 4000")).isEqualTo("done");
            assertThat(record.interrupt().end()).isZero();
        }

        Map<String, String> found = new TreeMap<>();
        CommandRun report = CommandRun.run("report", recording(), "--json");
        assertThat(report.exitCode()).as("%s", report.said()).isZero();
        for (JsonNode finding : JSON.readTree(report.out()).path("findings")) {
            found.put(
                    finding.path("rule").asText(),
                    finding.path("title").asText() + "\n" + finding.path("text").asText());
        }
        Map<String, String> all = Map.copyOf(found);
        found.keySet().retainAll(RULES);
        assertThat(found)
                .as("%s", all)
                .hasSameSizeAs(cause.named())
                .containsKeys(cause.named().keySet().toArray(String[]::new));
        cause.named().forEach((rule, words) -> assertThat(found.get(rule)).contains(words));
    }

    /** The last value of each counter. */
    private static long value(Map<String, Long> last, String counter) {
        return Objects.requireNonNull(last.get(counter), counter);
    }

    private Map<String, Long> last() throws Exception {
        CommandRun query = CommandRun.run(
                "query",
                recording(),
                "SELECT counter || ' ' || name AS name, arg_max(value, mono_ns) AS value FROM process_counters GROUP BY ALL",
                "--format",
                "json");
        assertThat(query.exitCode()).as("%s", query.said()).isZero();
        Map<String, Long> last = new TreeMap<>();
        List<JsonNode> rows = new ArrayList<>();
        try (var read = JSON.readerFor(JsonNode.class).<JsonNode>readValues(query.out())) {
            rows.addAll(read.readAll());
        }
        rows.forEach(
                row -> last.put(row.path("name").asText(), row.path("value").asLong()));
        return last;
    }

    private NodeFixture start(String mode) throws IOException {
        return NodeFixture.start(new ProcessBuilder(
                NodeFixture.installedNode().path().toString(),
                NodeFixture.copied(folder.toRealPath(), "counters.js").toString(),
                mode));
    }

    private CommandRun record(NodeFixture app, String probes) throws IOException {
        return CommandRun.start(
                "record",
                "-p",
                app.pid(),
                "-o",
                recording(),
                "--probes",
                probes,
                "--budget",
                "off",
                "--ring-size",
                "64M");
    }

    private String recording() {
        return folder.resolve("counters.avro").toString();
    }
}
