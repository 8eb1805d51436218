package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server under load is recorded three times, the third time with a dependency that answers 150 ms later. */
@Tag("deep")
@KernelTest(since = "5.8")
class ReportComparisonTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** In each recording; a hundred are sent each second. */
    private static final int REQUESTS = 400;

    @TempDir
    private Path folder;

    @Test
    void namesTheSlowerDependencyAndNothingOfAnUnchangedServer() throws Exception {
        try (NodeFixture around = NodeFixture.start(node("around.js"))) {
            String dependency = port(around);
            ProcessBuilder command = node("app.js");
            command.environment().put("DEPENDENCY", dependency);
            try (NodeFixture app = NodeFixture.start(command)) {
                around.ask("load " + port(app));
                record(app, around, "first.avro");
                record(app, around, "second.avro");
                around.ask("delay 150");
                record(app, around, "slower.avro");
            }

            assertThat(changes("first.avro", "second.avro"))
                    .filteredOn(finding -> finding.path("severity").asText().equals("HIGH"))
                    .isEmpty();
            List<JsonNode> changes = changes("second.avro", "slower.avro");
            assertThat(changes.get(0).path("title").asText())
                    .as("%s", changes)
                    .startsWith("The median of 127.0.0.1:" + dependency + " GET /stock/:id rose from ");
            assertThat(changes.get(0).path("severity").asText()).isEqualTo("HIGH");
        }
    }

    /** Until enough requests were sent, however long that takes on this machine. */
    private void record(NodeFixture app, NodeFixture around, String file) throws Exception {
        try (CommandRun record = CommandRun.start(
                "record",
                "-p",
                app.pid(),
                "--budget",
                "off",
                "-o",
                folder.resolve(file).toString())) {
            record.awaitRecording();
            around.ask("more " + REQUESTS);
            assertThat(record.interrupt().end()).as("%s", record.said()).isZero();
        }
    }

    /** The findings of the comparison itself. */
    private List<JsonNode> changes(String before, String after) throws Exception {
        CommandRun report = CommandRun.run(
                "report",
                folder.resolve(before).toString(),
                folder.resolve(after).toString(),
                "--json");
        assertThat(report.exitCode()).as("%s", report.said()).isZero();
        List<JsonNode> changes = new ArrayList<>();
        for (JsonNode finding : JSON.readTree(report.out()).path("findings")) {
            if (finding.path("rule").asText().equals("changed")) {
                changes.add(finding);
            }
        }
        return changes;
    }

    private static String port(NodeFixture listening) throws Exception {
        return JSON.readTree(listening.greeting()).path("port").asText();
    }

    private static ProcessBuilder node(String script) throws Exception {
        Path scripts = Path.of(Objects.requireNonNull(ReportComparisonTest.class.getResource("/testdata/comparison"))
                .toURI());
        return new ProcessBuilder(
                NodeFixture.installedNode().path().toString(),
                scripts.resolve(script).toString());
    }
}
