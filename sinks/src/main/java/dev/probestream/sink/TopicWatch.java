package dev.probestream.sink;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.position.TopicId;
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

/** Asks the broker about the topics: until they are there, and then now and then, whether they are still the same. */
final class TopicWatch {
    private static final int ANSWER_MS = 5_000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final List<String> TOPICS = List.of(Topics.EVENTS, Topics.METADATA);

    private final Admin admin;
    private final String address;
    private final WaitReports waits;
    private @Nullable KafkaFuture<Map<String, TopicDescription>> question;
    private long nextQuestionNanos;

    TopicWatch(Admin admin, String address, WaitReports waits) {
        this.admin = admin;
        this.address = address;
        this.waits = waits;
    }

    /**
     * Waits until both topics exist; empty if {@code stopped} said so before.
     *
     * @throws SinkException if no broker answers for a minute, or refuses
     */
    Optional<Topic> await(BooleanSupplier stopped) throws SinkException {
        long silentSinceNanos = System.nanoTime();
        while (!stopped.getAsBoolean()) {
            try {
                String clusterId = admin.describeCluster(new DescribeClusterOptions().timeoutMs(ANSWER_MS))
                        .clusterId()
                        .get();
                silentSinceNanos = System.nanoTime();
                waits.end(SinkWait.BROKER);
                TopicDescription events = describe().get().get(Topics.EVENTS);
                if (events != null) {
                    waits.end(SinkWait.TOPIC);
                    return Optional.of(new Topic(
                            new TopicId(
                                    clusterId, Topics.EVENTS, events.topicId().toString()),
                            events.partitions().size()));
                }
            } catch (ExecutionException e) {
                explain(e);
                if (System.nanoTime() - silentSinceNanos > START_LIMIT.toNanos()) {
                    throw new SinkException(
                            "cannot begin: no Kafka broker answered at " + address + " for " + START_LIMIT.toSeconds()
                                    + " s (" + e.getCause() + "); check the address, and that the broker runs",
                            e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SinkException("the sink was interrupted while it asked for its topics", e);
            }
            pause();
        }
        return Optional.empty();
    }

    /**
     * Looks whether the last question was answered, and asks anew every few seconds; never blocks.
     *
     * @throws SinkException if the topic is another one by now, or the broker refuses
     */
    void check(Topic topic) throws SinkException {
        KafkaFuture<Map<String, TopicDescription>> asked = question;
        if (asked == null) {
            if (System.nanoTime() - nextQuestionNanos >= 0) {
                question = describe();
            }
        } else if (asked.isDone()) {
            question = null;
            nextQuestionNanos = System.nanoTime() + INTERVAL_NANOS;
            try {
                TopicDescription events = asked.get().get(Topics.EVENTS);
                waits.end(SinkWait.BROKER);
                waits.end(SinkWait.TOPIC);
                if (events != null
                        && !events.topicId().toString().equals(topic.id().id())) {
                    throw new SinkException(
                            "cannot go on: the topic " + Topics.EVENTS
                                    + " was deleted and made again, so what the folder knows of it is no longer true;"
                                    + " start a sink with another folder",
                            null);
                }
            } catch (ExecutionException e) {
                explain(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SinkException("the sink was interrupted while it asked for its topics", e);
            }
        }
    }

    private KafkaFuture<Map<String, TopicDescription>> describe() {
        return admin.describeTopics(TOPICS, new DescribeTopicsOptions().timeoutMs(ANSWER_MS))
                .allTopicNames();
    }

    private void explain(ExecutionException failure) throws SinkException {
        Throwable cause = failure.getCause();
        if (cause instanceof UnknownTopicOrPartitionException) {
            waits.end(SinkWait.BROKER);
            waits.begin(
                    SinkWait.TOPIC,
                    "the topics " + Topics.EVENTS + " and " + Topics.METADATA + " do not both exist at " + address
                            + " yet; waiting for a collector to make them");
        } else if (cause instanceof RetriableException) {
            waits.begin(
                    SinkWait.BROKER,
                    "no Kafka broker answers at " + address + " (" + cause.getMessage() + "); trying on");
        } else {
            throw new SinkException(
                    "cannot ask the Kafka broker at " + address + " for its topics: " + cause
                            + "; check the properties of the client",
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
