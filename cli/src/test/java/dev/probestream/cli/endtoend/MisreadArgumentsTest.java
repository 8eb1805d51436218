package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arguments that exist, but are not what they are taken for: an option, a format, a view, a process. */
class MisreadArgumentsTest {
    private static final String NO_SUCH_PID = "4194304"; // one more than the largest pid_max can give

    @TempDir
    private Path folder;

    @Test
    void anOptionThatDoesNotExistIsNamedBeforeOneThatIsMissing() throws Exception {
        expect(
                CommandRun.run("record", "-p", "1", "--duration", "3s"),
                2,
                "probestream record: Unknown option: '--duration'",
                "Use --for TIME, such as --for 10s.",
                "Try 'probestream record --help'.");
        expect(
                CommandRun.run("record", "-p", "1", "--for", "3s"),
                2,
                "probestream record: Missing required option: '--output=FILE|DIR/'",
                "Try 'probestream record --help'.");
    }

    @Test
    void aPageIsHtml() throws Exception {
        String pdf = folder.resolve("r.pdf").toString();
        expect(
                CommandRun.run("report", folder.resolve("missing.avro").toString(), "-o", pdf),
                2,
                "probestream report: cannot write " + pdf + ": the page is HTML; its name must end in .html");
    }

    @Test
    void aPageThatCannotBeWrittenIsRefusedBeforeTheRecordingIsRead() throws Exception {
        String page = folder.resolve("missing/r.html").toString();
        expect(
                CommandRun.run("report", folder.resolve("missing.avro").toString(), "-o", page),
                1,
                "probestream report: cannot write " + page + ": the folder " + folder.resolve("missing")
                        + " does not exist; create it first");
    }

    @Test
    void theNameOfAViewNeedsItsOption() throws Exception {
        String recording =
                Files.writeString(folder.resolve("a.avro"), "no recording").toString();
        expect(
                CommandRun.run("query", recording, "slowest-requests"),
                1,
                "probestream query: cannot read slowest-requests: the file or folder does not exist; to run the"
                        + " built-in query, use --view slowest-requests");
    }

    @Test
    void aProcessThatIsNotThereIsNoMissingFeature() throws Exception {
        expect(
                CommandRun.run("doctor", "-p", NO_SUCH_PID),
                1,
                "probestream doctor: read process " + NO_SUCH_PID + ": there is no process with this pid; it may have"
                        + " exited ('ps -e' lists running processes)");
    }

    @Test
    @KernelTest(since = "5.8")
    void onlyNodeHasEventLoops() throws Exception {
        Process sleep = new ProcessBuilder("sleep", "1000").start();
        try {
            expect(
                    CommandRun.run("loop", "-p", String.valueOf(sleep.pid()), "--for", "1s"),
                    1,
                    "probestream loop: cannot trace event loops: the program is not Node.js, or it is stripped and its"
                            + " functions have no names ('doctor -p " + sleep.pid() + "' checks the process)");
        } finally {
            sleep.destroyForcibly().waitFor();
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void aProbeOfAProgramHasNoKernelStack() throws Exception {
        CommandRun trace = CommandRun.run(
                "trace", "-K", "uprobe:libc:__libc_start_main", "t:syscalls:sys_enter_openat", "--", "true");

        assertThat(trace.said())
                .filteredOn(line -> line.contains("no kernel stack"))
                .allMatch(line -> line.startsWith("uprobe:libc:__libc_start_main [kstack]: no kernel stack, because"))
                .hasSize(1);
    }

    @Test
    @KernelTest(since = "5.8")
    void collectFindsTheProcessBeforeItWaitsForABroker() throws Exception {
        expect(
                CommandRun.run("collect", "-p", NO_SUCH_PID, "--kafka", "127.0.0.1:1", "--probes", "syscalls"),
                1,
                "probestream collect: read process " + NO_SUCH_PID + ": there is no process with this pid; it may have"
                        + " exited ('ps -e' lists running processes)");
    }

    private static void expect(CommandRun run, int exitCode, String... lines) throws IOException {
        assertThat(run.said()).containsExactly(lines);
        assertThat(run.out()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }
}
