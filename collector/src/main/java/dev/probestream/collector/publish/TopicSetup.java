package dev.probestream.collector.publish;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;

/** Creates missing topics, and waits until all topics accept records. */
final class TopicSetup implements AutoCloseable {
    /**
     * A Process record contains the complete command line, which Linux limits to 6 MiB (three quarters of _STK_LIM,
     * fs/exec.c).
     */
    static final int MAX_METADATA_BYTES = 8 << 20;

    private static final long READY_TIMEOUT_NS = Duration.ofSeconds(30).toNanos();
    private static final long RETRY_NS = 50_000_000;
    private static final long STOP_CHECK_MS = 100;

    private final Admin admin;
    private final ClientProperties properties;
    private final KafkaTopics topics;
    private final BooleanSupplier isStopped;

    /** @throws org.apache.kafka.common.KafkaException if the properties are invalid */
    TopicSetup(ClientProperties properties, KafkaTopics topics, BooleanSupplier isStopped) {
        this.admin = Admin.create(properties.ofAdmin());
        this.properties = properties;
        this.topics = topics;
        this.isStopped = isStopped;
    }

    /**
     * The topics that a capture is published to.
     *
     * @param ids of both topics, by name
     */
    record ReadyTopics(int eventPartitions, Map<String, Uuid> ids) {
        ReadyTopics {
            ids = Map.copyOf(ids);
        }
    }

    /** Creates and checks both topics. */
    ReadyTopics prepare() {
        List<NewTopic> missing = Stream.of(metadataTopic(), eventsTopic())
                .filter(topic -> describe(topic.name()).isEmpty())
                .toList();
        if (!missing.isEmpty() && !topics.isCreationAllowed()) {
            throw new PublishException(refusal(missing));
        }
        missing.forEach(this::create);
        TopicDescription metadata = awaitReady(topics.names().metadata());
        requireCompacted();
        TopicDescription events = awaitReady(topics.names().events());
        return new ReadyTopics(
                events.partitions().size(),
                Map.of(topics.names().events(), events.topicId(), topics.names().metadata(), metadata.topicId()));
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }

    private NewTopic metadataTopic() {
        return topic(
                topics.names().metadata(),
                1,
                Map.of(
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        TopicConfig.CLEANUP_POLICY_COMPACT,
                        TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                        Integer.toString(MAX_METADATA_BYTES)));
    }

    private NewTopic eventsTopic() {
        Map<String, String> settings = new HashMap<>();
        // A broker may have another default; an event's timestamp is the time of the event.
        settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, TimestampType.CREATE_TIME.name);
        topics.retention()
                .ifPresent(time -> settings.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(time.toMillis())));
        return topic(topics.names().events(), topics.eventPartitions(), settings);
    }

    private NewTopic topic(String name, int partitions, Map<String, String> settings) {
        Optional<Short> copies = topics.replicationFactor() == KafkaTopics.DEFAULT_OF_BROKER
                ? Optional.empty()
                : Optional.of(topics.replicationFactor());
        return new NewTopic(name, Optional.of(partitions), copies).configs(new TreeMap<>(settings));
    }

    /** Why the collection does not begin, and the commands that create the topics. */
    private String refusal(List<NewTopic> missing) {
        String commands = missing.stream()
                .map(topic -> "\n  kafka-topics.sh --bootstrap-server " + properties.servers() + " --create --topic "
                        + topic.name() + " --partitions " + topic.numPartitions()
                        + (topic.replicationFactor() == KafkaTopics.DEFAULT_OF_BROKER
                                ? ""
                                : " --replication-factor " + topic.replicationFactor())
                        + settings(topic, " --config "))
                .collect(Collectors.joining());
        return "use Kafka at " + properties.servers() + ": "
                + missing.stream().map(NewTopic::name).collect(Collectors.joining(" and "))
                + (missing.size() == 1 ? " does not exist and is" : " do not exist and are")
                + " not to be created here; create " + (missing.size() == 1 ? "it" : "them") + " first:" + commands;
    }

    private static String settings(NewTopic topic, String separator) {
        return topic.configs().entrySet().stream()
                .map(setting -> separator + setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining());
    }

    private void create(NewTopic missing) {
        try {
            await(admin.createTopics(List.of(missing)).all());
        } catch (ExecutionException e) {
            // Another client has created the topic meanwhile; use it.
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw failed(
                        "create topic " + missing.name() + " (" + missing.numPartitions() + " partitions"
                                + settings(missing, ", ") + ")",
                        e);
            }
        }
    }

    /**
     * Waits until each partition has a leader that responds. Records sent directly after the creation of a topic can be
     * lost or fail with OUT_OF_ORDER_SEQUENCE (KAFKA-15591).
     */
    private TopicDescription awaitReady(String topic) {
        long startNs = System.nanoTime();
        while (true) {
            try {
                Optional<TopicDescription> described = describe(topic);
                if (described.isPresent()) {
                    await(admin.listOffsets(described.get().partitions().stream()
                                    .collect(Collectors.toMap(
                                            partition -> new TopicPartition(topic, partition.partition()),
                                            partition -> OffsetSpec.latest())))
                            .all());
                    return described.get();
                }
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof RetriableException)) {
                    throw failed("read the offsets of topic " + topic, e);
                }
            }
            if (System.nanoTime() - startNs > READY_TIMEOUT_NS) {
                throw new PublishException("prepare topic " + topic + " of Kafka at " + properties.servers()
                        + ": no leader of its partitions responds; see the broker's log");
            }
            LockSupport.parkNanos(RETRY_NS);
        }
    }

    private void requireCompacted() {
        ConfigResource resource =
                new ConfigResource(ConfigResource.Type.TOPIC, topics.names().metadata());
        String policy;
        try {
            Map<ConfigResource, Config> answers =
                    await(admin.describeConfigs(List.of(resource)).all());
            policy = Objects.requireNonNull(answers.get(resource))
                    .get(TopicConfig.CLEANUP_POLICY_CONFIG)
                    .value();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AuthorizationException) {
                // The user may be allowed to write but not to read settings: skip the check.
                return;
            }
            throw failed("read the settings of topic " + topics.names().metadata(), e);
        }
        if (!policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            throw new PublishException("use topic " + topics.names().metadata() + " of Kafka at " + properties.servers()
                    + ": it has cleanup.policy=" + policy + ", so the metadata of stored events would be"
                    + " deleted; set it to compact (kafka-configs.sh --alter --topic "
                    + topics.names().metadata()
                    + " --add-config cleanup.policy=compact)");
        }
    }

    private Optional<TopicDescription> describe(String topic) {
        try {
            return Optional.ofNullable(
                    await(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw failed("describe topic " + topic, e);
        }
    }

    /** Waits for a response until the capture is stopped. */
    private <T> T await(KafkaFuture<T> answer) throws ExecutionException {
        while (true) {
            try {
                return answer.get(STOP_CHECK_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (isStopped.getAsBoolean()) {
                    throw new PublishException("prepare the topics of Kafka at " + properties.servers()
                            + ": stopped before the broker responded; nothing was published");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PublishException("prepare the topics of Kafka at " + properties.servers()
                        + ": interrupted before the broker responded; nothing was published");
            }
        }
    }

    private PublishException failed(String what, ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return new PublishException(properties.withoutSecrets(what + " of Kafka at " + properties.servers() + ": "
                + KafkaFailure.reason(cause) + "; " + KafkaFailure.advice(cause)));
    }
}
