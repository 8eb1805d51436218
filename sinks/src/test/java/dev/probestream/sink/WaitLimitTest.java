package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.sink.finish.SinkFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sink that is to end by itself, and what it needs is missing. */
@Timeout(240)
class WaitLimitTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    private SinkRequest request(Map<String, String> kafka) {
        return SinkRequest.catchUp(SinkFormat.PERFETTO, folder.resolve("out"), kafka, SinkTest.SECONDS)
                .withWaitLimit(LIMIT);
    }

    @Test
    void aBrokerThatIsNotThere() {
        assertThatThrownBy(
                        () -> SinkThread.toItsEnd(request(Map.of("bootstrap.servers", "127.0.0.1:1")), new SinkLog()))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("cannot start: no Kafka broker answered at 127.0.0.1:1 for 1 s");
    }

    @Test
    void topicsThatAreNotThere() throws Exception {
        try (SinkTopics topics = SinkTopics.start(folder.resolve("broker"))) {
            assertThatThrownBy(() -> SinkThread.toItsEnd(request(topics.kafka()), new SinkLog()))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining(
                            "cannot finish: after a wait of 1 s (--timeout), the topics probestream.events and probestream.metadata do not"
                                    + " both exist at ")
                    .hasMessageContaining(" yet; events that are not in files yet stay in the topic");
        }
    }

    @Test
    void aBrokerThatEndsInTheMiddle() throws Exception {
        SinkTopics topics = SinkTopics.start(folder.resolve("broker")).make(2);
        boolean isOpen = true;
        try {
            topics.capture(1, 10).begin(2).event(2, 0, 77).flush(); // the stack 77 is not there: the sink waits for it
            try (SinkThread sink = SinkThread.start(request(topics.kafka()))) {
                sink.await(
                        "it waits for the stack",
                        Duration.ofSeconds(60),
                        () -> sink.log.waits.contains(SinkWait.METADATA));
                topics.close();
                isOpen = false;

                assertThatThrownBy(sink::awaitEnd)
                        .hasCauseInstanceOf(SinkException.class)
                        .hasMessageContaining(
                                "cannot finish: after a wait of 1 s (--timeout), no Kafka broker answers at ")
                        .hasMessageContaining("; events that are not in files yet stay in the topic");
                assertThat(sink.log.waits).contains(SinkWait.BROKER);
            }
        } finally {
            if (isOpen) {
                topics.close();
            }
        }
    }
}
