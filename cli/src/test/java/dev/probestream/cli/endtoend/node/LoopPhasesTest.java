package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The set node-loop, whose ends are derived, beside probes on the returns of the same functions, and node-turns. */
@KernelTest(since = "6.1")
class LoopPhasesTest {
    private static final int STATS = 20;
    private static final int PROMISES = 20;

    /** The same functions with their returns. */
    private static final Map<String, String> RETURNS = Map.of(
            "timers", "uv__run_timers",
            "prepare", "uv__run_prepare",
            "poll", "uv__io_poll",
            "check", "uv__run_check",
            "stream I/O", "uv__stream_io",
            "JS timers", "node::Environment::RunTimers");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void derivedEndsLieBetweenTheReturnAndTheNextBegin(NodeBinary node) throws Exception {
        RecordedFile recorded = record(node);

        assertThat(recorded.lost()).isZero();
        RETURNS.forEach((name, function) -> assertThat(ofLoop(recorded, name))
                .as(name)
                .isNotEmpty()
                .allSatisfy(phase -> assertThat(phase.probe().getIsEndDerived()).isTrue()));
        RETURNS.forEach((name, function) -> everyReturnIsInside(recorded, name, function));
        everyWaitIsInsideAPoll(recorded);
        theInnerLoopEndsWhereItIsClosed(recorded);
        assertThat(ofLoop(recorded, "pool completions")).hasSizeGreaterThanOrEqualTo(STATS);
        assertThat(ofLoop(recorded, "async")).hasSizeGreaterThanOrEqualTo(STATS);
        assertThat(ofLoop(recorded, "microtasks"))
                .hasSizeGreaterThanOrEqualTo(PROMISES)
                .allSatisfy(run -> assertThat((long) run.argument("pending")).isPositive())
                .allSatisfy(run -> assertThat(run.probe().getIsEndDerived()).isFalse());
        assertThat(recorded.events("loop out of work")).isNotEmpty();
    }

    private RecordedFile record(NodeBinary node) throws Exception {
        Path recording = folder.resolve("loop.avro");
        List<String> command = new ArrayList<>(List.of("record", "--ring-size", "16M"));
        try (NodeFixture program = NodeFixture.start(node, folder, "blocks.js")) {
            command.addAll(
                    List.of("-p", program.pid(), "-o", recording.toString(), "--probes", "node-loop,node-turns"));
            for (String function : RETURNS.values()) {
                command.addAll(List.of("--probes", "span:" + function));
            }
            try (CommandRun record = CommandRun.start(command.toArray(String[]::new))) {
                record.awaitRecording();
                for (String asked : List.of("stats " + STATS, "promises " + PROMISES, "after 60", "worker 20")) {
                    assertThat(program.ask(asked)).isEqualTo("done");
                }
                program.send("end");
                program.awaitEnd();
                assertThat(record.end()).isZero();
            }
        }
        return RecordedFile.read(recording);
    }

    /** Every return lies before the derived end of a span that began before it. */
    private static void everyReturnIsInside(RecordedFile recorded, String name, String function) {
        List<RecordedEvent> derived = ofLoop(recorded, name);
        for (RecordedEvent call : recorded.events(function)) {
            if (call.durationNs() < 0) {
                continue; // open at the end
            }
            long endNs = call.timestampNs() + call.durationNs();
            List<RecordedEvent> same = derived.stream()
                    .filter(phase -> phase.tid() == call.tid()
                            && phase.durationNs() >= 0
                            && phase.timestampNs() < endNs
                            && phase.timestampNs() + phase.durationNs() > endNs)
                    .toList();
            assertThat(same)
                    .as("%s at %s of %s", name, call.timestampNs(), call.tid())
                    .isNotEmpty();
        }
    }

    /** The set node-turns: a loop waits in its polls only, with the timeout of the poll or none. */
    private static void everyWaitIsInsideAPoll(RecordedFile recorded) {
        List<RecordedEvent> polls = ofLoop(recorded, "poll");
        Map<Integer, Long> firstPolls =
                polls.stream().collect(Collectors.toMap(RecordedEvent::tid, RecordedEvent::timestampNs, Math::min));
        List<RecordedEvent> waits = recorded.events("event wait").stream()
                .filter(wait -> wait.durationNs() >= 0
                        && wait.timestampNs() > firstPolls.getOrDefault(wait.tid(), Long.MAX_VALUE))
                .toList();
        assertThat(waits)
                .hasSizeGreaterThanOrEqualTo(STATS)
                .allSatisfy(wait -> assertThat(polls).anySatisfy(poll -> {
                    assertThat(poll.tid()).isEqualTo(wait.tid());
                    assertThat(poll.timestampNs()).isLessThan(wait.timestampNs());
                    assertThat(poll.durationNs() < 0
                                    || poll.timestampNs() + poll.durationNs() > wait.timestampNs() + wait.durationNs())
                            .isTrue();
                }));
    }

    /** What spawnSync() ran is inside the timer that called it, and what followed it counts to no phase of its loop. */
    private static void theInnerLoopEndsWhereItIsClosed(RecordedFile recorded) {
        List<RecordedEvent> closed = recorded.events("loop closed").stream()
                .filter(event -> event.tid() == event.pid())
                .toList();
        assertThat(closed).isNotEmpty();
        Object inner = closed.get(0).argument("loop");
        List<RecordedEvent> phases = recorded.events().stream()
                .filter(event -> event.probe().getRole().startsWith("loop.p")
                        && event.tid() == event.pid()
                        && event.argument("loop").equals(inner))
                .toList();
        assertThat(phases).isNotEmpty().allSatisfy(phase -> {
            assertThat(phase.durationNs()).isNotNegative();
            assertThat(phase.timestampNs() + phase.durationNs())
                    .isLessThanOrEqualTo(closed.get(0).timestampNs());
        });
        assertThat(ofLoop(recorded, "JS timers"))
                .anySatisfy(timer -> assertThat(timer.timestampNs() + timer.durationNs())
                        .isGreaterThanOrEqualTo(closed.get(0).timestampNs() + 60_000_000));
    }

    private static List<RecordedEvent> ofLoop(RecordedFile recorded, String name) {
        return recorded.events(name).stream()
                .filter(event -> event.probe().getCategory().equals("node-loop"))
                .toList();
    }
}
