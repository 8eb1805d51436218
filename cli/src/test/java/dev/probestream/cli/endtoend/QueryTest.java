package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Recordings, asked. Needs no kernel. */
@Timeout(180)
class QueryTest {
    private static final long CAPTURE = 7;
    private static final int EVENTS = 3_000;
    private static final String QUESTION =
            "SELECT path, count(*) AS opened, sum(duration_ns) AS all_ns FROM probe_uv_fs_open GROUP BY path ORDER BY path";

    @TempDir
    private Path folder;

    private String recording = "";

    @BeforeEach
    void record() throws IOException {
        Path file = folder.resolve("a.avro");
        recording = file.toString();
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            writer.append(new Capture(
                    CAPTURE,
                    "host",
                    "boot",
                    "Linux",
                    "6.1",
                    "#1",
                    "x86_64",
                    2,
                    "0.1",
                    List.of("probestream"),
                    0L,
                    0L,
                    0L));
            Argument path = new Argument("path", "str", "", FlowStep.NONE, Map.of());
            writer.append(new Probe(
                    CAPTURE,
                    1,
                    "span:uv_fs_open",
                    "uv_fs_open",
                    "node-fs",
                    EventKind.SPAN,
                    "/bin/node",
                    List.of(path),
                    "",
                    "",
                    "",
                    false));
            for (int i = 0; i < EVENTS; i++) {
                encoder.begin(CAPTURE, i, i * 1_000_000L, 500_000, 42, 42, 0, 1, EventKind.SPAN);
                encoder.beginNumbers(0);
                encoder.beginStrings(1);
                encoder.string(i % 3 == 0 ? "/etc/hosts" : "/tmp/a");
                encoder.end(0, 0, 0);
                writer.append(encoder);
            }
            writer.append(new CaptureEnd(CAPTURE, EVENTS * 1_000_000L, "the time was over", (long) EVENTS, 0L));
        }
    }

    @Test
    void aRecordingItsTablesAndAPartOfThemAnswerAlike() throws Exception {
        String table = """
                path        opened      all_ns
                ──────────  ──────  ──────────
                /etc/hosts    1000  500.000 ms
                /tmp/a        2000     1.000 s
                """;
        assertThat(answer(recording, QUESTION)).isEqualTo(table);

        String tables = folder.resolve("tables") + "/";
        CommandRun.run("convert", recording, "-o", tables);
        assertThat(answer(tables, QUESTION)).isEqualTo(table);

        assertThat(answer(recording, QUESTION, "--from", "1s", "--to", "1.3s", "--format", "csv"))
                .isEqualTo("""
                        path,opened,all_ns
                        /etc/hosts,100,50000000
                        /tmp/a,200,100000000
                        """);
    }

    @Test
    void aFileOfOthersIsNamedUnlessItIsConfined() throws Exception {
        Path question = Files.writeString(folder.resolve("q.sql"), "SELECT count(*) AS n FROM spans");
        assertThat(said(0, "-f", question.toString())).doesNotContain("warning");
        Files.setPosixFilePermissions(question, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(said(0, "-f", question.toString()))
                .contains("q.sql can be changed by every user", "--confined prevents that");
        assertThat(said(0, "--confined", "-f", question.toString())).isEmpty();

        assertThat(said(1, "--confined", "FROM read_text('" + question + "')"))
                .contains("SQL: Permission Error: Cannot access file");
        assertThat(said(2, "--csv-safe", "SELECT 1")).contains("--csv-safe needs --format csv");
    }

    /** What a query says on standard error. */
    private String said(int exitCode, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("query", recording));
        all.addAll(List.of(arguments));
        try (CommandRun run = CommandRun.start(all.toArray(String[]::new))) {
            assertThat(run.end()).isEqualTo(exitCode);
            return String.join("\n", run.said());
        }
    }

    @Test
    void aFileOfStatementsIsAnsweredInOrder() throws Exception {
        Path file = Files.writeString(folder.resolve("q.sql"), """
                -- how many, and of what
                SET VARIABLE wanted = '/tmp/a';
                SELECT count(*) AS n FROM spans;
                SELECT count(*) AS n FROM probe_uv_fs_open WHERE path = getvariable('wanted');
                """);
        assertThat(answer(recording, "-f", file.toString(), "--format", "json"))
                .isEqualTo("{\"n\":3000}\n{\"n\":2000}\n");

        Files.writeString(file, "SELECT 1;\n\nSELECT nothing FROM spans;");
        CommandRun run = CommandRun.run("query", recording, "-f", file.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said().get(0))
                .isEqualTo("probestream query: " + file
                        + ", line 3: Binder Error: Referenced column \"nothing\" not found in FROM clause!");
    }

    @Test
    void anAnswerIsWrittenToAFileWhenItIsWhole() throws Exception {
        Path parquet = folder.resolve("answer.parquet");
        assertThat(answer(recording, QUESTION, "--format", "parquet", "-o", parquet.toString()))
                .isEmpty();
        assertThat(DuckDb.number("SELECT sum(opened) FROM '" + parquet + "'")).isEqualTo(EVENTS);

        Path csv = folder.resolve("answer.csv");
        CommandRun run = CommandRun.run(
                "query", recording, "SELECT error('no') FROM spans", "--format", "csv", "-o", csv.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(csv).doesNotExist();
    }

    @Test
    void aReadyQuestionIsListedExplainedAndAsked() throws Exception {
        assertThat(answer("--list-views")).contains("slowest-requests").contains("files");
        assertThat(answer("--list-views", "--view", "files")).contains("Columns:", "Parameters", "SELECT");
        assertThat(answer(recording, "--view", "files", "--set", "limit=1", "--format", "json"))
                .startsWith("{")
                .contains("/tmp/a")
                .doesNotContain("/etc/hosts");
    }

    @Test
    void aReaderThatHasSeenEnoughEndsIt() throws Exception {
        CommandRun run = CommandRun.startUnread(
                List.of(), List.of("query", recording, "SELECT range FROM range(100000000000)", "--format", "csv"));
        try (run) {
            run.awaitOut("range").closeOut();
            assertThat(run.end()).isZero();
            assertThat(run.said()).isEmpty();
        }
    }

    @Test
    void whatCouldNotBeReadIsSaid() throws Exception {
        Path file = Path.of(recording);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 10));
        CommandRun run = CommandRun.run("query", recording, "SELECT count(*) AS n FROM captures", "--format", "csv");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("n\n0\n"); // what was cut off is its only block
        assertThat(run.said()).anyMatch(line -> line.contains("is damaged at"));
    }

    /** On a terminal, by util-linux's script(1). */
    @Test
    @Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void thePromptTakesLinesUntilTheirEndAndShowsTables() throws Exception {
        Process script = new ProcessBuilder(
                        "script",
                        "--quiet",
                        "--flush",
                        "--return",
                        "--command",
                        CommandRun.commandLine("query", recording),
                        "/dev/null")
                .redirectErrorStream(true)
                .start();
        try (OutputStream keys = script.getOutputStream();
                BufferedReader screen = script.inputReader(StandardCharsets.UTF_8)) {
            await(screen, "Ctrl-D to quit.");
            type(keys, "SELECT path, count(*)\rAS opened FROM probe_uv_fs_open\rGROUP BY path;\r");
            await(screen, "/tmp/a        2000");
            type(keys, "SELECT nothing;\r");
            await(screen, "Referenced column \"nothing\" was not found");
            type(keys, ".view files limit=1\r");
            await(screen, "1 row in ");
            type(keys, ".quit\r");
            assertThat(script.waitFor()).isZero();
        } finally {
            script.destroyForcibly();
        }
    }

    private static void type(OutputStream keys, String text) throws IOException {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }

    private static void await(BufferedReader screen, String text) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = screen.readLine(); line != null; line = screen.readLine()) {
            seen.append(line).append('\n');
            if (line.contains(text)) {
                return;
            }
        }
        throw new IOException("the prompt ended without showing '" + text + "' but\n" + seen);
    }

    private static String answer(String... arguments) throws Exception {
        String[] all = new String[arguments.length + 1];
        all[0] = "query";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        CommandRun run = CommandRun.run(all);
        assertThat(run.said()).isEmpty();
        assertThat(run.exitCode()).isZero();
        return run.out();
    }
}
