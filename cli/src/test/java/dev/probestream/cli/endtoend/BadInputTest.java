package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user reads when something is wrong: the message, the exit code, and never a stack trace. */
class BadInputTest {
    private static final int NO_SUCH_PID = 4_194_304; // one more than the largest pid_max can give

    @TempDir
    private Path folder;

    @Test
    void withoutACommandTheManualIsNamed() throws Exception {
        expect(CommandRun.run(), 2, "probestream: no command given", "Try 'probestream --help'.");
    }

    @Test
    void aMisspeltCommandIsGuessed() throws Exception {
        expect(
                CommandRun.run("recrod"),
                2,
                "probestream: Unmatched argument at index 0: 'recrod'",
                "Did you mean: probestream record or probestream broker or probestream collect?",
                "Try 'probestream --help'.");
    }

    @Test
    void helpNamesItsTopics() throws Exception {
        expect(
                CommandRun.run("help", "filters"),
                2,
                "probestream help: there is no topic or command 'filters'; the topics are sets and specs,"
                        + " 'probestream --help' lists the commands",
                "Try 'probestream help --help'.");
    }

    @Test
    void somebodyMustBeRecorded() throws Exception {
        expect(
                CommandRun.run("record", "-o", file("a.avro")),
                2,
                "probestream record: no process selected: use -p PID, --comm NAME, --cgroup FOLDER, --all or -- CMD",
                "Try 'probestream record --help'.");
    }

    @Test
    void twoWaysToSayWhomAreOneTooMany() throws Exception {
        expect(
                CommandRun.run("record", "-p", "1", "--comm", "node", "-o", file("a.avro")),
                2,
                "probestream record: more than one selection of processes: use only one of -p PID, --comm NAME, --cgroup FOLDER, --all or -- CMD",
                "Try 'probestream record --help'.");
    }

    @Test
    void aDurationNeedsAUnit() throws Exception {
        expect(
                CommandRun.run("record", "-p", "1", "-o", file("a.avro"), "--for", "10"),
                2,
                "probestream record: Invalid value for option '--for': invalid duration '10': expected a number and a unit, such as 500ms, 10s, 2m or 1h",
                "Try 'probestream record --help'.");
    }

    @Test
    void theEndingSaysTheFormat() throws Exception {
        String file = file("trace.txt");
        expect(
                CommandRun.run("record", "-p", "1", "-o", file),
                2,
                "probestream record: cannot record to " + file
                        + ": the extension selects the format: .avro (a recording),"
                        + " .pftrace (for ui.perfetto.dev), .json or .json.gz (for chrome://tracing), or / (a folder"
                        + " of Parquet tables)");
    }

    @Test
    void aMissingFolderIsSaidBeforeAnythingIsRecorded() throws Exception {
        String file = folder.resolve("missing/a.avro").toString();
        expect(
                CommandRun.run("record", "-p", "1", "-o", file),
                1,
                "probestream record: cannot record to " + file + ": the folder " + folder.resolve("missing")
                        + " does not exist; create it first");
    }

    @Test
    @KernelTest(since = "5.8")
    void aTypoInASpecIsMarked() throws Exception {
        expect(
                CommandRun.run("record", "-p", "1", "-o", file("a.avro"), "--probes", "uprobe:open(path=arg1:strr)"),
                2,
                "probestream record: expected a type: s8 u8 s16 u16 s32 u32 s64 u64 f32 f64 ptr bool str str[CAPACITY]"
                        + " str[argN] str[..argN] gostr char[SIZE] sockaddr peer sockname uvstream or uvreader",
                "  uprobe:open(path=arg1:strr)",
                "                        ^");
    }

