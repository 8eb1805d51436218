package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.collector.publish.RingPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The flight recorder: what it has kept can be taken while it runs, after it was killed, and by a later one. */
@KernelTest(since = "5.8")
class WatchTest {
    private static final int OPENS = 40;

    /** What is published is in the ring a second later; a busy machine may take longer. */
    private static final int TRIES = 30;

    @TempDir
    private Path folder;

    private Path incidents;
    private Path opened;

    @BeforeEach
    void names() throws IOException {
        incidents = folder.resolve("incidents");
        opened = Files.writeString(folder.resolve("opened"), "x");
    }

    @Test
    void anIncidentIsTakenWhileItRunsAndAfterItWasKilled() throws Exception {
        try (NodeFixture node = NodeFixture.start(folder)) {
            CommandRun watch = watch(node);
            try (watch) {
                node.ask("sync " + OPENS + " " + opened);
                takenWith(OPENS, "Support case 4711");
                String line = CommandRun.run("incidents", "list", incidents.toString())
                        .out();
                assertThat(line.lines()).last().asString().matches("\\S+Z-support-case-4711(-\\d+)?  [A-Z]+  .+");

                CommandRun second = CommandRun.run("watch", "-p", node.pid(), "-o", incidents.toString());
                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.said())
                        .last()
                        .asString()
                        .endsWith("cannot write into the folder "
                                + incidents.resolve("ring")
                                + ": another process writes into it; stop that one, or name another folder");
            } // is killed
            assertThat(watch.isAlive()).isFalse();
            takenWith(OPENS, "");

            List<Path> before = RingPublisher.recordings(incidents.resolve("ring"));
            try (CommandRun next = watch(node)) {
                node.ask("sync " + OPENS + " " + opened);
                takenWith(2 * OPENS, "both");
                assertThat(next.interrupt().end()).isZero();
            }
            assertThat(RingPublisher.recordings(incidents.resolve("ring"))).startsWith(before.toArray(Path[]::new));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(incidents.resolve("ring"))))
                .isEqualTo("rwx------");
    }

    @Test
    void whatCannotBeIsSaidAtOnce() throws Exception {
        Files.createDirectory(incidents);
        String pid = String.valueOf(ProcessHandle.current().pid());
        String missing = folder.resolve("missing").toString();
        assertRefused(
                1,
                "cannot take an incident of " + incidents + ": there is no recording in " + incidents.resolve("ring")
                        + "; start 'probestream watch -o " + incidents + "', and take it while or after that runs",
                "incidents",
                "take",
                incidents.toString());
        assertRefused(
                1,
                "cannot read " + missing + ": it is no folder; name the one that 'watch -o' was given",
                "incidents",
                "list",
                missing);
        assertRefused(2, "--keep must be at least 10s", "watch", "-p", pid, "-o", missing, "--keep", "1s");
        assertRefused(2, "--max must be at least 64M", "watch", "-p", pid, "-o", missing, "--max", "1M");
        assertRefused(1, "cannot write " + opened, "watch", "-p", pid, "-o", opened.toString());
        assertThat(Path.of(missing)).doesNotExist();
        assertThat(CommandRun.run("incidents", "list", incidents.toString()).out())
                .isEmpty();
        Path damaged = Files.createDirectory(incidents.resolve("damaged")).resolve("incident.json");
        Files.writeString(damaged, "{\"id\": ");
        assertRefused(1, "cannot read " + damaged + ": ", "incidents", "list", incidents.toString());
    }

    private CommandRun watch(NodeFixture node) throws IOException {
        CommandRun watch = CommandRun.start(
                "watch", "-p", node.pid(), "-o", incidents.toString(), "--probes", "node-fs", "--budget", "off");
        watch.awaitLineWith("watching with ");
        return watch;
    }

    /** Takes incidents until one has so many opened files, and compares what its folder says of it. */
    private void takenWith(int opens, String name) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            CommandRun take =
                    CommandRun.run("incidents", "take", incidents.toString(), "-n", name, "--before", "5m", "--json");
            if (take.exitCode() == 1 && take.said().toString().contains("nothing was recorded in that time")) {
                continue;
            }
            assertThat(take.exitCode()).as("%s", take.said()).isZero();
            JsonNode incident = new ObjectMapper().readTree(take.out()).get(0);
            Path taken = incidents.resolve(incident.get("id").asText());
            RecordedFile recorded = RecordedFile.read(taken.resolve("recording.avro"));
            if (opensIn(recorded) == opens) {
                assertThat(incident.get("name").asText()).isEqualTo(name);
                assertThat(incident.get("host").asText())
                        .isEqualTo(recorded.capture().getHost());
                assertThat(incident.get("events").asLong())
                        .isEqualTo(recorded.events().size());
                assertThat(filesIn(taken))
                        .containsExactly("incident.json", "recording.avro", "report.html", "trace.pftrace");
                return;
            }
        }
        throw new AssertionError("no incident has " + opens + " opened files");
    }

    private long opensIn(RecordedFile recorded) {
        return recorded.events("uv_fs_open").stream()
                .filter(event -> event.argument("path").equals(opened.toString()))
                .count();
    }

    private static List<String> filesIn(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void assertRefused(int exitCode, String sentence, String... arguments) throws Exception {
        CommandRun run = CommandRun.run(arguments);
        assertThat(run.exitCode()).as("%s", new ArrayList<>(run.said())).isEqualTo(exitCode);
        assertThat(run.said()).anyMatch(line -> line.contains(sentence));
    }
}
