package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The npm package of the top folder {@code node}, compiled once, on each version of Node.js; see {@code NodeVersions}. */
@KernelTest(since = "5.8")
class NodePackageTest {
    private static final int MARK_SWEEP_COMPACT = 4;

    @TempDir
    private static Path built;

    private static NodePackage nodePackage = new NodePackage(Path.of(""));

    @TempDir
    private Path folder;

    @BeforeAll
    static void build() throws Exception {
        ElfFixture.needs("gcc");
        ElfFixture.needs("readelf");
        nodePackage = NodePackage.build(NodeFixture.installedNode(), built);
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void itsOwnTestsPass(NodeBinary node) throws Exception {
        List<String> tests = nodePackage.tests();
        assertThat(tests).hasSizeGreaterThan(4);
        for (String test : tests) {
            // Where stores are not carried by V8, all tests of a file may be skipped; that one fails is an IOException.
            assertThat(nodePackage.run(node, List.of("--test", test))).containsPattern("(?m)^. (pass|skipped) [1-9]");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void theEightProbesTellWhatTheApplicationDid(NodeBinary node) throws Exception {
        try (LineProgram application = nodePackage.startApplication(node)) {
            assertThat(application.ask("semaphores")).isEqualTo("0 0 0 0 0 0 0 0 0");
            Path file = folder.resolve("node.avro");
            String[] ports;
            try (CommandRun record = record(application, file, "usdt:node:*")) {
                assertThat(application.ask("semaphores")).isEqualTo("1 1 1 1 1 1 1 1 0");
                ports = application.ask("get /index.html?q=1").split(" ");
                application.ask("collect");
                assertThat(record.interrupt().end()).isZero();
            }
            assertThat(application.ask("semaphores")).isEqualTo("0 0 0 0 0 0 0 0 0");
            assertThat(application.ask("get /unseen")).isNotEmpty();

            RecordedFile recorded = RecordedFile.read(file);
            assertThat(recorded.lost()).isZero();
            assertExchange(recorded, Long.parseLong(ports[0]), Long.parseLong(ports[1]));
            assertCollection(recorded, Integer.parseInt(application.pid()));
        }
    }

    private static void assertExchange(RecordedFile recorded, long serverPort, long clientPort) {
        assertThat(recorded.events().stream()
                        .filter(event -> event.arguments().containsKey("port"))
                        .filter(event -> event.argument("port").equals(clientPort))
                        .map(event -> event.probe().getName()))
                .containsExactly(
                        "node:net__server__connection",
                        "node:http__server__request",
                        "node:http__server__response",
                        "node:net__stream__end");
        assertThat(recorded.events().stream()
                        .filter(event -> event.arguments().containsKey("port"))
                        .filter(event -> event.argument("port").equals(serverPort))
                        .map(event -> event.probe().getName()))
                .containsExactly("node:http__client__request", "node:http__client__response", "node:net__stream__end");
        for (String probe : List.of("node:http__server__request", "node:http__client__request")) {
            assertThat(recorded.events(probe)).singleElement().satisfies(request -> {
                assertThat(request.argument("remote")).isEqualTo("127.0.0.1");
                assertThat(request.argument("method")).isEqualTo("GET");
                assertThat(request.argument("url")).isEqualTo("/index.html?q=1");
                assertThat((Long) request.argument("fd")).isGreaterThan(2);
            });
        }
    }

    /** The one that was asked for; V8 may have had its own reasons for others. */
    private static void assertCollection(RecordedFile recorded, int thread) {
        List<RecordedEvent> starts = recorded.events("node:gc__start");
        List<RecordedEvent> ends = recorded.events("node:gc__done");
        assertThat(starts).hasSameSizeAs(ends).allMatch(start -> start.tid() == thread);
        assertThat(starts).anyMatch(start -> start.argument("type").equals((long) MARK_SWEEP_COMPACT));
        for (int i = 0; i < starts.size(); i++) {
            assertThat(ends.get(i).argument("type")).isEqualTo(starts.get(i).argument("type"));
            assertThat(ends.get(i).argument("isolate")).isEqualTo(starts.get(i).argument("isolate"));
            assertThat((Long) starts.get(i).argument("isolate")).isNotZero();
            // A collection of a heap takes longer than the call of two callbacks.
            assertThat(ends.get(i).timestampNs() - starts.get(i).timestampNs()).isGreaterThan(10_000);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void probesOfTheApplicationCarryTheirValuesFromEveryThread(NodeBinary node) throws Exception {
        Path file = folder.resolve("app.avro");
        try (LineProgram application = nodePackage.startApplication(node)) {
            assertThat(application.ask("checkout 1 unseen")).isEqualTo("disabled");
            try (CommandRun record =
                    record(application, file, "usdt:app:checkout(amount=arg1, article=arg2:str, third=arg3)")) {
                assertThat(application.ask("checkout " + Long.MAX_VALUE + " zwölf€"))
                        .isEqualTo("enabled");
                assertThat(application.ask("work -2 𝄞")).isEqualTo("enabled");
                assertThat(record.interrupt().end()).isZero();
            }
            assertThat(application.ask("checkout 3 unseen")).isEqualTo("disabled");

            List<RecordedEvent> fired = RecordedFile.read(file).events("app:checkout");
            assertThat(fired).extracting(event -> event.argument("amount")).containsExactly(Long.MAX_VALUE, -2L);
            assertThat(fired).extracting(event -> event.argument("article")).containsExactly("zwölf€", "𝄞");
            assertThat(fired).extracting(event -> event.argument("third")).containsExactly(-7L, -7L);
            assertThat(fired.get(0).tid()).isEqualTo(Integer.parseInt(application.pid()));
            assertThat(fired.get(1).tid()).isNotEqualTo(fired.get(0).tid());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void theLineOfBccPrintsWhatWasAskedFor(NodeBinary node) throws Exception {
        try (LineProgram application = nodePackage.startApplication(node);
                CommandRun trace = CommandRun.start(
                        "trace",
                        "-M",
                        "1",
                        "-p",
                        application.pid(),
                        "u:node:http__server__request \"%s %s %s\", arg3, arg5, arg6")) {
            trace.await("tracing with 1 probe");
            application.ask("get /index.html");

            assertThat(trace.end()).isZero();
            assertThat(trace.out()).contains("127.0.0.1 GET /index.html");
        }
    }

    @Test
    void listFindsEveryProbe() throws Exception {
        try (LineProgram application = nodePackage.startApplication(NodeFixture.installedNode())) {
            CommandRun run = CommandRun.run("list", "-p", application.pid());

            String addon =
                    nodePackage.folder().resolve("build/probestream.node").toString();
            assertThat(run.out().lines().filter(line -> line.contains(":node:")))
                    .containsExactlyInAnyOrder(
                            "usdt:" + addon + ":node:net__server__connection",
                            "usdt:" + addon + ":node:net__stream__end",
                            "usdt:" + addon + ":node:http__server__request",
                            "usdt:" + addon + ":node:http__server__response",
                            "usdt:" + addon + ":node:http__client__request",
                            "usdt:" + addon + ":node:http__client__response",
                            "usdt:" + addon + ":node:gc__start",
                            "usdt:" + addon + ":node:gc__done");
            assertThat(run.out().lines()).contains("usdt:\"memfd:app:checkout\":app:checkout");
        }
    }

    private static CommandRun record(LineProgram application, Path file, String probe) throws IOException {
        return CommandRun.start("record", "-p", application.pid(), "-o", file.toString(), "--probes", probe)
                .awaitRecording();
    }
}
