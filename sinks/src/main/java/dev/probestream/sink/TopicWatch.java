package dev.probestream.sink;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.position.SinkFolder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Queries the broker for the topics: first until they exist, then every few seconds whether they are still the same. */
final class TopicWatch {
    private static final int ANSWER_MS = 5_000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final List<String> TOPICS = List.of(Topics.EVENTS, Topics.METADATA);

    /**
     * The events topic, as the broker describes it.
     *
     * @param partitions how many it has
     */
    record Topic(SinkFolder.TopicId id, int partitions) {}

    private final Admin admin;
    private final String address;
    private final WaitReports waits;
    private @Nullable KafkaFuture<Map<String, TopicDescription>> query;
    private long nextQueryNanos;

    TopicWatch(Admin admin, String address, WaitReports waits) {
        this.admin = admin;
        this.address = address;
        this.waits = waits;
    }

    /**
     * Waits until both topics exist; empty if {@code stopped} returned true first.
     *
     * @throws SinkException if no broker answers for a minute, or the broker refuses the query
     */
    Optional<Topic> await(BooleanSupplier stopped) throws SinkException {
        long noAnswerSinceNanos = System.nanoTime();
        while (!stopped.getAsBoolean()) {
            try {
                String clusterId = admin.describeCluster(new DescribeClusterOptions().timeoutMs(ANSWER_MS))
                        .clusterId()
                        .get();
                noAnswerSinceNanos = System.nanoTime();
                waits.end(SinkWait.BROKER);
                TopicDescription events = describe().get().get(Topics.EVENTS);
                if (events != null) {
                    waits.end(SinkWait.TOPIC);
                    return Optional.of(new Topic(
                            new SinkFolder.TopicId(
                                    clusterId, Topics.EVENTS, events.topicId().toString()),
                            events.partitions().size()));
                }
            } catch (ExecutionException e) {
                report(e);
                if (System.nanoTime() - noAnswerSinceNanos > START_LIMIT.toNanos()) {
                    throw new SinkException(
                            "cannot start: no Kafka broker answered at " + address + " for " + START_LIMIT.toSeconds()
                                    + " s (" + e.getCause() + "); check the address and whether the broker runs",
                            e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SinkException("the sink was interrupted while it queried its topics", e);
            }
            pause();
        }
        return Optional.empty();
    }

    /**
     * Checks the answer to the last query, and sends a new one every few seconds; never blocks.
     *
     * @throws SinkException if the topic was replaced by another, or the broker refuses the query
     */
    void check(Topic topic) throws SinkException {
        KafkaFuture<Map<String, TopicDescription>> pending = query;
        if (pending == null) {
            if (System.nanoTime() - nextQueryNanos >= 0) {
                query = describe();
            }
        } else if (pending.isDone()) {
            query = null;
            nextQueryNanos = System.nanoTime() + INTERVAL_NANOS;
            try {
                TopicDescription events = pending.get().get(Topics.EVENTS);
                waits.end(SinkWait.BROKER);
                waits.end(SinkWait.TOPIC);
                if (events != null
                        && !events.topicId().toString().equals(topic.id().id())) {
                    throw new SinkException(
                            "cannot continue: the topic " + Topics.EVENTS
                                    + " was deleted and made again, so the positions in the folder are no longer valid;"
                                    + " start a sink with another folder",
                            null);
                }
            } catch (ExecutionException e) {
                report(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SinkException("the sink was interrupted while it queried its topics", e);
            }
        }
    }

    private KafkaFuture<Map<String, TopicDescription>> describe() {
        return admin.describeTopics(TOPICS, new DescribeTopicsOptions().timeoutMs(ANSWER_MS))
                .allTopicNames();
    }

    private void report(ExecutionException failure) throws SinkException {
        Throwable cause = failure.getCause();
        if (cause instanceof UnknownTopicOrPartitionException) {
            waits.end(SinkWait.BROKER);
            waits.begin(
                    SinkWait.TOPIC,
                    "the topics " + Topics.EVENTS + " and " + Topics.METADATA + " do not both exist at " + address
                            + " yet; waiting for a collector to create them");
        } else if (cause instanceof RetriableException) {
            waits.begin(
                    SinkWait.BROKER,
                    "no Kafka broker answers at " + address + " (" + cause.getMessage() + "); retrying");
        } else {
            throw new SinkException(
                    "cannot query the topics of the Kafka broker at " + address + ": " + cause
                            + "; check the properties of the Kafka client",
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
