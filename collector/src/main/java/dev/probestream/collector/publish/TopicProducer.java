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
 * Kafka's producer for one topic, and what became of the records it took. After the first record that it could not
 * deliver it takes no more, and gives up those that follow: the topic never has a record behind a gap. Records are
 * offered by one thread; the counts can be read by all.
 */
final class TopicProducer implements AutoCloseable {
    /** One record in so many is timed. */
    private static final long TIMED_EVERY = 1024;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Callback counting = this::completed;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong acknowledgedBytes = new AtomicLong();
    private volatile LongConsumer latencyListener = latencyNs -> {};
    private volatile @Nullable Exception failure;
    private long sent;
    /** The thread inside {@link #offer}: Kafka calls back on it when it refuses a record at once. */
    private @Nullable Thread offering;

    private @Nullable Exception refusal;

    /** @throws KafkaException when the properties are wrong */
    TopicProducer(String topic, Map<String, Object> properties) {
        this.topic = topic;
        this.producer = new KafkaProducer<>(properties);
    }

    /**
     * Hands over a record; may take as long as {@code max.block.ms}. Key and value must not be changed from then on.
     *
     * @return whether it was taken; one that was not has no place in the order yet and can be offered again
     * @throws KafkaException when this record can never be taken
     */
    @SuppressWarnings("FutureReturnValueIgnored") // what the future says, the callback is told
    boolean offer(int partition, byte[] key, byte[] value) {
        requireHealthy();
        refusal = null;
        offering = Thread.currentThread();
        Callback callback = sent % TIMED_EVERY == 0 ? new TimedCallback(System.nanoTime()) : counting;
        try {
            producer.send(new ProducerRecord<>(topic, partition, key, value), callback);
        } catch (IllegalStateException | KafkaException e) {
            // What comes of being closed says less than the failure of the record for which it was.
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

    /** @throws KafkaException when a record could not be delivered */
    void requireHealthy() {
        Exception cause = failure;
        if (cause != null) {
            throw asKafkaException(cause);
        }
    }

    /** Records taken; for the offering thread. */
    long sent() {
        return sent;
    }

    /** Records that the brokers have, as a prefix of those taken. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** Keys and values of the acknowledged records, before compression. */
    long acknowledgedBytes() {
        return acknowledgedBytes.get();
    }

    /** How long {@link #offer} has waited for room in the producer's memory. */
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

    /** Gives what was taken a few seconds to be delivered, unless a record failed already. */
    @Override
    public void close() {
        producer.close(failure == null && acknowledged() < sent ? CLOSE_TIMEOUT : Duration.ZERO);
    }

    private void completed(RecordMetadata metadata, @Nullable Exception exception) {
        if (exception == null) {
            // Only Kafka's one thread gets here, so no two additions meet.
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
