package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways to name the processes to record. Others run as well and must not show up. */
@KernelTest(since = "5.8")
class TargetsTest {
    private static final String OPENS = "span:uv_fs_open(path=arg3:str)";

    @TempDir
    private Path folder;

    private Path recording = Path.of("");
    private Path opened = Path.of("");

    @BeforeEach
    void prepareFiles() throws IOException {
        recording = folder.resolve("trace.avro");
        opened = Files.writeString(folder.resolve("opened.txt"), "content");
    }

    @Test
    void severalPidsAreRecordedTogether() throws Exception {
        try (NodeFixture first = NodeFixture.start(folder);
                NodeFixture second = NodeFixture.start(folder);
                NodeFixture other = NodeFixture.start(folder);
                CommandRun record = start("-p", first.pid(), "-p", second.pid())) {
            record.awaitRecording();
            first.ask("sync 10 " + opened);
            second.ask("sync 20 " + opened);
            other.ask("sync 40 " + opened);

            assertThat(record.interrupt().end()).isZero();
            assertThat(pids()).isEqualTo(Set.of(Integer.valueOf(first.pid()), Integer.valueOf(second.pid())));
        }
        assertThat(opens()).isEqualTo(30);
    }

    @Test
    void processesAreRecordedByName() throws Exception {
        // A link of another name gives the process that name; the kernel keeps 15 bytes of it.
        Path link = Files.createSymbolicLink(
                folder.resolve("targets-test-node"), NodeFixture.installedNode().path());
        try (NodeFixture named = NodeFixture.start(new NodeBinary(link), folder);
                NodeFixture other = NodeFixture.start(folder);
                CommandRun record = start("--comm", "targets-test-node")) {
            record.awaitRecording();
            named.ask("sync 10 " + opened);
            other.ask("sync 40 " + opened);

            assertThat(record.interrupt().end()).isZero();
            assertThat(pids()).isEqualTo(Set.of(Integer.valueOf(named.pid())));
        } finally {
            Files.delete(link); // JUnit would warn of a link that leads out of its folder
        }
        assertThat(opens()).isEqualTo(10);
    }

    @Test
    void oneProcessThatEndsDoesNotEndTheRecordingOfAnother() throws Exception {
        try (NodeFixture first = NodeFixture.start(folder);
                NodeFixture second = NodeFixture.start(folder);
                CommandRun record = start("-p", first.pid() + "," + second.pid())) {
            record.awaitRecording();
            first.send("exit 0");
            first.awaitEnd();
            second.ask("sync 10 " + opened);
            second.send("exit 0");

            assertThat(record.end()).isZero();
        }
        assertThat(opens()).isEqualTo(10);
    }

    private CommandRun start(String... target) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("record", "-o", recording.toString(), "--probes", OPENS));
        arguments.addAll(List.of(target));
        return CommandRun.start(List.of(), arguments);
    }

    private Set<Integer> pids() throws IOException {
        return RecordedFile.read(recording).events().stream()
                .map(RecordedEvent::pid)
                .collect(Collectors.toSet());
    }

    private long opens() throws IOException {
        return RecordedFile.read(recording).events("uv_fs_open").size();
    }
}
