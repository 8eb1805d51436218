package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.RegistryServer;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.message.Topics;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A schema registry of others: real probes, a real broker, and a client of others that decodes what was collected. */
@Tag("deep")
@KernelTest(since = "5.8")
@Timeout(240)
class RegistryTest {
    private static final String ADD = "span:add (a=arg1:s64, b=arg2:s64, sum=ret:s64)";
    private static final int CALLS = 300;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PAGE = Path.of("..", "docs", "kafka.md");

    @TempDir
    static Path folder;

    private static CProgram calls = new CProgram(Path.of(""));
    private static EmbeddedBroker broker;
    private static RegistryServer registry;
    /** Collected with the registry; the other one without. */
    private static String captureId = "";

    private static String otherCaptureId = "";

    @BeforeAll
    static void collect() throws Exception {
        registry = RegistryServer.start(Files.createDirectory(folder.resolve("registry")));
        calls = CProgram.compile(folder, "bpf/calls");
        broker = EmbeddedBroker.start(folder.resolve("probestream-broker"), 0);
        captureId = collectCalls("--schema-registry", registry.url());
        otherCaptureId = collectCalls("--topic-prefix", "other");
    }

    @AfterAll
    static void end() {
        broker.close();
        registry.close();
    }

    /** Returns the capture's id. */
    private static String collectCalls(String... more) throws Exception {
        try (CProgram.Running program = calls.start();
                CommandRun run = collect(program, more)) {
            run.awaitLineWith(" collecting capture ");
            for (int call = 0; call < CALLS; call++) {
                program.ask("add " + call + " 1");
            }
            assertThat(run.interrupt().end()).isZero();
            JsonNode summary = JSON.readTree(run.out());
            assertThat(summary.get("acknowledged").asLong()).isEqualTo(CALLS);
            return summary.get("captureId").asText();
        }
    }

