package dev.probestream.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every command and every SQL query of README.md and docs/ (fences {@code sh} and {@code sql}) in one folder, with a real
 * Node server as process 4711, and expects exit code 0.
 */
@KernelTest(since = "5.8")
@Tag("deep")
class DocumentedCommandsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(sh|sql)\\n(.*?)^```$");
    private static final Pattern ENDLESS = Pattern.compile(
            "\\./probestream (http|loop|open|watch) .*|\\./probestream (trace|hist) (?!.*(-M 1|-n 1|-- )).*");

    /** DemoTest runs the demo; the test brings a broker of its own. */
    private static final Set<String> RUN_ELSEWHERE = Set.of("./probestream demo", "./probestream broker &");

    /** What a command that runs until Ctrl-C prints when it is ready; it then handles the signal. */
    private static final String READY = "Ctrl-C ends it";

    private static final long LIMIT_SECONDS = 120;

    @TempDir
    private Path folder;

    @Test
    void everyCommandAndQueryEndsWithSuccess() throws Exception {
        prepareFiles();
        List<String> failures = new ArrayList<>();
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"), 0);
                NodeFixture server = NodeFixture.start(new ProcessBuilder("node", script("app.js"), "1000000"))) {
            List<String> lines = new ArrayList<>(List.of(
                    "./probestream record -p 4711 --probes incident --for 3s -o incident.avro",
                    "./probestream record -p 4711 --for 3s -o app.avro",
                    "cp incident.avro before.avro",
                    "cp app.avro after.avro",
                    "./probestream convert app.avro -o tables/"));
            lines.addAll(documented());
            for (String line : lines) {
                String command = line.replaceAll("\\b4711\\b", server.pid())
                        .replace("127.0.0.1:9092", broker.bootstrapServers())
                        .replace("/usr/bin/node", node())
                        .replaceAll("--for \\d+[sm]", "--for 2s")
                        .replace("./probestream open ", "./probestream open --port 0 ");
                run(command, failures);
            }
        }

        assertThat(failures).isEmpty();
    }

    /** Where the shell finds node. */
    private static String node() throws IOException {
        Process which = new ProcessBuilder("sh", "-c", "readlink -f \"$(command -v node)\"").start();
        return new String(which.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    /** The commands in the order of the pages, each once; a query becomes a command. */
    private static Set<String> documented() throws IOException {
        Set<String> commands = new LinkedHashSet<>();
        for (Path page : pages()) {
            Matcher blocks = BLOCK.matcher(Files.readString(page));
            while (blocks.find()) {
                if (blocks.group(1).equals("sql")) {
                    commands.add("./probestream query incident.avro \""
                            + blocks.group(2).strip() + "\"");
                    continue;
                }
                for (String line : blocks.group(2).replace("\\\n", " ").split("\n")) {
                    String command = line.replaceFirst("^sudo ", "")
                            .replaceAll("\\s+# .*", "")
                            .strip();
                    if (!command.isEmpty() && !RUN_ELSEWHERE.contains(command)) {
                        commands.add(command);
                    }
                }
            }
        }
        return commands;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md")),
                            docs.filter(file -> file.toString().endsWith(".md")).sorted())
                    .toList();
        }
    }

    private void run(String command, List<String> failures) throws IOException, InterruptedException {
        boolean isEndless = ENDLESS.matcher(command).matches();
        Path output = Files.writeString(folder.resolve("output.txt"), "");
        Process process = new ProcessBuilder(
                        "env", "--default-signal=INT", "sh", "-c", (isEndless ? "exec " : "") + command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Instant deadline = Instant.now().plusSeconds(LIMIT_SECONDS);
        while (isEndless
                && process.isAlive()
                && !Files.readString(output).contains(READY)
                && Instant.now().isBefore(deadline)) {
            Thread.sleep(50);
        }
        if (isEndless) {
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
        boolean isEnded = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        if (!isEnded || process.exitValue() != 0) {
            List<String> lines = Files.readAllLines(output);
            failures.add(command + "\n  exit code " + (isEnded ? process.exitValue() : "none") + "\n  "
                    + String.join("\n  ", lines.subList(Math.max(0, lines.size() - 5), lines.size())));
        }
    }

    private void prepareFiles() throws IOException {
        Path launcher = Files.writeString(
                folder.resolve("probestream"), "#!/bin/sh\nexec " + CommandRun.commandLine() + " \"$@\"\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(folder.resolve("question.sql"), "SELECT count(*) AS n FROM spans;\n");
        script("app.js");
        script("server.js");
    }

    /** Copies the application of the documentation under this name. */
    private String script(String name) throws IOException {
        Path script = folder.resolve(name);
        try (var source = Objects.requireNonNull(getClass().getResourceAsStream("/testdata/docs/app.js"))) {
            Files.write(script, source.readAllBytes());
        }
        return script.toString();
    }
}
