package dev.probestream.sink.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.sink.position.Position.CapturePosition;
import dev.probestream.sink.segment.Segment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SinkFolderTest {
    private static final SinkFolder.TopicId TOPIC = new SinkFolder.TopicId("cluster", "events", "id");

    @TempDir
    private Path out;

    private static Segment segment(long captureId, long firstOffset, long lastOffset) {
        return new Segment(captureId, 3, firstOffset, lastOffset, 0, 9, 10, 1, 0, 1, 0, 0);
    }

    private Path finished(long captureId, long firstOffset, long lastOffset) throws IOException {
        Path folder = Files.createDirectories(out.resolve(String.valueOf(captureId)));
        return Files.createFile(
                folder.resolve(FinishedName.timed(segment(captureId, firstOffset, lastOffset)) + ".pftrace"));
    }

    @Test
    void aNameShowsWhatItsFileHolds() {
        String name = FinishedName.timed(segment(-5, 12, 34));

        assertThat(name).isEqualTo("19700101T000000Z_c-5-p003-000000000012-000000000034");
        assertThat(FinishedName.of(Path.of(name + ".pftrace"))).contains(new FinishedName(-5, 3, 12, 34));
        assertThat(FinishedName.of(Path.of(FinishedName.plain(segment(5, 1, 2)) + ".2.parquet")))
                .contains(new FinishedName(5, 3, 1, 2));
        assertThat(FinishedName.of(Path.of("captures", "5.parquet"))).isEmpty();
        assertThat(FinishedName.of(Path.of("c5-p003-99999999999999999999-1.json")))
                .isEmpty();
    }

    @Test
    void aPositionIsReadAsItWasWritten() throws Exception {
        Position position = new Position(12, List.of(new CapturePosition(-7, 20, 3, 4, 5)));
        try (SinkFolder folder = SinkFolder.open(out, "events")) {
            assertThat(folder.positionFile(3).read()).isEmpty();
            folder.positionFile(3).write(position);
            assertThat(folder.positionFile(3).read()).contains(position);
        }
    }

    @Test
    void aDamagedPositionIsReported() throws Exception {
        try (SinkFolder folder = SinkFolder.open(out, "events")) {
            Files.writeString(out.resolve(".probestream/events-3.json"), "{\"version\":1,\"partition\":3}");
            assertThatThrownBy(() -> folder.positionFile(3).read())
                    .isInstanceOf(FolderException.class)
                    .hasMessageContaining("it has no number lowWater");
            Files.writeString(out.resolve(".probestream/events-3.json"), "{\"version\":");
            assertThatThrownBy(() -> folder.positionFile(3).read()).isInstanceOf(FolderException.class);
        }
    }

    @Test
    void onlyFilesBeyondThePositionAreOrphans() throws Exception {
        Path done = finished(1, 0, 99);
        Path half = finished(2, 50, 149);
        Path beyond = finished(2, 150, 190);
        Path unknown = finished(4, 120, 130);
        Position position = new Position(100, List.of(new CapturePosition(2, 150, 0, 0, 0)));
        try (SinkFolder folder = SinkFolder.open(out, "events")) {
            assertThat(folder.deleteOrphanFiles(3, position)).containsExactlyInAnyOrder(beyond, unknown);
            assertThat(folder.deleteOrphanFiles(2, position)).isEmpty();
        }
        assertThat(done).exists();
        assertThat(half).exists();
    }

    @Test
    void aFileThatReachesOverThePositionIsRefused() throws Exception {
        finished(1, 90, 110);
        try (SinkFolder folder = SinkFolder.open(out, "events")) {
            assertThatThrownBy(() -> folder.deleteOrphanFiles(3, new Position(100, List.of())))
                    .isInstanceOf(FolderException.class)
                    .hasMessageContaining("reaches over the position, offset 100 of partition 3");
        }
    }

    @Test
    void whatADeadInstanceLeftIsRemoved() throws Exception {
        Path dead = Files.createDirectories(out.resolve(".probestream/instance-dead/spool"));
        Files.createFile(out.resolve(".probestream/instance-dead.lock"));
        SinkFolder living = SinkFolder.open(out, "events");
        try (living) {
            assertThat(dead.getParent()).doesNotExist();
            try (SinkFolder other = SinkFolder.open(out, "events")) {
                assertThat(living.instanceFolder()).isDirectory().isNotEqualTo(other.instanceFolder());
            }
        }
        assertThat(out.resolve(".probestream")).isEmptyDirectory();
    }

    @Test
    void oneLockIsTakenOnce() throws Exception {
        try (SinkFolder folder = SinkFolder.open(out, "events")) {
            HeldLock lock = folder.tryLock(3).orElseThrow();
            assertThat(folder.tryLock(3)).isEmpty();
            assertThat(folder.lockOwner(3))
                    .startsWith("process " + ProcessHandle.current().pid());
            lock.close();
            folder.tryLock(3).orElseThrow().close();
        }
    }

    @Test
    void aFolderBelongsToOneTopic() throws Exception {
        try (SinkFolder folder = SinkFolder.open(out, "events")) {
            folder.claim("perfetto", TOPIC);
            folder.claim("perfetto", TOPIC);
            assertThatThrownBy(() -> folder.claim("perfetto", new SinkFolder.TopicId("other", "events", "id")))
                    .hasMessageContaining("it is filled from the Kafka cluster cluster, but this is other");
        }
    }

    @Test
    void oneOfManyThatStartAtOnceClaimsTheFolderAndTheOthersAgree() throws Exception {
        ExecutorService instances = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 100; round++) {
                Path folder = out.resolve(String.valueOf(round));
                CyclicBarrier start = new CyclicBarrier(4);
                Callable<Void> instance = () -> {
                    try (SinkFolder own = SinkFolder.open(folder, "events")) {
                        start.await(1, TimeUnit.MINUTES);
                        own.claim("perfetto", TOPIC);
                    }
                    return null;
                };
                for (Future<Void> claimed : instances.invokeAll(Collections.nCopies(4, instance))) {
                    claimed.get();
                }
                try (Stream<Path> left = Files.list(folder.resolve(".probestream"))) {
                    assertThat(left).containsExactly(folder.resolve(".probestream/sink.json"));
                }
            }
        } finally {
            instances.shutdownNow();
        }
    }
}
