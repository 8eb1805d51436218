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
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A write of libc to a connection that was there before has the stream with which libuv was called, on the main thread and in a
 * worker, also where libuv goes on with a write by itself, and where the peer has ended the connection.
 */
@KernelTest(since = "5.17")
class UvStreamTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final String APPLICATION = "/testdata/node/streams.js";
    private static final String TRY = "uprobe:uv_try_write(tried=arg1:ptr)";
    private static final String WRITE = "uprobe:libc.so.6:write(fd=arg1:s32, stream=arg1:uvstream)";
    private static final String WRITE_MANY = "uprobe:libc.so.6:writev(fd=arg1:s32, stream=arg1:uvstream)";

    /** Of the application: connections of a thread, both ends of each. */
    private static final int SOCKETS = 8;

    private static final int THREADS = 2;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void writesHaveTheStreamThatLibuvWrites(NodeBinary node) throws Exception {
        RecordedFile recorded;
        try (LineProgram application = start(node)) {
            recorded = record(application, folder.resolve("streams.avro"));
        }

        assertThat(recorded.lost()).isZero();
        Map<Integer, List<RecordedEvent>> threads = recorded.events().stream()
                .sorted(Comparator.comparingLong(RecordedEvent::timestampNs))
                .collect(Collectors.groupingBy(RecordedEvent::tid, TreeMap::new, Collectors.toList()));
        threads.values().removeIf(events -> events.stream().noneMatch(UvStreamTest::isTry));
        assertThat(threads).hasSize(THREADS);
        threads.values().forEach(UvStreamTest::assertStreams);
    }

    private static void assertStreams(List<RecordedEvent> events) {
        Map<Long, Set<Object>> streamsOfDescriptors = events.stream()
                .filter(event -> event.arguments().containsKey("stream"))
                .collect(Collectors.groupingBy(
                        event -> (Long) event.argument("fd"),
                        Collectors.mapping(event -> event.argument("stream"), Collectors.toSet())));
        assertThat(streamsOfDescriptors).hasSize(SOCKETS);
        assertThat(streamsOfDescriptors.values()).allMatch(streams -> streams.size() == 1);
        assertThat(streamsOfDescriptors.values().stream().flatMap(Collection::stream))
                .doesNotHaveDuplicates();

        int continued = 0;
        for (int i = 1; i < events.size(); i++) {
            RecordedEvent event = events.get(i);
            if (isTry(event) || !streamsOfDescriptors.containsKey((Long) event.argument("fd"))) {
                continue;
            }
            if (isTry(events.get(i - 1))) {
                assertThat(event.argument("stream")).isEqualTo(events.get(i - 1).argument("tried"));
            } else {
                assertThat(event.arguments()).containsKey("stream");
                continued++;
            }
        }
        assertThat(continued).isPositive();
    }

    private static boolean isTry(RecordedEvent event) {
        return event.arguments().containsKey("tried");
    }

    private LineProgram start(NodeBinary node) throws IOException {
        Path script = folder.resolve("streams.js");
        try (InputStream source =
                Objects.requireNonNull(UvStreamTest.class.getResourceAsStream(APPLICATION), APPLICATION)) {
            Files.write(script, source.readAllBytes());
        }
        return LineProgram.start(List.of(node.path().toString(), script.toString()));
    }

    private static RecordedFile record(LineProgram application, Path file) throws Exception {
        try (CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        application.pid(),
                        "--budget",
                        "off",
                        "-o",
                        file.toString(),
                        "--probes",
                        TRY,
                        "--probes",
                        WRITE,
                        "--probes",
                        WRITE_MANY)
                .awaitRecording()) {
            assertThat(application.ask("exchange")).isEqualTo("done");
            assertThat(application.ask("end")).isEqualTo("done");
            assertThat(record.interrupt().end()).isZero();
        }
        return RecordedFile.read(file);
    }
}
