package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user of trace reads when something is wrong. */
class TraceBadInputTest {
    @TempDir
    private Path folder;

    @Test
    void somethingMustBeTraced() throws Exception {
        expect(
                CommandRun.run("trace", "-p", "1"),
                2,
                "probestream trace: no probe selected: specify a SPEC such as 'uprobe:main' or 't:sched:sched_switch'",
                "Try 'probestream trace --help'.");
    }

    @Test
    void aLineHasOneTime() throws Exception {
        expect(
                CommandRun.run("trace", "-p", "1", "-tT", "uprobe:main"),
                2,
                "probestream trace: -T excludes -t and -u: a line has one time",
                "Try 'probestream trace --help'.");
    }

    @Test
    void somebodyMustBeTraced() throws Exception {
        expect(
                CommandRun.run("trace", "uprobe:main"),
                2,
                "probestream trace: no process selected: use -p PID, --comm NAME, --cgroup FOLDER, --all or -- CMD",
                "Try 'probestream trace --help'.");
    }

    @Test
    @KernelTest(since = "5.8")
    void aProcessThatIsNotThereIsSaid() throws Exception {
        expect(
                CommandRun.run("trace", "-p", "4194304", "uprobe:main"),
                1,
                "probestream trace: read process 4194304: there is no process with this pid; it may have exited"
                        + " ('ps -e' lists running processes)");
    }

    @Test
    void whatOnlyCountsIsSentToHist() throws Exception {
        expect(
                CommandRun.run("trace", "-p", "1", "uprobe:main { @[comm] = count() }"),
                2,
                "probestream trace: maps (@) are not supported by trace; use hist for counts and histograms",
                "  uprobe:main { @[comm] = count() }",
                "                ^");
    }

    @Test
    @KernelTest(since = "5.8")
    void anUnknownFunctionIsAnsweredWithTheNearestNames() throws Exception {
        CProgram calls = CProgram.compile(folder, "trace/calls");
        try (CProgram.Running program = calls.start()) {
            CommandRun run = CommandRun.run(
                    "trace", "-p", String.valueOf(program.pid()), "p:" + calls.executable() + ":outre \"%d\", arg1");

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.said()).singleElement().asString().contains("outre", "nearest: outer");
        }
    }

    private static void expect(CommandRun run, int exitCode, String... lines) {
        assertThat(run.said()).containsExactly(lines);
        assertThat(run.out()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }
}
