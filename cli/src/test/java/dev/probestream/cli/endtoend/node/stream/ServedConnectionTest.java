package dev.probestream.cli.endtoend.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What follows an {@code await} of a timer that several requests share, and what a pool calls for who waits for it, is known by the
 * connection of each.
 */
@KernelTest(since = "5.17")
class ServedConnectionTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final String APPLICATION = "/testdata/node/served.js";
    private static final String PROBE = "uprobe:uv_fs_access(path=arg3:str[64], served=servedstream)";
    private static final long NO_STREAM = 1;
    private static final long ON_STACK = 2;

    /** Recordings until one has a stream: the collector may be late on a busy machine. */
    private static final int TRIES = 20;

    private static final int ROUNDS = 50;
    private static final int WARM_REQUESTS = 100;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void eachConnectionHasOneStream(NodeBinary node) throws Exception {
        try (LineProgram application = start(node, "timer")) {
            assertOneStreamEach(application);
        }
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whoWaitsForAPoolHasItsStreamWhenV8HasInlinedIt(NodeBinary node) throws Exception {
        try (LineProgram application = start(node, "pool")) {
            assertThat(application.ask("warm " + WARM_REQUESTS)).isEqualTo("done");
            assertOneStreamEach(application);
        }
    }

    private void assertOneStreamEach(LineProgram application) throws Exception {
        Map<String, Long> streams = Map.of();
        for (int i = 0; i < TRIES && streams.isEmpty(); i++) {
            streams = streams(record(application, folder.resolve("served" + i + ".avro")));
        }
        assertThat(streams).isNotEmpty();
        assertThat(streams.values()).doesNotHaveDuplicates();
    }

    private LineProgram start(NodeBinary node, String handler) throws IOException {
        Path script = folder.resolve("served.js");
        try (InputStream source =
                Objects.requireNonNull(ServedConnectionTest.class.getResourceAsStream(APPLICATION), APPLICATION)) {
            Files.write(script, source.readAllBytes());
        }
        return LineProgram.start(List.of(node.path().toString(), "--allow-natives-syntax", script.toString(), handler));
    }

    private static RecordedFile record(LineProgram application, Path file) throws Exception {
        try (CommandRun record = CommandRun.start(
                        "record", "-p", application.pid(), "--budget", "off", "-o", file.toString(), "--probes", PROBE)
                .awaitRecording()) {
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(application.ask("serve 20")).isEqualTo("done");
            }
            assertThat(record.interrupt().end()).isZero();
        }
        return RecordedFile.read(file);
    }

    /** The stream of each path, which has the port of the connection; a path has one. */
    private static Map<String, Long> streams(RecordedFile recorded) {
        Map<String, Long> streams = new HashMap<>();
        for (RecordedEvent event : recorded.events()) {
            String path = String.valueOf(event.argument("path"));
            long served = ((Number) Objects.requireNonNull(event.argument("served"))).longValue() & ~ON_STACK;
            if (path.startsWith("/served-") && served > NO_STREAM) {
                assertThat(streams.merge(path, served, (before, now) -> before))
                        .as(path)
                        .isEqualTo(served);
            }
        }
        return streams;
    }
}
