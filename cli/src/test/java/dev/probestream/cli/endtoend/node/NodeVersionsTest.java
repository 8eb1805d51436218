package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.demo.SampleLoad;
import dev.probestream.cli.demo.SampleServer;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sample server on each version of Node.js that is there. */
@KernelTest(since = "5.8")
class NodeVersionsTest {
    private static final Duration LOAD = Duration.ofSeconds(2);
    private static final Set<String> PHASES =
            Set.of("timers", "pending", "idle", "prepare", "poll", "check", "closing");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void everyOpenIsRecordedAndThePhasesCoverTheLoop(NodeBinary node) throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (SampleServer server = SampleServer.start(node);
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        String.valueOf(server.pid()),
                        "-o",
                        recording.toString(),
                        "--probes",
                        "all",
                        "--ring-size",
                        "64M")) {
            record.awaitRecording();
            SampleLoad.Outcome load = new SampleLoad(server.address()).run(LOAD);
            SampleServer.Counts counts = server.counts();

            assertThat(record.interrupt().end()).isZero();

            assertThat(load.failed()).isZero();
            RecordedFile recorded = RecordedFile.read(recording);
            assertThat(recorded.lost()).isZero();
            List<RecordedEvent> opens = recorded.events("uv_fs_open");
            assertThat(opens).hasSize(Math.toIntExact(counts.opens()));
            assertThat(opens).allMatch(open -> open.texts().get(0).startsWith("/"));
            assertThat(opens.stream()
                            .filter(open -> open.texts().get(0).endsWith("/missing.txt"))
                            .count())
                    .isEqualTo(counts.failedOpens());
            assertThat(shareOfTheLoopThreadsTime(recorded, server.pid())).isGreaterThan(0.95);
        }
    }

    /** How much of the time from the first phase to the last is inside a phase. */
    private static double shareOfTheLoopThreadsTime(RecordedFile recorded, int pid) {
        List<RecordedEvent> phases = recorded.events().stream()
                .filter(event -> event.probe().getCategory().equals("node-loop"))
                .filter(event ->
                        event.tid() == pid && PHASES.contains(event.probe().getName()))
                .toList();
        long startNs =
                phases.stream().mapToLong(RecordedEvent::timestampNs).min().orElseThrow();
        long endNs = phases.stream()
                .mapToLong(phase -> phase.timestampNs() + phase.durationNs())
                .max()
                .orElseThrow();
        long insideNs = phases.stream()
                .mapToLong(RecordedEvent::durationNs)
                .filter(ns -> ns > 0)
                .sum();
        return (double) insideNs / (endNs - startNs);
    }
}
