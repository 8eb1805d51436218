package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** loop on a Node that blocks its event loop in given places. */
@KernelTest(since = "5.8")
class LoopTest {
    private static final String SCRIPT = "blocks.js";
    private static final long SLOW_NS = 50_000_000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void aSlowTurnTellsWhatBlockedIt(NodeBinary node) throws Exception {
        List<JsonNode> lines =
                slowTurns(node, "timer 60", "immediate 60", "child 60", "worker 60", "read " + folder.resolve(SCRIPT));
        List<JsonNode> turns = lines.subList(0, lines.size() - 1);

        assertThat(turns)
                .allSatisfy(turn -> assertThat(turn.get("durationNs").asLong()).isGreaterThanOrEqualTo(SLOW_NS));
        assertThat(turns).anySatisfy(turn -> assertThat(longest(turn)).startsWith("timers", "JS timers"));
        assertThat(turns).anySatisfy(turn -> assertThat(longest(turn)).startsWith("check", "JS immediates"));
        assertThat(turns).anySatisfy(turn -> assertThat(longest(turn)).startsWith("timers", "JS timers", "poll"));
        assertThat(turns).anySatisfy(turn -> {
            assertThat(turn.get("tid").asInt()).isNotEqualTo(turn.get("pid").asInt());
            assertThat(longest(turn)).startsWith("timers", "JS timers");
        });
        assertThat(longest(turns.get(turns.size() - 1))).startsWith("timers", "JS timers");
        theTableHolds(lines.get(lines.size() - 1), turns);
    }

    /** The last line: what the slow turns are in, and phases that cannot be missing. */
    private static void theTableHolds(JsonNode table, List<JsonNode> turns) {
        assertThat(table.get("isTotal").asBoolean()).isTrue();
        assertThat(table.get("lost").asInt()).isZero();
        assertThat(table.get("loops")).anySatisfy(loop -> {
            assertThat(loop.get("tid").asInt()).isEqualTo(loop.get("pid").asInt());
            assertThat(loop.get("turns").get("maxNs").asLong())
                    .isEqualTo(turns.stream()
                            .filter(turn ->
                                    turn.get("tid").asInt() == turn.get("pid").asInt())
                            .mapToLong(turn -> turn.get("durationNs").asLong())
                            .max()
                            .orElseThrow());
            assertThat(loop.get("phases").findValuesAsText("name"))
                    .contains("timers", "idle", "prepare", "poll", "check", "stream I/O", "JS timers", "uv_fs_read");
        });
    }

    @Test
    void tablesFollowOneAnotherUntilThereAreEnough() throws Exception {
        try (NodeFixture program = NodeFixture.start(NodeFixture.installedNode(), folder, SCRIPT);
                CommandRun loop = CommandRun.start("loop", "-p", program.pid(), "-i", "0.3", "-n", "2")) {
            loop.await("tracing event loops with ");
            program.ask("timer 60");

            assertThat(loop.end()).isZero();
            assertThat(loop.said())
                    .contains("ended: 2 tables as asked for")
                    .anyMatch(line -> line.endsWith("none lost"));
            assertThat(loop.out().lines().filter(line -> line.contains("] the last 0.")))
                    .hasSize(2);
            assertThat(loop.out()).contains("the main loop: ", "turn (the loop's lag)", "    JS timers  ");
        }
    }

    @Test
    void aCommandIsWatchedFromItsBeginningAndCtrlCIsNotNeeded() throws Exception {
        CommandRun loop = CommandRun.run(
                "loop",
                "--json",
                "-i",
                "60",
                "--",
                NodeFixture.installedNode().path().toString(),
                "-e",
                "let left = 3; const timer = setInterval(() => --left || clearInterval(timer), 20)");

        assertThat(loop.exitCode()).isZero();
        JsonNode table = new ObjectMapper().readTree(loop.out());
        // The last turn ends with the loop, not with a wait.
        assertThat(table.get("loops").get(0).get("turns").get("count").asLong()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void whatIsNoNodeIsSaid() throws Exception {
        Process sleep = new ProcessBuilder("sleep", "60").start();
        try {
            CommandRun loop = CommandRun.run("loop", "-p", String.valueOf(sleep.pid()));

            assertThat(loop.exitCode()).isEqualTo(1);
            assertThat(loop.said()).singleElement().asString().contains("the program is not Node.js", "doctor -p");
        } finally {
            sleep.destroyForcibly().waitFor();
        }
    }

    /** What is printed while the program does what it is asked, one after the other. */
    private List<JsonNode> slowTurns(NodeBinary node, String... asked) throws Exception {
        try (NodeFixture program = NodeFixture.start(node, folder, SCRIPT);
                CommandRun loop =
                        CommandRun.start("loop", "-p", program.pid(), "--slow", SLOW_NS / 1_000_000 + "ms", "--json")) {
            loop.await("tracing event loops with ");
            for (String line : asked) {
                assertThat(program.ask(line)).isEqualTo("done");
            }
            program.send("end");
            program.awaitEnd();

            assertThat(loop.end()).isZero();
            List<JsonNode> lines = new ArrayList<>();
            for (String line : loop.out().lines().toList()) {
                lines.add(new ObjectMapper().readTree(line));
            }
            return lines;
        }
    }

    /** The names along what took longest. */
    private static List<String> longest(JsonNode turn) {
        List<String> names = new ArrayList<>();
        JsonNode inside = turn.get("ran");
        while (inside.size() > 0) {
            JsonNode longest = inside.get(0);
            for (JsonNode ran : inside) {
                longest = ran.get("durationNs").asLong()
                                > longest.get("durationNs").asLong()
                        ? ran
                        : longest;
            }
            names.add(longest.get("name").asText());
            inside = longest.get("inside");
        }
        return names;
    }
}
