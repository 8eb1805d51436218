package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar that Maven made and the launcher on it: each command runs with the class path it needs, and no more. */
@Tag("packaged")
@Timeout(300)
class PackagedTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path JAR = MODULE.resolve("target/probestream.jar");
    private static final String RECORDING = MODULE.resolveSibling("schema/src/test/resources/samples/format3.avro")
            .toString();

    /** What a run printed, both streams together, and its exit code. */
    private record Run(int exitCode, String output) {}

    @TempDir
    private Path folder;

    @Test
    void theCommonClassPathHasNoBrokerAndNoDatabase() throws IOException {
        List<String> names = commonClassPath();

        assertThat(names)
                .anyMatch(name -> name.startsWith("lib/picocli-"))
                .noneMatch(name -> name.matches("lib/(kafka_|kafka-(?!clients-)|scala|duckdb).*"))
                .allSatisfy(name -> assertThat(JAR.resolveSibling(name)).exists());
    }

    @Test
    void whatOneCommandNeedsIsInNoOtherFolder() throws IOException {
        List<String> names = new ArrayList<>();
        for (String libraries : List.of("lib", "lib-broker", "lib-query")) {
            try (var files = Files.list(JAR.resolveSibling(libraries))) {
                files.map(file -> file.getFileName().toString()).forEach(names::add);
            }
        }

        assertThat(names)
                .doesNotHaveDuplicates()
                .anyMatch(name -> name.startsWith("kafka_"))
                .anyMatch(name -> name.startsWith("duckdb"));
    }

    @Test
    void recordRunsOnTheCommonClassPath() throws Exception {
        assertThat(launch("record", "--help").exitCode()).isZero();
    }

    @Test
    void aBrokerStartsAndEnds() throws Exception {
        Process broker = start(launcher(
                "broker", "--port", "0", "--data", folder.resolve("data").toString()));
        try (BufferedReader out = broker.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = new ArrayList<>();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                if (line.startsWith("broker ready at ")) {
                    broker.toHandle().destroy(); // Process.destroy() would close its streams too.
                }
            }
            assertThat(lines).anyMatch(line -> line.startsWith("broker ready at 127.0.0.1:"));
            assertThat(broker.waitFor()).isZero();
        } finally {
            broker.destroyForcibly();
        }
    }

    @Test
    void aRecordingIsQueried() throws Exception {
        Run run = launch("query", RECORDING, "SELECT 6 * 7 AS answer");

        assertThat(run.output()).contains("answer", "42");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void aReportIsWritten() throws Exception {
        Path page = folder.resolve("report.html");

        Run run = launch("report", RECORDING, "-o", page.toString());

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(page).isNotEmptyFile();
    }

    @Test
    void theJarAloneNamesTheMissingLibraries() throws Exception {
        assertThat(run(java("query", RECORDING, "SELECT 1")))
                .isEqualTo(new Run(
                        1,
                        "probestream: DuckDB is not on the class path: run this command with ./probestream, or with java"
                                + " -cp 'probestream.jar:lib-query/*' dev.probestream.cli.Main\n"));
        assertThat(run(java(
                        "broker",
                        "--port",
                        "0",
                        "--data",
                        folder.resolve("data").toString())))
                .isEqualTo(new Run(
                        1,
                        "probestream: Kafka's server is not on the class path: run this command with ./probestream, or"
                                + " with java -cp 'probestream.jar:lib-broker/*' dev.probestream.cli.Main\n"));
    }

    private static List<String> commonClassPath() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            return List.of(jar.getManifest()
                    .getMainAttributes()
                    .getValue(Attributes.Name.CLASS_PATH)
                    .split(" "));
        }
    }

    private static List<String> launcher(String... arguments) {
        return command(List.of(MODULE.resolveSibling("probestream").toString()), arguments);
    }

    private static List<String> java(String... arguments) {
        return command(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", JAR.toString()),
                arguments);
    }

    private static List<String> command(List<String> before, String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(arguments));
        return command;
    }

    private static Run launch(String... arguments) throws IOException, InterruptedException {
        return run(launcher(arguments));
    }

    private static Run run(List<String> command) throws IOException, InterruptedException {
        Process process = start(command);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