    @Test
    @KernelTest(since = "5.8")
    void anUnknownSetIsAnsweredWithThoseThatAre() throws Exception {
        CommandRun run = CommandRun.run("record", "-p", "1", "-o", file("a.avro"), "--probes", "node-loop,nodefs");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said().get(0))
                .isEqualTo(
                        "probestream record: no probe set is called nodefs; there are [node-http, node-requests, node-http2,"
                                + " node-websocket, node-net, node-db, node-statements, node-dns, node-fs, node-pool, node-turns, node-loop, node-gc, node-crash, node-callers,"
                                + " syscalls, sched, offcpu, profile, process, jvm, jvm-methods, redis,"
                                + " postgres, go-http] and [all, watch, incident]");
    }

    @Test
    @KernelTest(since = "5.8")
    void aProcessThatIsNotThereIsSaid() throws Exception {
        expect(
                CommandRun.run(
                        "record", "-p", String.valueOf(NO_SUCH_PID), "-o", file("a.avro"), "--probes", "syscalls"),
                1,
                "probestream record: read process " + NO_SUCH_PID
                        + ": there is no process with this pid; it may have exited ('ps -e' lists running processes)");
    }

    @Test
    @KernelTest(since = "5.8")
    void aFailureCostsNoOlderRecording() throws Exception {
        Path older = Files.writeString(folder.resolve("a.avro"), "an older one");
        CommandRun.run("record", "-p", String.valueOf(NO_SUCH_PID), "-o", older.toString(), "--probes", "syscalls");

        assertThat(older).hasContent("an older one");
        assertThat(folder.resolve("a.avro.old")).doesNotExist();
    }

    @Test
    @KernelTest(since = "5.8")
    void anUnknownFunctionIsAnsweredWithTheNearestNames() throws Exception {
        try (NodeFixture node = NodeFixture.start(folder)) {
            CommandRun run =
                    CommandRun.run("record", "-p", node.pid(), "-o", file("a.avro"), "--probes", "uprobe:uv_fs_opne");

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.said())
                    .singleElement()
                    .asString()
                    .startsWith("probestream record: resolve uprobe:uv_fs_opne in ")
                    .contains("there is no function uv_fs_opne; nearest: ")
                    .contains("uv_fs_open");
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void aProgramThatIsNoElfFileIsSaid() throws Exception {
        Path text = Files.writeString(folder.resolve("library.so"), "not a library");
        try (NodeFixture node = NodeFixture.start(folder)) {
            CommandRun run = CommandRun.run(
                    "record", "-p", node.pid(), "-o", file("a.avro"), "--probes", "uprobe:" + text + ":main");

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.said()).singleElement().asString().contains(text.toString(), "not an ELF file");
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void aCommandThatDoesNotExistIsSaid() throws Exception {
        CommandRun run =
                CommandRun.run("record", "-o", file("a.avro"), "--probes", "syscalls", "--", "no-such-command");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said()).singleElement().asString().contains("no-such-command");
    }

    @Test
    @KernelTest(since = "5.8")
    void withoutPrivilegesItIsSaidHowToGetThem() throws Exception {
        // World-writable, so that only the missing capabilities stop it.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        CommandRun run =
                CommandRun.start(asNobodyWith("dac_read_search"), List.of("record", "-p", "1", "-o", file("a.avro")));

        assertThat(run.end()).isEqualTo(77);
        assertThat(run.said().get(0))
                .isEqualTo("probestream record: not permitted to attach probes: this process lacks CAP_PERFMON and"
                        + " CAP_BPF.");
        assertThat(run.said()).anyMatch(line -> line.contains("sudo ./probestream"));
    }

    @Test
    @KernelTest(since = "5.8")
    void aProcessOfAnotherUserNeedsMorePrivileges() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (NodeFixture node = NodeFixture.start(folder)) {
            CommandRun run = CommandRun.start(
                    asNobodyWith("bpf", "perfmon", "dac_read_search"),
                    List.of("record", "-p", node.pid(), "-o", file("a.avro"), "--probes", "uprobe:uv_fs_open"));

            assertThat(run.end()).isEqualTo(77);
            assertThat(run.said())
                    .singleElement()
                    .isEqualTo("probestream record: read process " + node.pid()
                            + " (node): permission denied (it runs as user 0; run Probestream as root or with"
                            + " CAP_SYS_PTRACE)");
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void aProcessOfAnotherUserInAControlGroupIsSkippedAndThatIsSaid() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Optional<Path> groups = Files.readAllLines(Path.of("/proc/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[2].equals("cgroup2"))
                .map(fields -> Path.of(fields[1]))
                .findFirst();
        Assumptions.assumeTrue(
                groups.isPresent() && Files.isWritable(groups.get()), "needs cgroup v2 mounted, and root");
        Path ours = Files.createDirectory(groups.get()
                .resolve("probestream-cli-" + ProcessHandle.current().pid()));
        Process root = new ProcessBuilder("sleep", "1000").start();
        Process nobody = new ProcessBuilder("setpriv", "--reuid=65534", "--clear-groups", "sleep", "1000").start();
        try {
            for (Process process : List.of(root, nobody)) {
                Files.writeString(ours.resolve("cgroup.procs"), String.valueOf(process.pid()));
            }
            CommandRun run = CommandRun.start(
                    asNobodyWith("bpf", "perfmon", "dac_read_search"),
                    List.of(
                            "record",
                            "--cgroup",
                            ours.toString(),
                            "--probes",
                            "sched,process",
                            "--for",
                            "100ms",
                            "-o",
                            file("a.avro")));

            assertThat(run.end()).isZero();
            assertThat(run.said())
                    .contains("read process " + root.pid()
                            + " (sleep): permission denied (it runs as user 0; run Probestream as"
                            + " root or with CAP_SYS_PTRACE); its files are not searched for probes, and"
                            + " it has no counters");
        } finally {
            for (Process process : List.of(root, nobody)) {
                process.destroyForcibly();
                process.onExit().join();
            }
            Files.delete(ours);
        }
    }

    @Test
    void aStatusIsANumberOrAClass() throws Exception {
        expect(
                CommandRun.run("http", "-p", "1", "--status", "5xx,teapot"),
                2,
                "probestream http: invalid status 'teapot': expected a number such as 404 or a class such as 5xx",
                "Try 'probestream http --help'.");
    }

    @Test
    void tablesAndSlowTurnsExcludeEachOther() throws Exception {
        expect(
                CommandRun.run("loop", "-p", "1", "--slow", "50ms", "-n", "2"),
                2,
                "probestream loop: -i and -n cannot be combined with --slow",
                "Try 'probestream loop --help'.");
    }

    @Test
    void somebodyMustBeWatched() throws Exception {
        for (String command : List.of("http", "loop")) {
            expect(
                    CommandRun.run(command),
                    2,
                    "probestream " + command
                            + ": no process selected: use -p PID, --comm NAME, --cgroup FOLDER, --all or -- CMD",
                    "Try 'probestream " + command + " --help'.");
        }
    }

    @Test
    void thereMustBeSomethingToConvert() throws Exception {
        String missing = file("missing.avro");
        expect(
                CommandRun.run("convert", missing, "-o", file("a.json")),
                1,
                "probestream convert: cannot read " + missing + ": the file does not exist");
    }

    @Test
    void whatIsAskedMustBeSaidInOneWay() throws Exception {
        String recording =
                Files.writeString(folder.resolve("a.avro"), "no recording").toString();
        expectUsage("no recordings: specify .avro files or folders of tables", "query", "SELECT 1");
        expectUsage(
                "no query: use SQL after the paths, -f FILE ('-f -' is standard input) or --view NAME",
                "query",
                recording);
        expectUsage(
                "more than one query: use only one of SQL after the paths, -f FILE or --view NAME",
                "query",
                recording,
                "SELECT 1",
                "--view",
                "files");
        expectUsage(
                "--format parquet needs an output file: use -o", "query", recording, "SELECT 1", "--format=parquet");
        expectUsage(
                "--set needs a built-in query: select it with --view", "query", recording, "SELECT 1", "--set", "a=b");
        expectUsage("--memory must be at least 64M", "query", recording, "SELECT 1", "--memory", "1M");
        expectUsage("SQL contains no statement", "query", recording, "/* nothing */ ;");
    }

    @Test
    void aTimeOfARecordingIsADurationOrAMoment() throws Exception {
        String recording =
                Files.writeString(folder.resolve("a.avro"), "no recording").toString();
        expectUsage(
                "Invalid value for option '--from': invalid time 'noon': expected an offset from the start, such as 500ms, 10s or 2m, or a timestamp such as 2026-11-21T14:03:00Z",
                "query",
                recording,
                "SELECT 1",
                "--from",
                "noon");
        expectUsage("--from must be earlier than --to", "query", recording, "SELECT 1", "--from", "2s", "--to", "1s");
    }

    @Test
    void onlyRecordingsCanBeAsked() throws Exception {
        String text =
                Files.writeString(folder.resolve("a.avro"), "no recording").toString();
        String missing = file("missing.avro");
        expect(
                CommandRun.run("query", text, "SELECT 1 AS one"),
                1,
                "probestream query: cannot read " + text
                        + ": it is neither an .avro recording nor a folder of Parquet tables");
        expect(
                CommandRun.run("query", missing, "SELECT 1 AS one"),
                1,
                "probestream query: cannot read " + missing + ": the file or folder does not exist");
        expect(
                CommandRun.run("query", text, "SELECT 1 AS one", "-o", file("none/answer.csv")),
                1,
                "probestream query: cannot write " + file("none/answer.csv") + ": the folder " + file("none")
                        + " does not exist; create it first");
        expect(
                CommandRun.run("query", text, "-f", file("none.sql")),
                1,
                "probestream query: cannot read " + file("none.sql") + ": the file does not exist");
    }

    private static void expectUsage(String message, String... arguments) throws Exception {
        expect(CommandRun.run(arguments), 2, "probestream query: " + message, "Try 'probestream query --help'.");
    }

    @Test
    void reportIsToldWhereToGo() throws Exception {
        expect(
                CommandRun.run("report", file("a.avro")),
                2,
                "probestream report: no output selected: use -o FILE.html or --json",
                "Try 'probestream report --help'.");
    }

    @Test
    void aSliceBeginsBeforeItEnds() throws Exception {
        expect(
                CommandRun.run("convert", file("a.avro"), "-o", file("a.json"), "--from", "2s", "--to", "1s"),
                2,
                "probestream convert: --from must be earlier than --to",
                "Try 'probestream convert --help'.");
    }

    @Test
    void theDemoNeedsANode() throws Exception {
        String missing = file("no-node");
        expect(
                CommandRun.run("demo", "--node", missing),
                77,
                "probestream demo: cannot run " + missing + ": it is not an executable file");
    }

    /** dac_read_search lets the child read the class path, wherever that lies. */
    private static List<String> asNobodyWith(String... capabilities) {
        String list = "-all,+" + String.join(",+", capabilities);
        return List.of("setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=" + list, "--ambient-caps=" + list);
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private static void expect(CommandRun run, int exitCode, String... lines) throws IOException {
        assertThat(run.said()).containsExactly(lines);
        assertThat(run.out()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }
}
