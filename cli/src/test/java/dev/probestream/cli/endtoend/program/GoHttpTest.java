package dev.probestream.cli.endtoend.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.InstalledProgram;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe set go-http on a client and a server compiled by the machine's Go. */
@KernelTest(since = "5.8")
class GoHttpTest {
    private static final int REQUESTS = 40;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyRequestIsSeenOnceByClientAndServer(boolean isQueryShown) throws Exception {
        Path recording = folder.resolve("trace.avro");
        List<String> uris = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            uris.add((i % 4 == 3 ? "/missing/" : "/page/") + i + "?n=" + i);
        }
        String server;
        try (LineProgram go = LineProgram.start(List.of(build().toString()));
                CommandRun record = CommandRun.start(Stream.of(
                                "record",
                                "-p",
                                go.pid(),
                                "-o",
                                recording.toString(),
                                "--probes",
                                "go-http",
                                "--show-query")
                        .filter(word -> isQueryShown || !word.equals("--show-query"))
                        .toArray(String[]::new))) {
            record.awaitRecording();
            server = go.ask("address");
            for (String uri : uris) {
                assertThat(go.ask("get " + uri)).isEqualTo(uri.startsWith("/missing") ? "404" : "200");
            }

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        List<String> shown = uris.stream()
                .map(uri -> isQueryShown ? uri : uri.replaceFirst("=.*", "=***"))
                .toList();
        assertThat(recorded.lost()).isZero();
        assertThat(recorded.events("HTTP request sent"))
                .extracting(event -> event.argument("path") + "?" + event.argument("query"))
                .containsExactlyElementsOf(shown);
        assertThat(recorded.events("HTTP request sent"))
                .allMatch(event -> event.argument("method").equals("GET"))
                .allMatch(event -> event.argument("scheme").equals("http"))
                .allMatch(event -> event.argument("host").equals(server));
        assertThat(recorded.events("HTTP request served"))
                .extracting(event -> event.argument("uri"))
                .containsExactlyElementsOf(List.<Object>copyOf(shown));
        assertThat(recorded.events("HTTP request served"))
                .allMatch(event -> event.argument("host").equals(server))
                .allMatch(event -> event.argument("client").toString().startsWith("127.0.0.1:"));
        assertThat(recorded.events("HTTP status"))
                .extracting(event -> event.argument("status"))
                .containsExactlyElementsOf(uris.stream()
                        .<Object>map(uri -> uri.startsWith("/missing") ? 404L : 200L)
                        .toList());
        assertThat(requests(recorded, "HTTP status")).isEqualTo(requests(recorded, "HTTP request served"));
        assertThat(requests(recorded, "HTTP request finished")).isEqualTo(requests(recorded, "HTTP request served"));
        assertThat(recorded.events("connection dialled"))
                .isNotEmpty()
                .allMatch(event -> event.argument("address").equals(server))
                .allMatch(event -> event.argument("scheme").equals("http"));
    }

    @Test
    void aCallThatGrowsTheStackIsSeenOnce() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (LineProgram go = LineProgram.start(List.of(build().toString()));
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        go.pid(),
                        "-o",
                        recording.toString(),
                        "--probes",
                        "uprobe:main.grow(n=arg1:s64)",
                        "--probes",
                        "uprobe:main.growMore(n=arg1:s64)")) {
            record.awaitRecording();
            go.ask("grow 50");

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        List<Object> numbers =
                LongStream.range(0, 50).<Object>mapToObj(Long::valueOf).toList();
        for (String function : List.of("main.grow", "main.growMore")) {
            assertThat(recorded.events(function))
                    .extracting(event -> event.argument("n"))
                    .containsExactlyElementsOf(numbers);
        }
    }

    @Test
    void returnsOfGoFunctionsAreRefused() throws Exception {
        try (LineProgram go = LineProgram.start(List.of(build().toString()))) {
            CommandRun record = CommandRun.run(
                    "record",
                    "-p",
                    go.pid(),
                    "-o",
                    folder.resolve("trace.avro").toString(),
                    "--probes",
                    "span:\"net/http.(*Transport).roundTrip\"");

            assertThat(record.exitCode()).isEqualTo(1);
            assertThat(record.said())
                    .last()
                    .asString()
                    .contains("this is a Go program")
                    .contains("RET");
        }
    }

    private static List<Object> requests(RecordedFile recorded, String name) {
        return recorded.events(name).stream()
                .map(event -> event.argument("request"))
                .toList();
    }

    private Path build() throws IOException, InterruptedException {
        Path source = folder.resolve("fetch.go");
        try (InputStream in = Objects.requireNonNull(GoHttpTest.class.getResourceAsStream("/testdata/go/fetch.go"))) {
            Files.write(source, in.readAllBytes());
        }
        Path program = folder.resolve("fetch");
        Process go = new ProcessBuilder(
                        InstalledProgram.inPath("go").toString(), "build", "-o", program.toString(), source.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(go.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(go.waitFor()).as(said).isZero();
        return program;
    }
}
