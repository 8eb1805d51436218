package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@KernelTest(since = "5.8")
class TraceTest {
    private static final String COLUMNS =
            "TIME            PID     TID     COMM            PROBE                MESSAGE";

    @TempDir
    private Path folder;

    private CProgram calls = new CProgram(Path.of(""));

    @BeforeEach
    void compile() throws Exception {
        calls = CProgram.compile(folder, "trace/calls", "-fno-omit-frame-pointer");
    }

    @Test
    void ourOwnSpecsPrintArgumentsWithTheirNames() throws Exception {
        List<String> lines = linesOf(2, "span:outer(path=arg1:str, n=arg2:s32, r=ret:s32)");

        assertThat(lines.get(0)).isEqualTo(COLUMNS);
        // A terminal must not be steered by what a traced process calls its files.
        assertThat(messages(lines))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .matches("path=\"/tmp/a \\\\\"b\\\\\"\" n=-2 -> -3 \\(\\d+\\.\\d{3} us\\)"),
                        second -> assertThat(second).startsWith("path=\"/etc/\\x1b[31mred\" n=-1 -> -1 ("));
    }

    @Test
    void aLineOfBccPrintsItsFormat() throws Exception {
        List<String> lines = linesOf(
                4,
                "p:" + calls.executable()
                        + ":work(const char *path, int n) (n != 0 && n < 1) \"%-14s|%3d|%x\", path, n, n");

        assertThat(messages(lines)).containsExactly("/tmp/a \"b\"    | -2|fffffffe", "/etc/\\x1b[31mred| -1|ffffffff");
    }

    @Test
    void aBpftraceProgramPrintsWhatItSaysAndNothingElse() throws Exception {
        List<String> lines = linesOf(
                3,
                "u:" + calls.executable() + ":work /str(arg0) != \"/tmp\" && (int32)arg1 >= -1/"
                        + " { printf(\"%s %s:\", comm, func); printf(\"%d\\n\", (int32)arg1); }");

        assertThat(lines).containsExactly("calls work:-1", "calls work:0");
    }

    @Test
    void theSizeOfATextCountsItsZeroByteAndNothingStandsForTheRest() throws Exception {
        List<String> lines = linesOf(
                1,
                "u:" + calls.executable()
                        + ":work { printf(\"%s|%s|%s\\n\", str(arg0, 3), str(arg0, 10), str(arg0, 11)); }");

        assertThat(lines).containsExactly("/t|/tmp/a \"b|/tmp/a \"b\"");
    }

    /** The process has ended when its lines are printed. */
    @Test
    void theUserOfACommandIsKnown() throws Exception {
        CommandRun trace =
                CommandRun.run("trace", "t:syscalls:sys_enter_openat \"%d\", $uid", "--", "cat", "/etc/hostname");

        assertThat(trace.exitCode()).isZero();
        String user = Files.getAttribute(folder, "unix:uid").toString();
        assertThat(messages(trace.out()
                        .lines()
                        .filter(line -> line.contains("syscalls:sys_enter_openat "))
                        .toList()))
                .isNotEmpty()
                .containsOnly(user);
    }

    @Test
    void aTracepointOfTheKernelIsFiltered() throws Exception {
        List<String> lines =
                linesOf(1, "t:syscalls:sys_enter_write (args->count == 5) \"fd %d, %lu\", args->fd, args->count");

        assertThat(messages(lines)).containsExactly("fd 1, 5");
    }

    @Test
    void severalSpecsKeepTheOrderOfTime() throws Exception {
        List<String> lines = linesOf(50, "uprobe:work", "uretprobe:work", "uprobe:outer", "uretprobe:outer");

        assertThat(lines.subList(1, lines.size())).hasSize(200);
        assertThat(lines.subList(1, lines.size()).stream().map(line -> line.split(" ")[0]))
                .isSorted();
        assertThat(lines.subList(1, 5).stream().map(line -> line.substring(48).strip()))
                .containsExactly("outer", "work", "work", "outer");
    }

    @Test
    void stacksStandUnderTheirLine() throws Exception {
        List<String> lines = linesOf(1, "uprobe:work", "-U");

        assertThat(lines.get(2)).matches(" {8}work \\(" + calls.executable() + "\\+0x[0-9a-f]+\\)");
        // Not outer: at its first instruction a function has no frame yet, so the walk misses its caller.
        assertThat(lines.get(3)).startsWith("        main (");
    }

    @Test
    void eachLineOfJsonIsAnObject() throws Exception {
        List<String> lines = linesOf(
                1,
                "--json",
                "span:outer(path=arg1:str, n=arg2:s32, bad=*arg2:u32@+8, r=ret:s32) [ustack]",
                "p:" + calls.executable() + ":work \"n %d\", arg2");

        assertThat(lines).hasSize(2);
        ObjectMapper json = new ObjectMapper();
        JsonNode message = json.readTree(lines.get(0));
        JsonNode span = json.readTree(lines.get(1));
        assertThat(message.get("message").asText()).isEqualTo("n -2");
        assertThat(span.get("probe").asText()).isEqualTo("outer");
        assertThat(span.get("comm").asText()).isEqualTo("calls");
        assertThat(span.get("durationNs").asLong()).isPositive();
        assertThat(span.get("arguments").get("path").asText()).isEqualTo("/tmp/a \"b\"");
        assertThat(span.get("arguments").get("n").asInt()).isEqualTo(-2);
        assertThat(span.get("arguments").get("bad").isNull()).isTrue();
        assertThat(span.get("unavailable").toString()).isEqualTo("[\"bad\"]");
        assertThat(span.get("returned").asInt()).isEqualTo(-3);
        assertThat(span.get("stack").get(0).get("symbol").asText()).isEqualTo("main");
    }

    @Test
    void whatCannotBeReadIsAQuestionMark() throws Exception {
        List<String> lines = linesOf(
                1,
                "uprobe:work(number=*arg2:u32@+8, text=arg2:str, n=arg2:s32)",
                "p:" + calls.executable() + ":outer \"%s|%5s|%d\", arg2, arg2, arg2");

        assertThat(messages(lines)).containsExactly("?|    ?|-2", "number=? text=? n=-2");
    }

    @Test
    void theNameOfAThreadDoesNotSteerTheTerminal() throws Exception {
        Path odd = Files.copy(calls.executable(), folder.resolve("a\n\033[1m\"b"), StandardCopyOption.COPY_ATTRIBUTES);
        calls = new CProgram(odd);

        assertThat(linesOf(1, "uprobe:work").get(1)).contains(" a\\n\\x1b[1m\"b ");
        assertThat(linesOf(1, "uprobe:work { printf(\"%s\\n\", comm); }")).containsExactly("a\\n\\x1b[1m\"b");
        JsonNode json =
                new ObjectMapper().readTree(linesOf(1, "--json", "uprobe:work").get(0));
        assertThat(json.get("comm").asText()).isEqualTo("a\n\033[1m\"b");
    }

    @Test
    void theProgramMayBeNamedWithoutItsPath() throws Exception {
        assertThat(messages(linesOf(1, "p:calls:work \"%d\", arg2", "uprobe:calls:outer(n=arg2:s32)")))
                .containsExactly("n=-2", "-2");
    }

    @Test
    void itEndsWithTheProcess() throws Exception {
        try (CProgram.Running program = start();
                CommandRun trace = CommandRun.start("trace", "-p", String.valueOf(program.pid()), "uprobe:work")) {
            trace.await("tracing with 1 probe");
            program.ask("3");
            program.finish();

            assertThat(trace.end()).isZero();
            assertThat(trace.said())
                    .contains("ended: process " + program.pid() + " (calls) exited")
                    .anyMatch(line -> line.matches("printed 3 lines of 3 events in .*, none lost"));
            assertThat(trace.out().lines()).hasSize(4);
        }
    }

    @Test
    void soManyLinesAreEnough() throws Exception {
        try (CProgram.Running program = start();
                CommandRun trace = CommandRun.start(
                        "trace", "-p", String.valueOf(program.pid()), "uprobe:work", "-M", "3", "-T")) {
            trace.await("tracing with 1 probe");
            program.ask("100");

            assertThat(trace.end()).isZero();
            assertThat(trace.said()).contains("ended: 3 lines as asked for");
            List<String> lines = trace.out().lines().toList();
            assertThat(lines).hasSize(4);
            assertThat(lines.get(1)).matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{6} .*");
        }
    }

    @Test
    void aReaderThatGoesEndsItQuietly() throws Exception {
        try (CProgram.Running program = start()) {
            Process shell = new ProcessBuilder(List.of(
                            "bash",
                            "-c",
                            "set -o pipefail; "
                                    + CommandRun.commandLine(
                                            "trace", "-p", String.valueOf(program.pid()), "uprobe:work")
                                    + " | head -2"))
                    .redirectError(folder.resolve("err").toFile())
                    .start();
            // The reader goes at the second line, which is noticed when the next ones are written.
            while (!shell.waitFor(20, TimeUnit.MILLISECONDS)) {
                program.ask("10");
            }

            assertThat(shell.exitValue()).isZero();
            assertThat(folder.resolve("err")).content().doesNotContain("ended");
        }
    }

    @Test
    void aCommandIsTracedFromItsBeginning() throws Exception {
        CommandRun trace = CommandRun.run(
                "trace", "uprobe:main", "-M", "1", "--", calls.executable().toString());

        assertThat(trace.exitCode()).isZero();
        assertThat(trace.out().lines().filter(line -> line.contains("main"))).hasSize(1);
    }

    @Test
    void theLineOfBccPrintsAUsdtProbeOfNode() throws Exception {
        Path library = CProgram.compile(folder, "trace/node_provider", "-shared", "-fPIC", "-Wl,-z,nodelete")
                .executable();
        String script = "try { process.dlopen({exports: {}}, '" + library + "') } catch { /* it is no addon */ }"
                + " setInterval(() => require('fs').openSync('/etc/hostname'), 20)";
        Process node = new ProcessBuilder(NodeFixture.installedNode().path().toString(), "-e", script).start();
        try (CommandRun usdt = CommandRun.start(
                        "trace",
                        "-M",
                        "3",
                        "--comm",
                        "node",
                        "u:node:http__server__request \"%s %s %s\", arg3, arg5, arg6");
                CommandRun function = CommandRun.start(
                        "trace",
                        "-M",
                        "1",
                        "-p",
                        String.valueOf(node.pid()),
                        "u:" + node.toHandle().info().command().orElseThrow()
                                + ":uv_fs_open { printf(\"process: %s, pid: %d, file path: %s, stack: %s\\n\", comm,"
                                + " pid, str(arg2), ustack) }")) {
            assertThat(usdt.end()).isZero();
            assertThat(messages(usdt.out().lines().toList())).containsOnly("127.0.0.1 GET /path?q=1");
            assertThat(function.end()).isZero();
            assertThat(function.out())
                    .startsWith("process: node, pid: " + node.pid()
                            + ", file path: /etc/hostname, stack: \n        uv_fs_open (");
        } finally {
            node.destroyForcibly().waitFor();
        }
    }

    private CProgram.Running start() throws IOException {
        CProgram.Running program = calls.start();
        program.receive();
        return program;
    }

    /** What is printed when the program makes so many calls. */
    private List<String> linesOf(int count, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("trace", "-p"));
        try (CProgram.Running program = start()) {
            words.add(String.valueOf(program.pid()));
            words.addAll(List.of(arguments));
            try (CommandRun trace = CommandRun.start(List.of(), words)) {
                trace.await("tracing with ");
                program.ask(String.valueOf(count));

                assertThat(trace.interrupt().end()).isZero();
                assertThat(trace.said()).anyMatch(line -> line.endsWith(", none lost"));
                return trace.out().lines().toList();
            }
        }
    }

    /** What stands behind the columns. */
    private static List<String> messages(List<String> lines) {
        return lines.stream()
                .skip(1)
                .map(line -> line.replaceFirst("^(\\S+ +){5}", ""))
                .toList();
    }
}
