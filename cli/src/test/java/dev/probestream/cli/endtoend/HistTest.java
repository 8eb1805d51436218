package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@KernelTest(since = "5.8")
class HistTest {
    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void theTotalsAreTheCalls() throws Exception {
        try (CProgram.Running program = calls.start();
                CommandRun hist = CommandRun.start(
                        "hist",
                        "-p",
                        String.valueOf(program.pid()),
                        "uprobe:tick(n=arg1:s64) /n < 1000/",
                        "-C",
                        "p:" + calls.executable() + ":tick(long n)",
                        "-H",
                        "r:" + calls.executable() + ":tick(long n):u64:$latency#latency",
                        "--json",
                        "-i",
                        "60")) {
            hist.await("counting at 3 probes");
            program.ask("threads 4 50000");
            assertThat(hist.interrupt().end()).isZero();

            List<String> lines = hist.out().lines().toList();
            assertThat(lines).hasSize(1);
            JsonNode histograms = new ObjectMapper().readTree(lines.get(0)).get("histograms");
            assertThat(histograms.get(0).get("rows")).hasSize(1000);
            assertThat(histograms.get(0).get("rows").get(0).get("count").asLong())
                    .isEqualTo(4);
            assertThat(histograms.get(1).get("rows").get(0).get("count").asLong())
                    .isEqualTo(200_000);
            assertThat(histograms.get(2).get("name").asText()).isEqualTo("latency");
            assertThat(histograms.get(2).get("rows").get(0).get("count").asLong()
                            + histograms.get(2).get("open_calls").asLong())
                    .isEqualTo(200_000);
        }
    }

    @Test
    void outputsFollowOneAnotherUntilTheProgramEnds() throws Exception {
        try (CProgram.Running program = calls.start();
                CommandRun hist = CommandRun.start(
                        "hist", "-p", String.valueOf(program.pid()), "span:tick(n=arg1:s64)", "-i", "0.2")) {
            hist.await("counting at 1 probe");
            program.ask("repeat 1000");
            assertThat(hist.firstLineOut()).matches("\\[[0-9:]+\\] since the start, .*");
            program.finish();
            assertThat(hist.end()).isZero();

            assertThat(hist.said()).contains("ended: process " + program.pid() + " (calls) exited");
            String last = hist.out().substring(hist.out().lastIndexOf("] since the start"));
            assertThat(last).contains("value : count", "|****************************************|");
        }
    }

    @Test
    void aLibraryThatACommandLoadsIsCountedAndWhatItLacksIsAnError() throws Exception {
        Path library = CProgram.compile(folder, "usdt/late", "-shared", "-fPIC").executable();
        Path command = CProgram.compile(folder, "usdt/plugins", "-ldl").executable();
        CommandRun hist = CommandRun.run(
                "hist",
                "--json",
                "usdt:late:hit",
                "uprobe:late:late_hti",
                "usdt:never:there",
                "--count",
                "--by",
                "pid",
                "--",
                command.toString(),
                "5",
                library.toString());

        assertThat(hist.end()).isEqualTo(1);
        List<String> lines = hist.out().lines().toList();
        JsonNode histograms =
                new ObjectMapper().readTree(lines.get(lines.size() - 1)).get("histograms");
        assertThat(histograms.get(0).get("rows").get(0).get("count").asLong()).isEqualTo(1);
        assertThat(histograms.get(1).get("rows")).isEmpty();
        assertThat(hist.said())
                .anyMatch(line -> line.startsWith("usdt:late:hit, uprobe:late:late_hti, usdt:never:there are in no file"
                        + " of the target so far; each is attached once"))
                .anyMatch(line ->
                        line.matches("late:hit was attached \\d+\\.\\d ms after " + library + " was mapped; hits .*"))
                .contains(
                        "attached nowhere, because no file with usdt:never:there was found in the target before it ended")
                .last()
                .asString()
                .contains("there is no function late_hti", "nearest: late_hit");
    }

    @Test
    void wrongUsageIsSaid() throws Exception {
        assertThat(CommandRun.run("hist", "-p", "1").said())
                .containsExactly(
                        "probestream hist: no probe selected: specify a SPEC, -C SPEC or -H SPEC",
                        "Try 'probestream hist --help'.");
        assertThat(CommandRun.run("hist", "-p", "1", "-C", "p::vfs_read()")
                        .said()
                        .get(0))
                .startsWith("probestream hist: kernel functions (vfs_read) are not supported: use the tracepoint");
        assertThat(CommandRun.run("hist", "-p", "1", "-z", "80", "uprobe:f(path=arg1:str)")
                        .said())
                .first()
                .isEqualTo("probestream hist: -z is the size of texts in -C and -H; a SPEC has the size in its type,"
                        + " such as path=arg1:str[80]");
        assertThat(CommandRun.run("hist", "-p", "1", "uprobe:f", "--linear", "5:1:1")
                        .said())
                .containsExactly(
                        "probestream hist: invalid linear histogram '5:1:1': in FROM:TO:STEP, TO must be greater than"
                                + " FROM and STEP greater than 0");
    }
}
