package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.schema.message.Topics;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics that are deleted, made again or limited while a capture is published to them; the client's own timeout is hours. */
@Timeout(240)
class TopicChangeTest {
    private static final String HOURS_MS = String.valueOf(TimeUnit.HOURS.toMillis(3));

    @TempDir
    private Path folder;

    private EmbeddedBroker broker;

    @BeforeEach
    void startBroker() throws Exception {
        broker = EmbeddedBroker.start(folder, 0);
    }

    @AfterEach
    void stopBroker() {
        broker.close();
    }

    @Test
    void aDeletedTopicEndsTheCaptureWithTheCounts() throws Exception {
        try (KafkaPublisher publisher = open(1)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(1_000, 1);
            publisher.complete();
            delete(Topics.EVENTS);

            PublishException failure =
                    catchThrowableOfType(PublishException.class, () -> publishSlowly(capture, publisher));

            assertThat(failure)
                    .hasMessageContaining("topic probestream.events was deleted")
                    .hasMessageContaining("1000 events had been acknowledged and were deleted with the topic, "
                            + (capture.published() - 1_000) + " were not acknowledged")
                    .hasMessageContaining("start the collection again");
        }
    }

    @Test
    void aTopicThatWasMadeAgainEndsTheCapture() throws Exception {
        try (KafkaPublisher publisher = open(1)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(1_000, 1);
            publisher.complete();
            delete(Topics.EVENTS);
            create(Topics.EVENTS, Map.of());

            PublishException failure =
                    catchThrowableOfType(PublishException.class, () -> publishSlowly(capture, publisher));

            assertThat(failure).hasMessageContaining("topic probestream.events was deleted and made again");
        }
    }

    @Test
    void aTopicThatWasMadeAgainBeforeTheEndFailsTheEnd() throws Exception {
        try (KafkaPublisher publisher = open(1)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(1_000, 1);
            publisher.complete();
            delete(Topics.METADATA);

            PublishException failure = catchThrowableOfType(PublishException.class, publisher::complete);

            assertThat(failure)
                    .hasMessageContaining("topic probestream.metadata was deleted")
                    .hasMessageContaining("1000 events were acknowledged and are stored, but without their metadata");
        }
    }

    @Test
    void batchesFitTheLimitOfTheTopic() throws Exception {
        create(Topics.EVENTS, Map.of("max.message.bytes", "2000"));
        try (KafkaPublisher publisher = open(1)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(20_000, 1);
            capture.end();
        }

        assertThat(PublishedEvents.countInOrder(broker)).isEqualTo(20_000);
    }

    @Test
    void aLimitBelowAnEventEndsTheCaptureAtOnce() throws Exception {
        try (KafkaPublisher publisher = open(1)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(10, 1);
            publisher.complete();
            set("max.message.bytes", "50");

            PublishException failure =
                    catchThrowableOfType(PublishException.class, () -> publishFast(capture, publisher));

            assertThat(failure)
                    .hasMessageContaining("too large")
                    .hasMessageContaining("10 events were acknowledged and are stored, ")
                    .hasMessageContaining("increase max.message.bytes of the topic");
        }
    }

    @Test
    void aRefusedTimestampEndsTheCaptureAtOnce() throws Exception {
        try (KafkaPublisher publisher = open(1)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(10, 1);
            publisher.complete();
            set("message.timestamp.before.max.ms", "1");

            PublishException failure =
                    catchThrowableOfType(PublishException.class, () -> publishFast(capture, publisher));

            assertThat(failure)
                    .hasMessageContaining("10 events were acknowledged and are stored, ")
                    .hasMessageContaining("increase message.timestamp.before.max.ms");
        }
    }

    private static void publishFast(SyntheticCapture capture, KafkaPublisher publisher) {
        while (true) {
            capture.events(1_000, 1);
            publisher.flush();
        }
    }

    private static void publishSlowly(SyntheticCapture capture, KafkaPublisher publisher) {
        while (true) {
            capture.events(1, 1);
            publisher.flush();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private KafkaPublisher open(int partitions) {
        Map<String, String> properties = new HashMap<>(broker.clientProperties());
        properties.put("delivery.timeout.ms", HOURS_MS);
        return KafkaPublisher.open(properties, new KafkaTopics(partitions, (short) 1), () -> false);
    }

    private Admin admin() {
        return Admin.create(new HashMap<>(broker.clientProperties()));
    }

    private void delete(String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
            while (admin.listTopics().names().get().contains(topic)) {
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private void create(String topic, Map<String, String> settings) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty()).configs(settings)))
                    .all()
                    .get();
        }
    }

    private void set(String setting, String value) throws Exception {
        try (Admin admin = admin()) {
            ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, Topics.EVENTS);
            admin.incrementalAlterConfigs(Map.of(
                            topic,
                            List.of(new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }
}
