package dev.probestream.sink;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.position.SinkFolder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Queries the broker for the topics: first until they exist, then every few seconds whether they are still the same. A
 * consumer never reports a deleted topic, and continues in another one of the same name.
 */
final class TopicWatch {
    private static final int ANSWER_MS = 5_000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A broker that has just started may not know a topic yet, so a missing topic is queried again before it is reported. */
    private static final long CONFIRM_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int MAX_MISSING = 2;
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Topics topics;

    /**
     * Both topics, as the broker describes them.
     *
     * @param id of the events topic
     * @param partitions how many the events topic has
     * @param metadataId of the metadata topic
     */
    record Topic(SinkFolder.TopicId id, int partitions, String metadataId) {
        String idOf(String name) {
            return name.equals(id.topic()) ? id.id() : metadataId;
        }
    }

    /**
     * A topic that is no longer the one that was awaited.
     *
     * @param isOfEvents whether it is the topic of events
     * @param reason a clause that names the topic and what happened to it
     */
    record Change(boolean isOfEvents, String reason) {}

    private Change change(String topic, String fate) {
        return new Change(topic.equals(topics.events()), "the topic " + topic + fate);
    }

    private final Admin admin;
    private final String address;
    private final WaitReports waits;
    private @Nullable Topic awaited;
    private @Nullable Map<String, KafkaFuture<TopicDescription>> query;
    private @Nullable Change change;
    private int missing;
    private long nextQueryNanos;

    TopicWatch(Admin admin, Topics topics, String address, WaitReports waits) {
        this.topics = topics;
        this.admin = admin;
        this.address = address;
        this.waits = waits;
    }

    /**
     * Waits until both topics exist; empty if {@code stopped} returned true first.
     *
     * @throws SinkException if no broker answers for the limit of waits (a minute if there is none), the topics are missing
     *     for longer than that limit, or the broker refuses the query
     */
    Optional<Topic> await(BooleanSupplier stopped) throws SinkException {
        long noAnswerSinceNanos = System.nanoTime();
        Duration startLimit = waits.limit().orElse(START_LIMIT);
        while (!stopped.getAsBoolean()) {
            try {
                String clusterId = admin.describeCluster(new DescribeClusterOptions().timeoutMs(answerMs()))
                        .clusterId()
                        .get();
                noAnswerSinceNanos = System.nanoTime();
                waits.end(SinkWait.BROKER);
                Map<String, KafkaFuture<TopicDescription>> described = describe();
                TopicDescription events = answer(described, topics.events());
                TopicDescription metadata = answer(described, topics.metadata());
                waits.end(SinkWait.TOPIC);
                Topic topic = new Topic(
                        new SinkFolder.TopicId(
                                clusterId, topics.events(), events.topicId().toString()),
                        events.partitions().size(),
                        metadata.topicId().toString());
                awaited = topic;
                return Optional.of(topic);
            } catch (ExecutionException e) {
                report(e);
                if (System.nanoTime() - noAnswerSinceNanos >= startLimit.toNanos()) {
                    throw new SinkException(
                            "cannot start: no Kafka broker answered at " + address + " for " + startLimit.toSeconds()
                                    + " s ("
                                    + Objects.requireNonNull(e.getCause()).getMessage()
                                    + "); check the address, whether the broker"
                                    + " runs, and whether it needs a password (--kafka-config)",
                            e);
                }
                waits.check();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SinkException("the sink was interrupted while it queried its topics", e);
            }
            pause();
        }
        return Optional.empty();
    }

    /**
     * Evaluates the answer to the last query, and sends a new one every few seconds; never blocks.
     *
     * @return what happened to a topic; empty if both are unchanged as far as is known
     * @throws SinkException if the broker refuses the query
     */
    Optional<Change> check() throws SinkException {
        Map<String, KafkaFuture<TopicDescription>> pending = query;
        if (pending == null) {
            if (System.nanoTime() - nextQueryNanos >= 0) {
                query = describe();
            }
        } else if (pending.values().stream().allMatch(KafkaFuture::isDone)) {
            query = null;
            evaluate(pending);
            nextQueryNanos = System.nanoTime() + (missing > 0 ? CONFIRM_NANOS : INTERVAL_NANOS);
        }
        return Optional.ofNullable(change);
    }

    /** As {@link #check}, with a query sent now and its answer waited for. */
    Optional<Change> checkNow() throws SinkException {
        do {
            evaluate(describe());
            if (missing > 0 && change == null) {
                pause();
            }
        } while (missing > 0 && change == null);
        return Optional.ofNullable(change);
    }

    /** What is known to have happened to a topic. */
    Optional<Change> change() {
        return Optional.ofNullable(change);
    }

    /** Waits for the answers, unless they are there. */
    private void evaluate(Map<String, KafkaFuture<TopicDescription>> answers) throws SinkException {
        boolean isMissing = false;
        try {
            for (String name : List.of(topics.events(), topics.metadata())) {
                try {
                    compare(name, answer(answers, name));
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                        report(e);
                        return;
                    }
                    isMissing = true;
                    if (missing + 1 >= MAX_MISSING && change == null) {
                        change = change(name, " was deleted");
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SinkException("the sink was interrupted while it queried its topics", e);
        }
        waits.end(SinkWait.BROKER);
        missing = isMissing ? missing + 1 : 0;
    }

    private static TopicDescription answer(Map<String, KafkaFuture<TopicDescription>> answers, String name)
            throws ExecutionException, InterruptedException {
        return Objects.requireNonNull(answers.get(name)).get();
    }

    private void compare(String name, TopicDescription found) {
        Topic topic = awaited;
        if (topic != null && change == null && !found.topicId().toString().equals(topic.idOf(name))) {
            change = change(
                    name,
                    " was deleted and made again (its id was " + topic.idOf(name) + " and is now " + found.topicId()
                            + ")");
        }
    }

    private Map<String, KafkaFuture<TopicDescription>> describe() {
        return admin.describeTopics(
                        List.of(topics.events(), topics.metadata()), new DescribeTopicsOptions().timeoutMs(answerMs()))
                .topicNameValues();
    }

    private int answerMs() {
        return (int) Math.min(ANSWER_MS, waits.limit().orElse(START_LIMIT).toMillis());
    }

    private void report(ExecutionException failure) throws SinkException {
        Throwable cause = failure.getCause();
        if (cause instanceof UnknownTopicOrPartitionException) {
            waits.end(SinkWait.BROKER);
            waits.begin(
                    SinkWait.TOPIC,
                    "the topics " + topics.events() + " and " + topics.metadata() + " do not both exist at " + address
                            + " yet",
                    "waiting for a collector to create them");
        } else if (cause instanceof RetriableException) {
            waits.begin(
                    SinkWait.BROKER,
                    "no Kafka broker answers at " + address + " (" + cause.getMessage() + ")",
                    "retrying");
        } else {
            throw new SinkException(
                    "cannot query the topics of the Kafka broker at " + address + ": "
                            + (cause instanceof ApiException ? cause.getMessage() : cause)
                            + "; check the properties of the Kafka client"
                            + (cause instanceof AuthenticationException ? " (security.protocol, sasl.*, ssl.*)" : ""),
                    failure);
        }
    }

    private static void pause() throws SinkException {
        try {
            TimeUnit.MILLISECONDS.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SinkException("the sink was interrupted while it waited for its topics", e);
        }
    }
}
