package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.analysis.ReportAnalysis;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A loop that waits for work when a capture begins and ends is not reported as blocked: no turn of it has a wait in epoll,
 * whichever way the capture ends.
 */
@Tag("deep")
@KernelTest(since = "5.8")
class WindowEdgesTest {
    /** Of the sleeps of threads with a loop: in epoll; and those of them in a turn. Tables of the report. */
    private static final String SLEEPS = """
            WITH sleep AS (
              SELECT w.* FROM cpu_waits w
              WHERE w.state = 'sleeping' AND w.tid IN (SELECT tid FROM report_turn)
                AND EXISTS (
                  FROM stacks s WHERE s.capture_id = w.capture_id AND s.stack_id = w.stack_id AND s.symbol LIKE '%epoll%'))
            SELECT count(*), count(*) FILTER (EXISTS (
              FROM report_turn t
              WHERE t.capture_id = w.capture_id AND t.tid = w.tid AND w.from_ns >= t.start_ns AND w.from_ns < t.end_ns))
            FROM sleep w""";

    /** The loop has nothing to do for so long when the capture ends: longer than what the report takes for a block. */
    private static final long IDLE_MS = 500;

    @TempDir
    private Path folder;

    @Test
    void loopThatWaitsForWorkIsNotBlocked() throws Exception {
        try (NodeFixture program = NodeFixture.start(NodeFixture.installedNode(), folder, "kept.js")) {
            try (CommandRun record = record(program, "time.avro", "--for", "5s")) {
                serve(program);
                assertThat(record.end()).isZero();
            }
            assertIsNotBlocked("time.avro", "the time was up");

            try (CommandRun record = record(program, "stopped.avro")) {
                serve(program);
                Thread.sleep(IDLE_MS);
                assertThat(record.interrupt().end()).isZero();
            }
            assertIsNotBlocked("stopped.avro", "stopped by the user");

            try (CommandRun record = record(program, "exit.avro")) {
                serve(program);
                Thread.sleep(IDLE_MS);
                ProcessHandle.of(Long.parseLong(program.pid())).orElseThrow().destroyForcibly();
                assertThat(record.end()).isZero();
            }
            assertIsNotBlocked("exit.avro", "exited");
        }
    }

    private CommandRun record(NodeFixture program, String file, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "record",
                "-p",
                program.pid(),
                "--probes",
                "node-http,node-loop,offcpu",
                "-o",
                path(file).toString()));
        arguments.addAll(List.of(more));
        return CommandRun.start(arguments.toArray(String[]::new)).awaitRecording();
    }

    /** Some turns of the loop, which sleeps between them. */
    private static void serve(NodeFixture program) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(program.ask("ask")).isEqualTo("done");
        }
    }

    private Path path(String file) {
        return folder.resolve(file);
    }

    private void assertIsNotBlocked(String file, String reason) throws Exception {
        try (Recordings recordings = Recordings.open(List.of(path(file)), Limits.standard(), ConversionProgress.NONE)) {
            assertThat(ReportAnalysis.of(recordings, "test", Instant.now()).findings())
                    .as(file)
                    .noneMatch(finding -> (finding.title() + finding.text()).contains("epoll"));
            Connection connection = recordings.connection();
            try (Statement statement = connection.createStatement()) {
                try (ResultSet ended = statement.executeQuery("SELECT end_reason FROM captures")) {
                    ended.next();
                    assertThat(ended.getString(1)).contains(reason);
                }
                try (ResultSet sleeps = statement.executeQuery(SLEEPS)) {
                    sleeps.next();
                    assertThat(sleeps.getLong(1)).as("%s: waits in epoll", file).isPositive();
                    assertThat(sleeps.getLong(2))
                            .as("%s: waits in epoll within a turn", file)
                            .isZero();
                }
            }
        }
    }
}