    private static CommandRun collect(CProgram.Running program, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("collect", "-p", String.valueOf(program.pid()), "--probes", ADD, "--budget", "off", "--json"));
        arguments.addAll(List.of("--kafka", broker.bootstrapServers()));
        arguments.addAll(List.of(more));
        return CommandRun.start(List.of(), arguments);
    }

    @Test
    void kafkajsDecodesEveryEventAndAllMetadata() throws Exception {
        Files.createSymbolicLink(folder.resolve("node_modules"), NodeApps.modules());
        String client = block("js clients");
        Files.writeString(
                folder.resolve("reader.mjs"),
                client.substring(0, client.indexOf("await consumer.subscribe"))
                        + block("js registry").replace("http://localhost:8081", registry.url()));
        NodeBinary node = NodeVersions.all().stream()
                .filter(version -> NodeVersions.major(version) >= 22) // as the package demands
                .findFirst()
                .orElseThrow();

        List<JsonNode> events = new ArrayList<>();
        List<JsonNode> metadata = new ArrayList<>();
        Process reader = new ProcessBuilder(node.path().toString(), "reader.mjs")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        long metadataMessages = PublishedTopic.size(broker, Topics.METADATA);
        List<String> said = new ArrayList<>();
        try (BufferedReader lines = reader.inputReader(StandardCharsets.UTF_8)) {
            while (events.size() < CALLS || metadata.size() < metadataMessages) {
                String line = lines.readLine();
                assertThat(line).as("it ended after %s", said).isNotNull();
                if (line.startsWith(Topics.EVENTS + " ")) {
                    events.add(JSON.readTree(line.substring(Topics.EVENTS.length())));
                } else if (line.startsWith(Topics.METADATA + " ")) {
                    metadata.add(JSON.readTree(line.substring(Topics.METADATA.length())));
                } else {
                    said.add(line); // kafkajs logs that it joins the group
                }
            }
        } finally {
            reader.destroyForcibly();
        }

        assertThat(PublishedTopic.size(broker, Topics.EVENTS)).isEqualTo(CALLS);
        assertThat(events)
                .allMatch(event -> event.get("captureId").asText().equals(captureId))
                .extracting(event -> event.get("sequence").asInt())
                .containsExactlyElementsOf(IntStream.range(0, CALLS).boxed().toList());
        assertThat(events.get(7).get("numbers")).extracting(JsonNode::asInt).containsExactly(7, 1);
        assertThat(events.get(7).get("returnValue").asInt()).isEqualTo(8);
        assertThat(metadata).anyMatch(record -> record.has("kernelRelease"));
        assertThat(metadata)
                .filteredOn(record -> record.has("delivered"))
                .singleElement()
                .satisfies(end -> assertThat(end.get("delivered").asInt()).isEqualTo(CALLS));
    }

    @Test
    void aSinkWritesTheSameRowsAsWithoutARegistry() throws Exception {
        assertThat(sink("tables", "--once", "--schema-registry", registry.url()).exitCode())
                .isZero();
        assertThat(sink("window", "--capture", captureId, "--schema-registry", registry.url())
                        .exitCode())
                .isZero();
        assertThat(sink("others", "--once", "--topic-prefix", "other").exitCode())
                .isZero();

        List<Map<String, Object>> rows = rows("tables", captureId);
        assertThat(rows).hasSize(CALLS).isEqualTo(rows("window", captureId)).isEqualTo(rows("others", otherCaptureId));
    }

    private static List<Map<String, Object>> rows(String output, String captureId) throws Exception {
        return DuckDb.rows("SELECT sequence, probe, a0, a1, return_value FROM read_parquet('"
                + folder.resolve(output) + "/spans/**/*.parquet') WHERE capture_id = " + captureId
                + " ORDER BY sequence");
    }

    private static CommandRun sink(String output, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "sink",
                "parquet",
                "--kafka",
                broker.bootstrapServers(),
                "-o",
                folder.resolve(output).toString()));
        arguments.addAll(List.of(more));
        return CommandRun.run(arguments.toArray(String[]::new));
    }

    @Test
    void aSinkSaysThatItNeedsTheRegistry() throws Exception {
        CommandRun without = sink("without", "--once");
        CommandRun down = sink("down", "--once", "--schema-registry", "http://127.0.0.1:1");

        assertThat(without.said())
                .last()
                .asString()
                .endsWith(
                        " failed: read a message that begins with 00 and the id of a schema: the schema is in a schema"
                                + " registry; give its URL with --schema-registry");
        assertThat(down.said())
                .last()
                .asString()
                .contains(" failed: look up the schema with id ")
                .endsWith(" in the schema registry at http://127.0.0.1:1: connection refused; check the URL of"
                        + " --schema-registry, and that the registry is running");
        assertThat(List.of(without.exitCode(), down.exitCode())).containsOnly(1);
    }

    @Test
    void anIncompatibleSubjectEndsACollection() throws Exception {
        registry.registerForEver(
                "taken.events-dev.probestream.schema.record.Event",
                "\"{\\\"type\\\":\\\"record\\\",\\\"namespace\\\":\\\"dev.probestream.schema.record\\\",\\\"name\\\":\\\"Event\\\","
                        + "\\\"fields\\\":[{\\\"name\\\":\\\"x\\\",\\\"type\\\":\\\"int\\\"}]}\"");
        try (CProgram.Running program = calls.start();
                CommandRun run =
                        collect(program, "--topic-prefix", "taken", "--schema-registry", registry.url() + "/")) {
            assertThat(run.end()).isEqualTo(1);
            assertThat(run.said())
                    .last()
                    .asString()
                    .startsWith("probestream collect: register a schema under the subject"
                            + " taken.events-dev.probestream.schema.record.Event in the schema registry at "
                            + registry.url() + ": it is incompatible with an earlier version of the subject (")
                    .endsWith("); set the subject's compatibility to NONE, or use other topics (--topic-prefix)");
        }
    }

    private static String block(String kind) throws Exception {
        Matcher block = Pattern.compile("(?ms)^```" + kind + "\\n(.*?)^```$").matcher(Files.readString(PAGE));
        assertThat(block.find()).as(kind).isTrue();
        return block.group(1);
    }
}
