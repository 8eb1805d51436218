package dev.probestream.collector.publish;

import dev.probestream.schema.message.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Queries the brokers every few seconds whether the topics are still those that the capture began with. Kafka's producer
 * retries a deleted topic until its timeout, and continues without a word in a topic of the same name. One thread.
 */
final class TopicCheck implements AutoCloseable {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);
    /** A broker that has just started may not know a topic yet, so a missing topic is queried again before it is reported. */
    private static final long CONFIRM_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int MAX_MISSING = 2;
    private static final int RESPONSE_MS = 5_000;
    private static final long STEP_NS = 1_000_000;

    private final Admin admin;
    private final Topics topics;
    private final Map<String, Uuid> ids;
    private @Nullable Map<String, KafkaFuture<TopicDescription>> query;
    private long nextQueryNs;
    private int missing;

    /**
     * @param admin is closed with this object
     * @param ids of both topics, by name
     */
    TopicCheck(Admin admin, Topics topics, Map<String, Uuid> ids) {
        this.admin = admin;
        this.topics = topics;
        this.ids = Map.copyOf(ids);
        this.nextQueryNs = System.nanoTime() + INTERVAL_NS;
    }

    /**
     * A topic that is no longer the one the capture began with.
     *
     * @param isOfEvents whether it is the topic of events
     * @param reason a clause that names the topic and what happened to it
     */
    record Change(boolean isOfEvents, String reason) {}

    private Change change(String topic, String fate) {
        return new Change(topic.equals(topics.events()), "topic " + topic + fate);
    }

    /** Evaluates the last response and sends the next query when it is due; never blocks. */
    Optional<Change> poll() {
        Map<String, KafkaFuture<TopicDescription>> pending = query;
        if (pending == null) {
            if (System.nanoTime() - nextQueryNs >= 0) {
                query = describe();
            }
            return Optional.empty();
        }
        if (!pending.values().stream().allMatch(KafkaFuture::isDone)) {
            return Optional.empty();
        }
        query = null;
        Optional<Change> change = change(pending);
        nextQueryNs = System.nanoTime() + (missing > 0 ? CONFIRM_NS : INTERVAL_NS);
        return change;
    }

    /** As {@link #poll}, with a query sent now, and its response waited for up to {@code limit}; none = no change known. */
    Optional<Change> query(Duration limit) {
        query = null;
        nextQueryNs = System.nanoTime();
        long endNs = System.nanoTime() + limit.toNanos();
        do {
            Optional<Change> change = poll();
            if (change.isPresent() || (query == null && missing == 0 && System.nanoTime() - nextQueryNs < 0)) {
                return change;
            }
            LockSupport.parkNanos(STEP_NS);
        } while (System.nanoTime() - endNs < 0);
        return Optional.empty();
    }

    private Map<String, KafkaFuture<TopicDescription>> describe() {
        return admin.describeTopics(
                        List.of(topics.events(), topics.metadata()), new DescribeTopicsOptions().timeoutMs(RESPONSE_MS))
                .topicNameValues();
    }

    private Optional<Change> change(Map<String, KafkaFuture<TopicDescription>> responses) {
        boolean isMissing = false;
        for (String topic : List.of(topics.events(), topics.metadata())) {
            try {
                Uuid id = Objects.requireNonNull(responses.get(topic)).get().topicId();
                if (!id.equals(ids.get(topic))) {
                    return Optional.of(change(
                            topic,
                            " was deleted and made again (its id was " + ids.get(topic) + " and is now " + id + ")"));
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    isMissing = true;
                    if (missing + 1 >= MAX_MISSING) {
                        return Optional.of(change(topic, " was deleted"));
                    }
                }
                // Other failures: RetryDeadline bounds how long brokers may be unavailable.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }
        missing = isMissing ? missing + 1 : 0;
        return Optional.empty();
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
