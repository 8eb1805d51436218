package dev.probestream.sink;

import dev.probestream.sink.metadata.MetadataTopic;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the metadata of captures that have no events in the topic any more, with tombstones, so that the compacted
 * metadata topic does not grow forever. A step takes a part of the topic, so that events are read meanwhile.
 */
final class MetadataTombstones implements AutoCloseable {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int STEP_RECORDS = 5_000;

    private final Properties settings;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final MetadataTopic metadata;
    private final SinkListener listener;
    private final Runnable whileWaiting;
    private final List<TopicPartition> all;
    private @Nullable KafkaProducer<byte[], byte[]> producer;
    private final List<Future<RecordMetadata>> unacknowledged = new ArrayList<>();
    private long nextNanos = System.nanoTime();
    /** The next offset of the pass that is under way; -1 = none. */
    private long passOffset = -1;

    private long passEnd;
    /** The pass reads the topic twice: the Captures are removed in the second round. */
    private boolean isOfCaptures;

    private long removed;

    /** {@code all} are the partitions of the topic of events. */
    MetadataTombstones(
            Properties settings,
            KafkaConsumer<byte[], byte[]> consumer,
            MetadataTopic metadata,
            SinkListener listener,
            Runnable whileWaiting,
            List<TopicPartition> all) {
        this.settings = settings;
        this.consumer = consumer;
        this.metadata = metadata;
        this.listener = listener;
        this.whileWaiting = whileWaiting;
        this.all = all;
    }

    /** Does the next step if it is due. */
    void step() throws IOException {
        if (System.nanoTime() - nextNanos < 0) {
            return;
        }
        try {
            if (passOffset < 0) {
                begin();
            } else {
                continuePass();
            }
        } catch (TimeoutException e) {
            end(); // the broker does not answer: TopicWatch reports it
        } catch (KafkaException e) {
            listener.metadataNotRemoved(String.valueOf(e.getMessage()));
            end();
        }
    }

    private void begin() throws IOException {
        OptionalLong end = metadata.cleanable(
                offsets(all, consumer.beginningOffsets(all, ANSWER_LIMIT)),
                () -> offsets(all, consumer.endOffsets(all, ANSWER_LIMIT)));
        if (end.isEmpty()) {
            end();
            return;
        }
        passOffset = metadata.firstIndexed();
        passEnd = end.getAsLong();
        removed = 0;
        isOfCaptures = false;
    }

    private void continuePass() throws IOException {
        long stepEnd = Math.min(passEnd, passOffset + STEP_RECORDS);
        metadata.visitCleanable(passOffset, stepEnd, isOfCaptures, whileWaiting, this::send);
        for (Future<RecordMetadata> sent : unacknowledged) {
            acknowledge(sent);
        }
        unacknowledged.clear();
        passOffset = stepEnd;
        if (passOffset >= passEnd && !isOfCaptures) {
            isOfCaptures = true;
            passOffset = metadata.firstIndexed();
        } else if (passOffset >= passEnd) {
            metadata.dropCheckpoint();
            if (removed > 0) {
                listener.metadataRemoved(removed);
            }
            end();
        }
    }

    private void send(byte[] key) {
        KafkaProducer<byte[], byte[]> open = producer;
        if (open == null) {
            open = new KafkaProducer<>(settings);
            producer = open;
        }
        unacknowledged.add(open.send(new ProducerRecord<>(metadata.name(), 0, key, null)));
        removed++;
    }

    private static void acknowledge(Future<RecordMetadata> sent) {
        try {
            sent.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e);
        }
    }

    private void end() {
        unacknowledged.clear();
        passOffset = -1;
        nextNanos = System.nanoTime() + INTERVAL_NANOS;
        close();
    }

    private static List<Long> offsets(List<TopicPartition> all, Map<TopicPartition, Long> found) {
        return all.stream().map(partition -> found.getOrDefault(partition, 0L)).toList();
    }

    @Override
    public void close() {
        KafkaProducer<byte[], byte[]> open = producer;
        producer = null;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }
}
