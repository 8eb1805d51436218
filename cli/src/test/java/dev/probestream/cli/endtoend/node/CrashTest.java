package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.ReportAnalysis;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Servers that die, each of another fault (testdata/crash), recorded by the set all: the report's first finding says of
 * what, where, and while serving which request; findings of several are in the order of their deaths. Each serves GET /slow/first, which is never answered, and then the fault's request.
 */
@KernelTest(since = "5.8")
class CrashTest {
    private static final String SECRET = "s3cr3tvalue";

    /**
     * One of so many must be right: names of functions are read while the process lives, and on a busy machine it may be gone before the
     * collector has a CPU.
     */
    private static final int RECORDINGS = 3;

    @TempDir
    private Path folder;

    /**
     * A way to die.
     *
     * @param name as in lib/faults.js; "kill" = by SIGKILL from outside
     * @param words of the first finding
     */
    private record Fault(String name, List<String> words) {
        static final Fault THROW = new Fault(
                "throw",
                List.of("uncaught exception: TypeError: no price for token=***", "priceOrder (lib/faults.js:6)"));
        static final Fault KILL = new Fault("kill", List.of("SIGKILL from process ", "while serving GET /slow/first"));

        static List<Fault> all() {
            return List.of(
                    THROW,
                    KILL,
                    new Fault(
                            "reject",
                            List.of("a rejected promise: Error: no such user", "loadUser (lib/faults.js:11)")),
                    new Fault(
                            "emit",
                            List.of(
                                    "an 'error' event without a listener: Error: part missing (EPART)",
                                    "made in missingPart (lib/faults.js:34)")),
                    new Fault("abort", List.of("process.abort()")),
                    new Fault(
                            "stack",
                            List.of("RangeError: Maximum call stack size exceeded", "walkTree (lib/faults.js:19)")),
                    new Fault("heap", List.of("ran out of heap memory")),
                    new Fault("addon", List.of("crashed with SIGSEGV in decode_pixels (addon.node)")),
                    new Fault("exit", List.of("process.exit(3)")),
                    // The recording's length decides whether chance explains a rejection so shortly before the end.
                    new Fault(
                            "rejectHandled",
                            List.of("process.exit(1) was called", " promise that nothing handled was rejected")),
                    new Fault("rejectLogged", List.of("loadPart (lib/faults.js:5")),
                    new Fault("rejectCaught", List.of("ended because process.exit(3) was called")));
        }

        /** The request whose work leads to the fault; known of all but addon and exit only by being open. */
        String request() {
            return "GET /fault/" + name;
        }
    }

    @Test
    void theFirstFindingSaysOfWhatAProcessDied() throws Exception {
        assertFirstFindings(NodeFixture.installedNode(), List.of(Fault.THROW, Fault.KILL), folder);
    }

    @Tag("deep")
    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void theFirstFindingSaysSoOfEachFault(NodeBinary node) throws Exception {
        for (int i = 1; i < RECORDINGS; i++) {
            try {
                assertFirstFindings(node, Fault.all(), Files.createDirectory(folder.resolve("recording" + i)));
                return;
            } catch (AssertionError e) {
                System.out.println("once more: " + e.getMessage());
            }
        }
        assertFirstFindings(node, Fault.all(), folder);
    }

    private static void assertFirstFindings(NodeBinary node, List<Fault> faults, Path place) throws Exception {
        Path recording = place.resolve("crashes.avro");
        Path scripts = copied(place);
        List<NodeFixture> servers = new ArrayList<>();
        try {
            List<String> record = new ArrayList<>(List.of(
                    "record", "-o", recording.toString(), "--probes", "all,node-callers", "--ring-size", "64M"));
            for (int i = 0; i < faults.size(); i++) {
                servers.add(server(node, scripts));
                record.addAll(List.of("-p", servers.get(i).pid()));
            }
            try (CommandRun run = CommandRun.start(record.toArray(String[]::new))) {
                run.awaitRecording();
                for (int i = 0; i < faults.size(); i++) {
                    die(servers.get(i), faults.get(i));
                }
                assertThat(run.end()).as("%s", run.said()).isZero();
            }
            List<Finding> findings = findings(recording);
            assertThat(findings).hasSizeGreaterThanOrEqualTo(faults.size());
            for (int i = 0; i < faults.size(); i++) {
                assertFinding(findings.get(i), servers.get(i).pid(), faults.get(i));
            }
        } finally {
            for (NodeFixture server : servers) {
                server.close();
            }
        }
    }

    private static void die(NodeFixture server, Fault fault) throws Exception {
        int port = Integer.parseInt(server.greeting());
        try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), port);
                Socket fatal = new Socket(InetAddress.getLoopbackAddress(), port)) {
            // The slow request has been read when the other connection's first one is answered.
            send(slow, "/slow/first");
            send(fatal, "/ok");
            assertThat(fatal.getInputStream().read()).isNotNegative();
            if (fault.name().equals("kill")) {
                assertThat(new ProcessBuilder("kill", "-KILL", server.pid())
                                .start()
                                .waitFor())
                        .isZero();
            } else {
                send(fatal, "/fault/" + fault.name() + "?id=1");
            }
            server.awaitEnd();
        }
    }

    private static void send(Socket socket, String path) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static List<Finding> findings(Path recording) throws Exception {
        try (Recordings recordings = Recordings.open(List.of(recording), Limits.standard(), ConversionProgress.NONE)) {
            try (Statement statement = recordings.connection().createStatement();
                    ResultSet texts = statement.executeQuery("SELECT s0 FROM events WHERE probe = 'printed text'")) {
                while (texts.next()) {
                    assertThat(texts.getString(1)).doesNotContain(SECRET);
                }
            }
            return ReportAnalysis.of(recordings, "test", Instant.EPOCH).findings();
        }
    }

    private static void assertFinding(Finding finding, String pid, Fault fault) {
        assertThat(finding.rule()).as(fault.name()).isEqualTo("crash");
        assertThat(finding.severity()).isEqualTo(Finding.Severity.HIGH);
        assertThat(finding.title()).startsWith("Process " + pid + " (");
        assertThat(finding.title() + "\n" + finding.text()).contains(fault.words());
        if (!fault.equals(Fault.KILL)) {
            assertThat(finding.title()).contains(fault.request());
            assertThat(finding.text()).contains("2 requests were open", "GET /slow/first");
        }
    }

    private static NodeFixture server(NodeBinary node, Path scripts) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                node.path().toString(),
                "--max-old-space-size=40",
                scripts.resolve("server.js").toString());
        builder.environment().put("ADDON", scripts.resolve("addon.node").toString());
        return NodeFixture.startQuietly(builder.directory(scripts.toFile()));
    }

    /** The scripts, the package that they use, and the addon. */
    private static Path copied(Path place) throws Exception {
        ElfFixture.needs("cc");
        Path source = Path.of(Objects.requireNonNull(CrashTest.class.getResource("/testdata/crash"))
                .toURI());
        Path target = place.toRealPath().resolve("app");
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.sorted().toList()) {
                // Folders of this name are left out of a source archive.
                String name = source.relativize(file).toString().replace("packages", "node_modules");
                Files.copy(file, target.resolve(name));
            }
        }
        ElfFixture.run(
                "cc",
                "-shared",
                "-fPIC",
                "-O1",
                "-fno-omit-frame-pointer",
                "-o",
                target.resolve("addon.node").toString(),
                target.resolve("addon.c").toString());
        return target;
    }
}
