package dev.probestream.cli.endtoend.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.RedisServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The messages for probe sets that do not fit the process. */
@KernelTest(since = "5.8")
class FittingSetsTest {
    @TempDir
    private Path folder;

    @Test
    void aSetOfWhichAProcessHasNothingIsAnError() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try {
            CommandRun run = record(cat.pid(), "redis");

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.said())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "probestream record: none of the probes of redis (for Redis) is in process " + cat.pid())
                    .endsWith("; there are only syscalls, sched, offcpu and profile");
        } finally {
            cat.destroyForcibly();
        }
    }

    @Test
    void theSetThatFitsIsNamed() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            long pid = Long.parseLong(redis.pid());

            assertThat(record(pid, "node-*").said())
                    .singleElement()
                    .asString()
                    .contains(
                            "node-http (for Node.js), node-http2 (for Node.js), node-websocket (for Node.js), node-net (for Node.js), node-db (for Node.js), node-dns (for Node.js), node-fs (for Node.js)")
                    .endsWith("; there is --probes redis");
        }
    }

    @Test
    void theDefaultSetsLeadToThoseOfTheJvm() throws Exception {
        // This very process is a JVM.
        CommandRun run = record(ProcessHandle.current().pid(), "all");

        assertThat(run.exitCode()).isZero();
        assertThat(run.said())
                .contains("node-loop: not in this target, skipped: all of it")
                .anyMatch(line ->
                        line.startsWith("for process " + ProcessHandle.current().pid())
                                && line.endsWith(" there is --probes jvm or jvm-methods"));
    }

    @Test
    void doctorShowsTheSetsThatFit() throws Exception {
        CommandRun run = CommandRun.run(
                "doctor", "-p", String.valueOf(ProcessHandle.current().pid()));

        assertThat(run.out())
                .containsPattern("OK +jvm +21 of 21 probes")
                .contains("jvm-methods")
                .doesNotContain("go-http");
    }

    private CommandRun record(long pid, String sets) throws Exception {
        List<String> arguments = List.of(
                "record",
                "-p",
                String.valueOf(pid),
                "--for",
                "100ms",
                "-o",
                folder.resolve("trace.avro").toString(),
                "--probes",
                sets);
        return CommandRun.run(arguments.toArray(String[]::new));
    }
}
