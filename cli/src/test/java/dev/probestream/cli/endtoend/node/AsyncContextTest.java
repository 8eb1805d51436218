package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The recorded async context of a hit is the one that Node gave the application itself at that moment. */
@KernelTest(since = "5.11")
class AsyncContextTest {
    private static final String APPLICATION = "/testdata/node/contexts.js";
    private static final String PROBE =
            "uprobe:uv_fs_access(path=arg3:str[128], async_id=asyncid, trigger_id=triggerid,"
                    + " async_counter=asynccounter, context=requestcontext, trace_id=traceid, span_id=spanid)";

    private static final int REQUESTS = 6;
    /** Of each: one at its begin, three in each of three rounds. */
    private static final int TOUCHES = 1 + 3 * 3;

    /** On each of two threads: four in each of five rounds. */
    private static final int LOOKS = 2 * 4 * 5;

    @TempDir
    private static Path built;

    private static NodePackage nodePackage = new NodePackage(Path.of(""));

    @TempDir
    private Path folder;

    @BeforeAll
    static void build() throws Exception {
        ElfFixture.needs("gcc");
        nodePackage = NodePackage.build(NodeFixture.installedNode(), built);
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void asyncIdsAndNumbersOfRequestsAreThoseOfTheApplication(NodeBinary node) throws Exception {
        Path file = folder.resolve("contexts.avro");
        try (LineProgram application =
                start(node, List.of("-r", nodePackage.folder().toString()))) {
            try (CommandRun record = record(application, file)) {
                assertThat(application.ask("ids")).isEqualTo("done");
                assertThat(application.ask("requests " + REQUESTS)).isEqualTo("done");
                assertThat(record.interrupt().end()).isZero();
            }
        }
        RecordedFile recorded = RecordedFile.read(file);
        assertThat(recorded.lost()).isZero();

        List<RecordedEvent> looks = touched(recorded, "/ids-");
        assertThat(looks)
                .hasSize(LOOKS)
                .allSatisfy(event -> assertThat(event.argument("path"))
                        .isEqualTo("/ids-" + event.argument("async_id") + "-" + event.argument("trigger_id")));
        assertThat(looks).allMatch(event -> number(event, "async_id") <= number(event, "async_counter"));
        assertThat(looks.stream().map(RecordedEvent::tid).distinct()).hasSize(2);
        assertThat(looks.stream().filter(event -> number(event, "async_id") > 0))
                .hasSizeGreaterThanOrEqualTo(LOOKS / 2);

        boolean carriesStores = nodePackage
                .run(node, List.of("-p", "require('./lib/request-contexts.js').RequestContexts.areFree()"))
                .contains("true");
        List<RecordedEvent> touches = touched(recorded, "/request-");
        assertThat(touches)
                .hasSize(REQUESTS * TOUCHES)
                .allSatisfy(event -> assertThat(event.argument("context"))
                        .isEqualTo(
                                carriesStores
                                        ? Long.parseLong(String.valueOf(event.argument("path"))
                                                .replaceAll("\\D", ""))
                                        : 0L));
    }

    @Test
    void hitsAreCountedByTheIdsOfTheApplication() throws Exception {
        String spec = "uprobe:uv_fs_access(path=arg3:str[64], id=asyncid, trigger=triggerid)";
        try (LineProgram application = start(NodeFixture.installedNode(), List.of());
                CommandRun hist = CommandRun.start(
                        "hist",
                        "-p",
                        application.pid(),
                        spec,
                        "--by",
                        "path,id,trigger",
                        "--count",
                        "--json",
                        "-i",
                        "60")) {
            hist.await("counting at 1 probe");
            assertThat(application.ask("ids")).isEqualTo("done");
            assertThat(hist.interrupt().end()).isZero();

            long counted = 0;
            for (JsonNode row : new ObjectMapper().readTree(hist.out()).at("/histograms/0/rows")) {
                JsonNode key = row.get("key");
                String path = key.get(0).asText();
                if (path.startsWith("/ids-")) {
                    assertThat(path)
                            .isEqualTo("/ids-" + key.get(1).asLong() + "-"
                                    + key.get(2).asLong());
                    counted += row.get("count").asLong();
                }
            }
            assertThat(counted).isEqualTo(LOOKS);
        }
    }

    @Test
    @Tag("deep")
    void traceAndSpanAreThoseOfTheSdk() throws Exception {
        Path modules = NodeApps.modules();
        NodeBinary node = new NodeBinary(Path.of(System.getenv("PROBESTREAM_NODES"), "node24"));
        Path file = folder.resolve("traces.avro");
        try (LineProgram application = start(node, List.of())) {
            try (CommandRun record = record(application, file)) {
                assertThat(application.ask("traces " + modules)).isEqualTo("done");
                assertThat(record.interrupt().end()).isZero();
            }
        }
        List<RecordedEvent> looks = touched(RecordedFile.read(file), "/trace-");
        assertThat(looks)
                .hasSize(3 * 5 + 1)
                .allSatisfy(event -> assertThat(event.argument("path"))
                        .isEqualTo("/trace-" + text(event, "trace_id") + "-" + text(event, "span_id")));
        assertThat(looks.stream().map(event -> text(event, "trace_id")).distinct())
                .hasSize(3 + 1);
        assertThat(looks).allMatch(event -> event.argument("context").equals(0L));
    }

    private static List<RecordedEvent> touched(RecordedFile recorded, String prefix) {
        return recorded.events().stream()
                .filter(event -> String.valueOf(event.argument("path")).startsWith(prefix))
                .toList();
    }

    private static long number(RecordedEvent event, String name) {
        return (Long) event.argument(name);
    }

    /** Empty where there is none. */
    private static String text(RecordedEvent event, String name) {
        Object text = event.arguments().get(name);
        return text == null ? "" : text.toString();
    }

    private LineProgram start(NodeBinary node, List<String> options) throws IOException {
        Path script = folder.resolve("contexts.js");
        try (InputStream source =
                Objects.requireNonNull(AsyncContextTest.class.getResourceAsStream(APPLICATION), APPLICATION)) {
            Files.write(script, source.readAllBytes());
        }
        List<String> command = new ArrayList<>(List.of(node.path().toString()));
        command.addAll(options);
        command.add(script.toString());
        return LineProgram.start(command);
    }

    private static CommandRun record(LineProgram application, Path file) throws IOException {
        return CommandRun.start(
                        "record", "-p", application.pid(), "--budget", "off", "-o", file.toString(), "--probes", PROBE)
                .awaitRecording();
    }
}
