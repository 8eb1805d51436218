package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KafkaPublisherTest {
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
    void missingTopicsAreMadeAsTheyMustBe() throws Exception {
        open(new KafkaTopics(3, (short) 1)).close();

        try (Admin admin = admin()) {
            assertThat(partitions(admin, Topics.EVENTS)).isEqualTo(3);
            assertThat(partitions(admin, Topics.METADATA)).isEqualTo(1);
            assertThat(setting(admin, Topics.METADATA, "cleanup.policy")).isEqualTo("compact");
            assertThat(setting(admin, Topics.EVENTS, "cleanup.policy")).isEqualTo("delete");
            assertThat(setting(admin, Topics.EVENTS, "message.timestamp.type")).isEqualTo("CreateTime");
        }
    }

    @Test
    void topicsMayHaveOtherNames() throws Exception {
        Topics names = Topics.ofPrefix("team-a");
        try (KafkaPublisher publisher =
                open(new KafkaTopics(names, 1, (short) 1, Optional.empty(), true, MessageFraming.SINGLE_OBJECT))) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(3, 1);
            capture.end();
        }

        assertThat(TopicContent.read(broker, "team-a.events")).hasSize(3);
        assertThat(TopicContent.read(broker, "team-a.metadata"))
                .extracting(TopicContent::key)
                .contains("4711/end");
        try (Admin admin = admin()) {
            assertThat(admin.listTopics().names().get()).containsExactlyInAnyOrder("team-a.events", "team-a.metadata");
        }
    }

    @Test
    void retentionIsOfTheTopicOfEvents() throws Exception {
        open(new KafkaTopics(
                        Topics.DEFAULT,
                        1,
                        (short) 1,
                        Optional.of(Duration.ofDays(3)),
                        true,
                        MessageFraming.SINGLE_OBJECT))
                .close();

        try (Admin admin = admin()) {
            assertThat(setting(admin, Topics.EVENTS, "retention.ms")).isEqualTo("259200000");
        }
    }

    @Test
    void missingTopicsAreRefusedWithTheCommandsWhereTheyMayNotBeCreated() throws Exception {
        KafkaTopics topics = new KafkaTopics(
                Topics.DEFAULT, 3, (short) 1, Optional.of(Duration.ofHours(1)), false, MessageFraming.SINGLE_OBJECT);

        assertThatThrownBy(() -> open(topics))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining(
                        "probestream.metadata and probestream.events do not exist and are not to be created here; create"
                                + " them first:")
                .hasMessageContaining("--create --topic probestream.metadata --partitions 1 --replication-factor 1"
                        + " --config cleanup.policy=compact --config max.message.bytes=8388608")
                .hasMessageContaining("--create --topic probestream.events --partitions 3 --replication-factor 1"
                        + " --config message.timestamp.type=CreateTime --config retention.ms=3600000");

        create(Topics.METADATA, 1, Map.of("cleanup.policy", "compact"));
        assertThatThrownBy(() -> open(topics))
                .hasMessageContaining(
                        "probestream.events does not exist and is not to be created here; create it first:");
        create(Topics.EVENTS, 2, Map.of());
        open(topics).close();
    }

    @Test
    void timestampsAndHeadersInTheTopicAreThoseOfTheEvents() {
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(3, 1);
            capture.end();
        }

        assertThat(TopicContent.read(broker, Topics.EVENTS)).hasSize(3).allSatisfy(record -> {
            assertThat(record.timestamp()).isEqualTo(TimeUnit.NANOSECONDS.toMillis(SyntheticCapture.REALTIME_NS));
            assertThat(record.headers())
                    .extracting(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                    .containsExactly(
                            "format=" + FormatStamp.OWN.format(),
                            "host=host",
                            "capture=4711",
                            "kind=INSTANT",
                            "partition=" + record.partition());
        });
    }

    @Test
    void topicsThatExistAreUsedAsTheyAre() throws Exception {
        create(Topics.EVENTS, 2, Map.of());
        create(Topics.METADATA, 1, Map.of("cleanup.policy", "compact,delete"));
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(100, 1);
            capture.end();
        }

        try (Admin admin = admin()) {
            assertThat(partitions(admin, Topics.EVENTS)).isEqualTo(2);
        }
        assertThat(TopicContent.read(broker, Topics.EVENTS))
                .hasSize(100)
                .allSatisfy(record ->
                        assertThat(record.partition()).isEqualTo(Topics.partition(SyntheticCapture.CAPTURE_ID, 2)));
    }

    @Test
    void aMetadataTopicThatForgetsIsRefused() throws Exception {
        create(Topics.METADATA, 1, Map.of("cleanup.policy", "delete"));

        assertThatThrownBy(() -> open(KafkaTopics.DEFAULT))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("use topic probestream.metadata of Kafka at " + broker.bootstrapServers())
                .hasMessageContaining("cleanup.policy=delete")
                .hasMessageContaining("set it to compact");
    }

    /** The broker stamps the records, so that what it had first has the earlier time. */
    @Test
    void anEventIsSentWhenItsProbeIsThere() throws Exception {
        create(Topics.EVENTS, 1, Map.of("message.timestamp.type", "LogAppendTime"));
        create(Topics.METADATA, 1, Map.of("cleanup.policy", "compact", "message.timestamp.type", "LogAppendTime"));
        int probes = 50;
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            for (int probeId = 1; probeId <= probes; probeId++) {
                capture.probe(probeId);
                capture.events(7, probeId);
            }
            capture.end();
        }

        Map<String, Long> appendedMs = new HashMap<>();
        TopicContent.read(broker, Topics.METADATA)
                .forEach(record -> appendedMs.merge(TopicContent.key(record), record.timestamp(), Math::min));
        EventView view = new EventView();
        List<ConsumerRecord<byte[], byte[]>> events = TopicContent.read(broker, Topics.EVENTS);
        assertThat(events).hasSize(7 * probes);
        for (ConsumerRecord<byte[], byte[]> event : events) {
            view.wrap(
                    event.value(),
                    EventMessage.bodyOffset(event.value(), MessageFraming.SINGLE_OBJECT),
                    event.value().length);
            assertThat(appendedMs.get("4711/probe/" + view.probeId()))
                    .isNotNull()
                    .isLessThanOrEqualTo(event.timestamp());
            assertThat(appendedMs.get("4711/end")).isGreaterThanOrEqualTo(event.timestamp());
        }
    }

    @Test
    void countersTellWhatWasAcknowledged() {
        AtomicLong latencies = new AtomicLong();
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            publisher.counters().setLatencyListener(latencyNs -> {
                assertThat(latencyNs).isPositive();
                latencies.incrementAndGet();
            });
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(5_000, 1);
            publisher.flush();
            capture.end();

            assertThat(publisher.counters().acknowledgedEvents()).isEqualTo(5_000);
            assertThat(publisher.counters().acknowledgedBytes())
                    .isEqualTo(publisher.publishedBytes())
                    .isGreaterThan(5_000 * 40);
            assertThat(publisher.counters().waitingNs()).isNotNegative();
            assertThat(latencies).hasValue(5);
        }
    }

    /** A stack or command line may be larger than the million bytes that Kafka accepts by default. */
    @Test
    void metadataOfMegabytesIsTaken() {
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            publisher.publish(
                    new Process(4_711L, 42, 1, 0, "java", "/bin/java", List.of("x".repeat(6 << 20)), 5L, -1L, -1));
            capture.end();
        }

        assertThat(TopicContent.read(broker, Topics.METADATA))
                .extracting(TopicContent::key)
                .contains("4711/process/42/5", "4711/end");
    }

    @Test
    void aRecordThatIsTooLargeIsSaid() {
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(10, 1);
            EventEncoder encoder = new EventEncoder();
            encoder.begin(4_711L, 10, 1, -1, 1, 1, 0, 1, EventKind.INSTANT);
            encoder.beginNumbers(0);
            encoder.beginStrings(1);
            encoder.string("x".repeat(2 << 20));
            encoder.end(0, 0, 0);

            // It may be held until the probe is acknowledged.
            assertThatThrownBy(() -> {
                        publisher.publish(encoder);
                        publisher.complete();
                    })
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("max.request.size");
        }
    }

    @Test
    void anEventWithoutACaptureIsAMistakeOfOurs() {
        try (KafkaPublisher publisher = open(KafkaTopics.DEFAULT)) {
            assertThatThrownBy(() -> new SyntheticCapture(publisher).events(1, 1))
                    .isInstanceOf(IllegalStateException.class);
            publisher.publish(new Stack(4_711L, 1L, List.of()));
            publisher.complete();
        }
    }

    @Test
    void whereNobodyAnswersIsSaid() throws Exception {
        Map<String, String> properties = new HashMap<>(Map.of(
                "bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", "1000", "request.timeout.ms", "500"));

        assertThatThrownBy(() -> KafkaPublisher.open(properties, KafkaTopics.DEFAULT, () -> false))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("describe topic probestream.metadata of Kafka at 127.0.0.1:1")
                .hasMessageContaining("check that the broker is running");
    }

    private KafkaPublisher open(KafkaTopics topics) {
        return KafkaPublisher.open(broker.clientProperties(), topics, () -> false);
    }

    private Admin admin() {
        return Admin.create(new HashMap<>(broker.clientProperties()));
    }

    private void create(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = admin()) {
            NewTopic wanted = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(settings);
            admin.createTopics(List.of(wanted)).all().get();
        }
    }

    private static int partitions(Admin admin, String topic) throws Exception {
        Map<String, TopicDescription> described =
                admin.describeTopics(List.of(topic)).allTopicNames().get();
        return Objects.requireNonNull(described.get(topic)).partitions().size();
    }

    private static String setting(Admin admin, String topic, String name) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Map<ConfigResource, Config> configs =
                admin.describeConfigs(List.of(resource)).all().get();
        return Objects.requireNonNull(configs.get(resource)).get(name).value();
    }
}
