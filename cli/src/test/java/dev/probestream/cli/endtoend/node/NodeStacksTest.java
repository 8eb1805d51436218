package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.RecordedStacks;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who asked for it: stacks of real Node.js, of each version that is there (see {@code NodeVersions}). */
@KernelTest(since = "5.8")
class NodeStacksTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final String OPEN = "uprobe:uv_fs_open(path=arg3:str) [ustack]";
    /** net.connect to an address calls uv_tcp_connect in process.nextTick, without its caller on the stack. */
    private static final String CONNECTION = "uprobe:uv_tcp_init [ustack]";

    /**
     * What is asked leaves garbage, {@code keepBusy} most of all: a collection may move functions before their names are read. Memory that is not
     * there when a hit comes is not read at all.
     */
    private static final int TRIES = 4;

    private static final Pattern PERF_MAP_NAME = Pattern.compile("\\S+ \\S+ \\w+:[~^+*-]?(.*) (.*?:\\d+)(?::\\d+)?");

    /** Its functions stand in the lines that are asserted. */
    private static final String BUSY = """
            const does = {
              keepBusy(done) {
                const begun = process.cpuUsage().user
                while (process.cpuUsage().user - begun < 300_000) Math.sqrt(begun); done()
              },
              readNow(done) { const fd = fs.openSync(__filename); fs.fstatSync(fd); fs.readSync(fd, Buffer.alloc(9)); fs.closeSync(fd); done() },
              readLater(done) { fs.readFile(__filename, done) },
              hash(done) { crypto.pbkdf2('a', 'b', 1, 32, 'sha512', done) },
            }
            const fs = require('fs'), crypto = require('crypto')
            require('readline').createInterface({ input: process.stdin })
              .on('line', name => does[name](() => console.log('done')))
            console.log('ready')
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void functionFileAndLineThatAskedForItAreNamed(NodeBinary node) throws Exception {
        Path app = application();
        try (App running = App.start(node.path().toString(), app.toString())) {
            RecordedStacks stacks = record(running, "commonjs", "esm");

            assertThat(callers(stacks.of("uv_fs_open", "/etc/hostname")))
                    .singleElement(InstanceOfAssertFactories.list(String.class))
                    .containsSubsequence("openByCommonJs " + app + ":5", "answer " + app + ":20");
            assertThat(callers(stacks.of("uv_fs_open", "/etc/hosts")))
                    .singleElement(InstanceOfAssertFactories.list(String.class))
                    .containsSubsequence(
                            "openByModule file://" + app.resolveSibling("module.mjs") + ":3", "answer " + app + ":20");
            assertThat(callers(stacks.of("uv_tcp_init", "")))
                    .isNotEmpty()
                    .allMatch(callers ->
                            callers.contains("phoneHome " + app.resolveSibling("node_modules/chatty/index.js") + ":5"))
                    .allMatch(callers -> callers.stream().noneMatch(caller -> caller.contains(app.toString())));
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void everyFrameOfADeepStackIsNamed(NodeBinary node) throws Exception {
        Path app = application();
        try (App running = App.start(node.path().toString(), app.toString())) {
            RecordedStacks stacks =
                    record(running, Collections.nCopies(TRIES, "deep").toArray(String[]::new));

            List<List<Frame>> named = withNames(stacks.of("uv_fs_open", "/etc/passwd"));
            assertThat(named).isNotEmpty();
            List<Frame> frames = named.get(0);
            List<Frame> javaScript = frames.stream()
                    .filter(frame -> frame.getKind() == FrameKind.JS && !frame.getIsAsync())
                    .toList();
            assertThat(javaScript).hasSize(Integer.parseInt(running.answers.get(0)));
            assertThat(javaScript).extracting(Frame::getFile).doesNotContain("");
            assertThat(javaScript)
                    .filteredOn(frame -> frame.getSymbol().equals("openDeepDown"))
                    .hasSize(21)
                    .extracting(Frame::getFile)
                    .containsOnly(app.toString());
            assertThat(frames).extracting(Frame::getSymbol).noneMatch(symbol -> symbol.startsWith("Builtin"));
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void memoryAndPerfMapGiveAFunctionOneName(NodeBinary node) throws Exception {
        Path app = application();
        try (App running = App.start(
                node.path().toString(), "--perf-basic-prof", "--interpreted-frames-native-stack", app.toString())) {
            RecordedStacks stacks = record(running, "commonjs");

            List<String> callers =
                    callers(stacks.of("uv_fs_open", "/etc/hostname")).get(0);
            assertThat(callers).contains("openByCommonJs " + app + ":5");
            // A perf map lacks functions of the startup snapshot.
            assertThat(namesOfPerfMap(running.pid()))
                    .containsAll(callers.stream()
                            .filter(caller -> caller.contains(app.toString()))
                            .toList());
        }
    }

    @Test
    void functionInAContainerIsNamedThoughItsPidThereIsAnother() throws Exception {
        String script = "function openInContainer() { fs.closeSync(fs.openSync('/etc/hostname')) }"
                + " require('readline').createInterface({ input: process.stdin })"
                + ".on('line', () => { openInContainer(); console.log('done') }); console.log('ready')";
        try (App running = App.start(
                "unshare",
                "--pid",
                "--fork",
                "--kill-child",
                NodeFixture.installedNode().path().toString(),
                "-e",
                script)) {
            RecordedStacks stacks = record(running, "open");

            assertThat(callers(stacks.of("uv_fs_open", "/etc/hostname")))
                    .allMatch(callers -> callers.contains("openInContainer [eval]:1"))
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void samplesNameWhatKeepsTheLoopBusyAndCallersWhoHandsWorkOver(NodeBinary node) throws Exception {
        Path app = Files.writeString(folder.resolve("busy.js"), BUSY).toRealPath();
        try (App running = App.start(node.path().toString(), app.toString())) {
            List<String> questions = new ArrayList<>(List.of("keepBusy"));
            for (int i = 0; i < TRIES; i++) {
                questions.addAll(List.of("readNow", "readLater", "hash"));
            }
            RecordedStacks stacks =
                    record(running, List.of("--probes", "profile,node-callers"), questions.toArray(String[]::new));

            assertThat(callers(stacks.of("cpu sample", "")))
                    .filteredOn(callers -> callers.contains("keepBusy " + app + ":2"))
                    .hasSizeGreaterThan(10);
            for (String call : List.of("open", "fstat", "read", "close")) {
                assertThat(named(stacks.of("caller of sync " + call, "")))
                        .as(call)
                        .filteredOn(callers -> !callers.isEmpty() || !NodeVersions.readsFilesOnThePool(node))
                        .isNotEmpty()
                        .allMatch(callers -> callers.contains("readNow " + app + ":6"));
            }
            assertThat(callers(
                            NodeVersions.readsFilesOnThePool(node)
                                    ? stacks.of("caller of work", "fs.readfile")
                                    : stacks.of("caller of fs work", "")))
                    .anyMatch(callers -> callers.contains("readLater " + app + ":7"))
                    .noneMatch(callers -> callers.contains("readNow " + app + ":6"));
            assertThat(named(stacks.of("caller of work", "crypto")))
                    .isNotEmpty()
                    .allMatch(callers -> callers.contains("hash " + app + ":8"));
        }
    }

    private RecordedStacks record(App app, String... questions) throws Exception {
        return record(app, List.of("--probes", OPEN, "--probes", CONNECTION), questions);
    }

    private RecordedStacks record(App app, List<String> probes, String... questions) throws Exception {
        Path recording = folder.resolve("stacks.avro");
        List<String> command = new ArrayList<>(List.of("record", "-p", app.pid(), "-o", recording.toString()));
        command.addAll(probes);
        try (CommandRun record = CommandRun.start(command.toArray(new String[0]))) {
            record.awaitRecording();
            for (String question : questions) {
                app.ask(question);
            }
            assertThat(record.interrupt().end()).isZero();
        }
        return RecordedStacks.read(recording);
    }

    /** Of each stack the functions of JavaScript, innermost first, with their places. */
    private static List<List<String>> callers(List<List<Frame>> stacks) {
        return stacks.stream()
                .map(frames -> frames.stream()
                        .filter(frame -> frame.getKind() == FrameKind.JS)
                        .map(frame -> FrameText.symbol(frame) + " " + frame.getFile() + ":" + frame.getLine())
                        .toList())
                .toList();
    }

    /** As {@link #callers}, without the stacks with functions that a collection moved before their names were read. */
    private static List<List<String>> named(List<List<Frame>> stacks) {
        return callers(withNames(stacks));
    }

    private static List<List<Frame>> withNames(List<List<Frame>> stacks) {
        return stacks.stream()
                .filter(frames -> frames.stream()
                        .noneMatch(frame -> frame.getKind() == FrameKind.JS
                                && frame.getFile().isEmpty()))
                .toList();
    }

    /** As {@link #callers} writes them; V8 puts a kind and a tier before the name: {@code JS:~run /app/a.js:1:2}. */
    private static Set<String> namesOfPerfMap(String pid) throws IOException {
        return Files.readAllLines(Path.of("/tmp/perf-" + pid + ".map")).stream()
                .map(line -> PERF_MAP_NAME.matcher(line))
                .filter(Matcher::matches)
                .map(matcher ->
                        (matcher.group(1).isEmpty() ? FrameText.ANONYMOUS : matcher.group(1)) + " " + matcher.group(2))
                .collect(Collectors.toSet());
    }

    private Path application() throws IOException {
        for (String name : List.of("app.js", "module.mjs", "chatty/index.js")) {
            String resource = "/testdata/node/stacks/" + name;
            Path file = folder.resolve(name.startsWith("chatty") ? "node_modules/" + name : name);
            Files.createDirectories(file.getParent());
            try (InputStream source = Objects.requireNonNull(getClass().getResourceAsStream(resource), resource)) {
                Files.write(file, source.readAllBytes());
            }
        }
        return folder.resolve("app.js").toRealPath();
    }

    /** A program that says when it is ready and answers each line with a line. */
    private static final class App implements AutoCloseable {
        private final Process process;
        private final BufferedReader output;
        private final Writer input;
        private final List<String> answers = new ArrayList<>();

        private App(Process process) {
            this.process = process;
            this.output = process.inputReader(StandardCharsets.UTF_8);
            this.input = process.outputWriter(StandardCharsets.UTF_8);
        }

        static App start(String... command) throws IOException {
            Path folder = Files.createTempDirectory(
                    "v8-log"); // a V8 that writes a perf map leaves an empty log where it is started
            App app = new App(new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
            app.output.readLine();
            return app;
        }

        /** Of node: the process itself, or the one it was started through. */
        String pid() {
            return String.valueOf(process.descendants()
                    .reduce((first, second) -> second)
                    .map(ProcessHandle::pid)
                    .orElse(process.pid()));
        }

        void ask(String line) throws IOException {
            input.write(line + "\n");
            input.flush();
            answers.add(output.readLine());
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            process.onExit().join();
            Files.deleteIfExists(Path.of("/tmp/perf-" + process.pid() + ".map"));
        }
    }
}
