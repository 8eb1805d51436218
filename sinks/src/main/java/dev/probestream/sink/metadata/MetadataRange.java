package dev.probestream.sink.metadata;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Reads ranges of the metadata topic, on a consumer of its own. Captures are mostly read in the order in which they
 * began, so a range that begins a little behind the previous one is reached by reading on.
 */
final class MetadataRange implements AutoCloseable {
    /** Receives the messages one after the other. */
    interface Visitor<E extends Exception> {
        void message(ConsumerRecord<byte[], byte[]> message) throws E;
    }

    private static final Duration POLL = Duration.ofMillis(100);
    private static final int MAX_FETCH_BYTES = 512 * 1024;
    private static final int MAX_SKIPPED = 500;
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    /** Compaction may have removed the end of a range; a broker that is away is waited for. */
    private static final long EMPTY_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TopicPartition partition;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private List<ConsumerRecord<byte[], byte[]>> polled = List.of();
    private int taken;
    private long position = -1;

    /** @param settings of a consumer of bytes */
    MetadataRange(Properties settings, TopicPartition partition) {
        Properties own = new Properties();
        own.putAll(settings);
        own.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MAX_FETCH_BYTES);
        own.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_SKIPPED);
        this.partition = partition;
        this.consumer = new KafkaConsumer<>(own);
        consumer.assign(List.of(partition));
    }

    /**
     * Reads the messages from offset {@code first} to {@code last}, both inclusive.
     *
     * @param whileWaiting called between two polls; may throw to give up
     */
    <E extends Exception> void read(long first, long last, Runnable whileWaiting, Visitor<E> visitor) throws E {
        if (position < 0 || first < position || first > position + MAX_SKIPPED) {
            consumer.seek(partition, first);
            polled = List.of();
            taken = 0;
            position = first;
        }
        long emptySinceNanos = System.nanoTime();
        boolean isAnswered = false;
        while (position <= last) {
            if (taken < polled.size()) {
                ConsumerRecord<byte[], byte[]> message = polled.get(taken);
                if (message.offset() > last) {
                    position = last + 1;
                    return;
                }
                taken++;
                position = message.offset() + 1;
                if (message.offset() >= first) {
                    visitor.message(message);
                }
                continue;
            }
            whileWaiting.run();
            polled = consumer.poll(POLL).records(partition);
            taken = 0;
            long nowNanos = System.nanoTime();
            if (!polled.isEmpty()) {
                emptySinceNanos = nowNanos;
            } else if (nowNanos - emptySinceNanos > EMPTY_LIMIT_NANOS) {
                if (isAnswered) {
                    position = -1;
                    return;
                }
                isAnswered = isBrokerAnswering();
                emptySinceNanos = System.nanoTime();
            }
        }
    }

    private boolean isBrokerAnswering() {
        try {
            return consumer.endOffsets(Set.of(partition), ANSWER_LIMIT).containsKey(partition);
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
