package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.SinkFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several sinks with one folder, each of which is to end when all events are in files. */
@Timeout(240)
class SharedCatchUpTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CAPTURES = 8;
    private static final int EVENTS = 500;

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(4);
        out = folder.resolve("out");
        for (int capture = 1; capture <= CAPTURES; capture++) {
            topics.capture(capture, EVENTS);
        }
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    private SinkRequest request() {
        return SinkRequest.catchUp(SinkFormat.PERFETTO, out, topics.kafka(), SinkTest.SECONDS);
    }

    private void assertEachEventOnce() throws Exception {
        for (int capture = 1; capture <= CAPTURES; capture++) {
            assertThat(SinkFiles.ofCapture(out, SinkFormat.PERFETTO, capture)).isEqualTo(SinkTest.upTo(EVENTS));
        }
    }

    @Test
    void theyShareThePartitionsAndEachEndsWhenAllAreDone() throws Exception {
        CountDownLatch others = new CountDownLatch(1);
        FaultPoints hold = step -> {
            if (step == FaultPoints.Step.CONVERT) {
                await(others);
            }
        };
        try (SinkThread first = SinkThread.start(request(), hold)) {
            first.await("it has a partition", LONG, () -> !first.log.lines.isEmpty());
            try (SinkThread second = SinkThread.start(request())) {
                second.await("only that one is left", LONG, () -> second.log.waits.contains(SinkWait.LOCK));
                assertThat(second.log.finished).isNotEmpty();
                others.countDown();

                assertThat(first.awaitEnd().eventsFinished() + second.awaitEnd().eventsFinished())
                        .isEqualTo(CAPTURES * EVENTS);
            }
            assertThat(first.log.finished).isNotEmpty();
        }
        assertEachEventOnce();
    }

    @Test
    void whatOneThatDiesLeavesIsFinishedByTheOther() throws Exception {
        FaultPoints killed = step -> {
            if (step == FaultPoints.Step.WRITE_POSITION) {
                throw new IllegalStateException("killed");
            }
        };
        try (SinkThread first = SinkThread.start(request(), killed);
                SinkThread second = SinkThread.start(request())) {
            second.awaitEnd();
            assertThatThrownBy(first::awaitEnd).hasMessageContaining("killed");
        }
        assertEachEventOnce();
    }

    @Test
    void oneEndsBesideASinkThatFollowsAndHasEverything() throws Exception {
        try (SinkThread follower = SinkThread.start(
                SinkRequest.follow(SinkFormat.PERFETTO, out, topics.kafka(), "group", SinkTest.SECONDS))) {
            follower.await("it has a partition", LONG, () -> !follower.log.lines.isEmpty());

            SinkThread.toItsEnd(request().ofGroup("group"), new SinkLog());
        }
        assertEachEventOnce();
    }

    @Test
    void aSecondFolderOfTheGroupIsRefused() throws Exception {
        SinkThread.toItsEnd(request().ofGroup("group"), new SinkLog());
        Path other = folder.resolve("other");

        assertThatThrownBy(() -> SinkThread.toItsEnd(
                        SinkRequest.catchUp(SinkFormat.PERFETTO, other, topics.kafka(), SinkTest.SECONDS)
                                .ofGroup("group"),
                        new SinkLog()))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining(other.toString())
                .hasMessageContaining("the group writes to ")
                .hasMessageContaining(out.toString());
        assertEachEventOnce();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(LONG.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("not released");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
