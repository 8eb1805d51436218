package dev.probestream.collector.publish;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's producer for one topic, with counts of its records. After the first record that cannot be delivered it
 * accepts no more and discards those in flight, so the topic never has a record after a gap. Records are offered by one
 * thread; the counts can be read from any thread.
 */
final class TopicProducer implements AutoCloseable {
    /** One record in this many is timed. */
    private static final long TIMED_EVERY = 1024;

    private final KafkaProducer<byte[], byte[]> producer;
    private final Callback counting = this::completed;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong acknowledgedBytes = new AtomicLong();
    private volatile LongConsumer latencyListener = latencyNs -> {};
    private volatile @Nullable Exception failure;
    private long sent;
    /** The thread inside {@link #offer}: Kafka invokes the callback on it if it rejects a record immediately. */
    private @Nullable Thread offering;

    private @Nullable Exception refusal;

    /** @throws KafkaException if the properties are invalid */
    TopicProducer(Map<String, Object> properties) {
        this.producer = new KafkaProducer<>(properties);
    }

    /**
     * Sends a record; may block for {@code max.block.ms}. Its key and value must not be changed afterwards.
     *
     * @return whether the record was accepted; if not, it has no position in the order yet and can be offered again
     * @throws KafkaException if the record can never be accepted
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback receives the result
    boolean offer(ProducerRecord<byte[], byte[]> record) {
        requireHealthy();
        refusal = null;
        offering = Thread.currentThread();
        Callback callback = sent % TIMED_EVERY == 0 ? new TimedCallback(System.nanoTime()) : counting;
        try {
            producer.send(record, callback);
        } catch (IllegalStateException | KafkaException e) {
            // The failure that closed the producer explains more than the exception of a closed producer.
            requireHealthy();
            throw e;
        }
        if (refusal == null) {
            sent++;
            return true;
        }
        if (refusal instanceof TimeoutException) {
            return false;
        }
        requireHealthy();
        throw asKafkaException(refusal);
    }

    /** @throws KafkaException if a record could not be delivered */
    void requireHealthy() {
        Exception cause = failure;
        if (cause != null) {
            throw asKafkaException(cause);
        }
    }

    /** Whether a record could not be delivered: no further record will be. */
    boolean hasFailed() {
        return failure != null;
    }

    /** The number of accepted records; for the offering thread. */
    long sent() {
        return sent;
    }

    /** The number of acknowledged records: a prefix of the accepted ones. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** The size of the keys and values of the acknowledged records, before compression. */
    long acknowledgedBytes() {
        return acknowledgedBytes.get();
    }

    /** The time that {@link #offer} has waited for free space in the producer's buffer. */
    long waitingNs() {
        return (long) producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("bufferpool-wait-time-ns-total"))
                .map(Metric::metricValue)
                .mapToDouble(value -> (Double) value)
                .sum();
    }

    void setLatencyListener(LongConsumer latencyNs) {
        latencyListener = latencyNs;
    }

    /** Discards the records that are not acknowledged yet. */
    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }

    private void completed(RecordMetadata metadata, @Nullable Exception exception) {
        if (exception == null) {
            // Only Kafka's single sender thread writes these counters, so plain reads are safe.
            acknowledgedBytes.setRelease(acknowledgedBytes.getPlain()
                    + Math.max(0, metadata.serializedKeySize())
                    + metadata.serializedValueSize());
            acknowledged.setRelease(acknowledged.getPlain() + 1);
        } else if (Thread.currentThread() == offering) {
            refusal = exception;
        } else if (failure == null) {
            failure = exception;
            producer.close(Duration.ZERO);
        }
    }

    private static KafkaException asKafkaException(Exception cause) {
        return cause instanceof KafkaException kafka ? kafka : new KafkaException(cause);
    }

    private final class TimedCallback implements Callback {
        private final long startNs;

        TimedCallback(long startNs) {
            this.startNs = startNs;
        }

        @Override
        public void onCompletion(RecordMetadata metadata, @Nullable Exception exception) {
            if (exception == null) {
                latencyListener.accept(System.nanoTime() - startNs);
            }
            completed(metadata, exception);
        }
    }
}
