package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.sink.finish.SinkFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders that are not the one of their consumer group. */
@Timeout(300)
class GroupFolderTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CAPTURES = 6;
    private static final int EVENTS = 50;

    @TempDir
    private Path folder;

    private SinkTopics topics;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(4);
        for (int capture = 1; capture <= CAPTURES; capture++) {
            topics.capture(capture, EVENTS);
        }
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    private SinkThread sink(SinkFormat format, String name) {
        return SinkThread.start(
                SinkRequest.follow(format, folder.resolve(name), topics.kafka(), "group", SinkTest.SECONDS));
    }

    private boolean hasAll(String name) throws Exception {
        for (int capture = 1; capture <= CAPTURES; capture++) {
            if (!Files.exists(folder.resolve(name))
                    || !SinkFiles.ofCapture(folder.resolve(name), SinkFormat.PERFETTO, capture)
                            .equals(SinkTest.upTo(EVENTS))) {
                return false;
            }
        }
        return true;
    }

    @Test
    void aSecondFolderIsRefusedWithBothNamesAndAMovedFolderIsNot() throws Exception {
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        try (SinkThread first = sink(SinkFormat.PERFETTO, "a")) {
            first.await("it has read all", LONG, () -> hasAll("a"));
            try (SinkThread second = sink(SinkFormat.CHROME, "b")) {
                assertThatThrownBy(second::awaitEnd)
                        .hasCauseInstanceOf(SinkException.class)
                        .hasMessageContaining("cannot write to " + host + ":" + folder.resolve("b")
                                + " as a member of the consumer group group: the group writes to " + host + ":"
                                + folder.resolve("a") + ",")
                        .hasMessageContaining("--group NAME");
            }
            assertThat(first.log.lines).noneMatch(line -> line.startsWith("revoked"));
        }
        Files.move(folder.resolve("a"), folder.resolve("moved"));
        topics.capture(7, EVENTS);
        try (SinkThread moved = sink(SinkFormat.PERFETTO, "moved")) {
            moved.await("it continues", LONG, () -> moved.log.finished.size() == 1);
        }
        try (SinkThread second = sink(SinkFormat.PERFETTO, "a")) {
            assertThatThrownBy(second::awaitEnd)
                    .hasMessageContaining("the group writes to " + host + ":" + folder.resolve("moved") + ",");
        }
    }

    @Test
    void aFolderInPlaceOfTheDeletedOneIsRefusedWithTheReason() throws Exception {
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        Path first = folder.resolve("a");
        SinkThread.toItsEnd(catchUp("a"), new SinkLog());
        Files.move(first, folder.resolve("gone"));

        assertThatThrownBy(() -> SinkThread.toItsEnd(catchUp("b"), new SinkLog()))
                .hasMessageContaining("cannot write to " + host + ":" + folder.resolve("b")
                        + " as a member of the consumer group group: the group wrote to " + host + ":" + first
                        + ", which was deleted, moved or made again since")
                .hasMessageContaining("--group NAME");
        assertThatThrownBy(() -> SinkThread.toItsEnd(catchUp("a"), new SinkLog()))
                .hasMessageContaining("cannot write to " + host + ":" + first
                        + " as a member of the consumer group group: the group wrote to " + host + ":" + first
                        + ", which was deleted, moved or made again since");
    }

    @Test
    void aFolderThatWasReachedByALinkIsNamedByItsOwnPath() throws Exception {
        Files.createDirectories(folder.resolve("real/a"));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("real"));
        SinkThread.toItsEnd(catchUp("link/a"), new SinkLog());

        assertThatThrownBy(() -> SinkThread.toItsEnd(catchUp("b"), new SinkLog()))
                .hasMessageContaining(":" + folder.resolve("real/a") + ", and each of two folders");
    }

    private SinkRequest catchUp(String name) {
        return SinkRequest.catchUp(SinkFormat.PERFETTO, folder.resolve(name), topics.kafka(), SinkTest.SECONDS)
                .ofGroup("group");
    }

    @Test
    void ofFoldersThatStartTogetherOneGetsEverything() throws Exception {
        List<SinkThread> sinks = new ArrayList<>();
        List<String> names = List.of("a", "b", "c");
        try {
            for (String name : names) {
                sinks.add(sink(SinkFormat.PERFETTO, name));
            }
            sinks.get(0).awaitAny("one has read all", LONG, () -> hasAll("a") || hasAll("b") || hasAll("c"));
            int refused = 0;
            for (int i = 0; i < sinks.size(); i++) {
                if (hasAll(names.get(i))) {
                    sinks.get(i).stop();
                } else {
                    assertThatThrownBy(sinks.get(i)::awaitEnd)
                            .isInstanceOf(ExecutionException.class)
                            .hasMessageContaining("the group writes to ");
                    assertThat(SinkFiles.names(folder.resolve(names.get(i)))).isEmpty();
                    refused++;
                }
            }
            assertThat(refused).isEqualTo(2);
        } finally {
            sinks.forEach(SinkThread::close);
        }
    }
}
