package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.SinkFormat;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several instances of one sink, in this JVM and in others. */
@Tag("deep")
@Timeout(300)
class SinkInstancesTest {
    private static final int CAPTURES = 8;
    private static final int EVENTS = 4_000;
    private static final Duration LONG = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(6);
        out = folder.resolve("out");
        for (int capture = 1; capture <= CAPTURES; capture++) {
            topics.begin(capture);
        }
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    private SinkRequest request() {
        return SinkRequest.follow(SinkFormat.PARQUET, out, topics.kafka(), "group", SinkTest.SECONDS);
    }

    private void publish(int from, int to) {
        for (int first = from; first < to; first += 100) {
            for (int capture = 1; capture <= CAPTURES; capture++) {
                topics.events(capture, first, first + 100);
            }
        }
        topics.flush();
    }

    private void end() {
        for (int capture = 1; capture <= CAPTURES; capture++) {
            topics.end(capture, EVENTS);
        }
    }

    private boolean isEverythingFinished() throws Exception {
        for (int capture = 1; capture <= CAPTURES; capture++) {
            if (SinkFiles.ofCapture(out, SinkFormat.PARQUET, capture).size() < EVENTS) {
                return false;
            }
        }
        return true;
    }

    /** A file that was listed may be gone when it is read: it was beyond the position of an instance that died. */
    private boolean isEverythingThere() throws Exception {
        try {
            return isEverythingFinished();
        } catch (SQLException e) {
            return false;
        }
    }

    private void assertEachEventOnce() throws Exception {
        for (int capture = 1; capture <= CAPTURES; capture++) {
            assertThat(SinkFiles.ofCapture(out, SinkFormat.PARQUET, capture)).isEqualTo(SinkTest.upTo(EVENTS));
        }
    }

    @Test
    void instancesThatComeAndGoShareTheWork() throws Exception {
        List<SinkThread> sinks = new ArrayList<>();
        try {
            sinks.add(SinkThread.start(request()));
            publish(0, 1_500);
            // The second dies in the middle of its third segment.
            int[] placed = {0};
            sinks.add(SinkThread.start(request(), step -> {
                if (step == FaultPoints.Step.WRITE_POSITION && ++placed[0] == 3) {
                    throw new IllegalStateException("killed");
                }
            }));
            sinks.get(1)
                    .await(
                            "the second works",
                            LONG,
                            () -> placed[0] > 0 || sinks.get(1).log.lines.size() > 0);
            publish(1_500, 2_500);
            sinks.add(SinkThread.start(request()));
            publish(2_500, EVENTS);
            end();

            sinks.get(2).await("everything is in files", LONG, this::isEverythingThere);
        } finally {
            for (SinkThread sink : sinks) {
                sink.close();
            }
        }
        assertEachEventOnce();
    }

    @Test
    void anInstanceThatWasFrozenWritesNothingAfterItGaveBackItsLock() throws Exception {
        Process frozen = SinkChild.start(topics.kafka(), out, folder.resolve("child.log"));
        try {
            SinkChild.awaitLocked(out, frozen);
            publish(0, 2_000);
            signal(frozen, "STOP");
            try (SinkThread other = SinkThread.start(request())) {
                other.await("it waits for the lock", LONG, () -> other.log.waits.contains(SinkWait.LOCK));
                assertThat(other.log.lines).anyMatch(line -> line.contains("locked by process " + frozen.pid()));
                publish(2_000, EVENTS);
                end();
                signal(frozen, "CONT");
                other.await("everything is in files", LONG, this::isEverythingThere);
                frozen.destroy();
                assertThat(frozen.waitFor(60, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            frozen.destroyForcibly();
        }
        assertEachEventOnce();
    }

    @Test
    void whatAKilledInstanceLeftIsFinishedByAnother() throws Exception {
        Process killed = SinkChild.start(topics.kafka(), out, folder.resolve("child.log"));
        try {
            SinkChild.awaitLocked(out, killed);
            publish(0, 2_000);
            TimeUnit.MILLISECONDS.sleep(500); // at a random moment of its work
        } finally {
            killed.destroyForcibly();
        }
        // It holds its locks until the kernel has taken it down.
        assertThat(killed.waitFor(60, TimeUnit.SECONDS)).isTrue();
        publish(2_000, EVENTS);
        end();
        try (SinkThread other = SinkThread.start(request())) {
            other.await("everything is in files", LONG, this::isEverythingThere);
        }
        assertEachEventOnce();
        assertThat(out.resolve(".probestream")).isDirectoryNotContaining("glob:**/instance-*");
    }

    private static void signal(Process process, String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
