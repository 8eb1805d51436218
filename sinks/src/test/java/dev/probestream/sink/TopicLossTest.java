package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics that are deleted, or deleted and made again, under a running sink. */
@Timeout(240)
class TopicLossTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(2);
        out = folder.resolve("out");
        topics.begin(1).begin(2).events(1, 0, 500).events(2, 0, 700).flush();
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    private SinkThread follower() throws Exception {
        SinkThread sink = SinkThread.start(
                SinkRequest.follow(SinkFormat.PERFETTO, out, topics.kafka(), "group", Rolling.DEFAULT));
        sink.await("everything is read", LONG, () -> sink.log.eventsRead == 1_200);
        return sink;
    }

    private void assertReadEventsAreInFiles() throws Exception {
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PERFETTO, 1)).isEqualTo(SinkTest.upTo(500));
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PERFETTO, 2)).isEqualTo(SinkTest.upTo(700));
    }

    @Test
    void aDeletedTopicEndsTheSinkAndWhatWasReadIsInFiles() throws Exception {
        try (SinkThread sink = follower()) {
            topics.delete(Topics.EVENTS);

            assertThatThrownBy(sink::awaitEnd)
                    .hasCauseInstanceOf(SinkException.class)
                    .hasMessageContaining("cannot continue: the topic probestream.events was deleted, so")
                    .hasMessageContaining("1200 events that had been read were written to files, 0 messages");
        }
        assertReadEventsAreInFiles();
    }

    @Test
    void aTopicThatWasMadeAgainEndsTheSinkAndWhatWasReadIsInFiles() throws Exception {
        try (SinkThread sink = follower()) {
            sink.between(() -> {
                topics.deleteEvents();
                topics.makeEvents();
                return null;
            });

            assertThatThrownBy(sink::awaitEnd)
                    .hasCauseInstanceOf(SinkException.class)
                    .hasMessageContaining("the topic probestream.events was deleted and made again (its id was ")
                    .hasMessageContaining("1200 events that had been read were written to files");
        }
        assertReadEventsAreInFiles();
    }

    @Test
    void aDeletedMetadataTopicEndsTheSinkAndItsEventsStayInTheTopic() throws Exception {
        try (SinkThread sink = follower()) {
            topics.delete(Topics.METADATA);

            assertThatThrownBy(sink::awaitEnd)
                    .hasCauseInstanceOf(SinkException.class)
                    .hasMessageContaining("the topic probestream.metadata was deleted")
                    .hasMessageContaining("events that are not in files yet are still in probestream.events");
        }
        assertThat(SinkFiles.names(out)).isEmpty();
    }
}
