package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Probe;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one capture to Kafka, as {@link Topics} says. An event waits until the Capture and the Probes that were
 * published before it are acknowledged; CaptureEnd waits until all else is. When the brokers take less than there is,
 * publishing blocks, and memory does not grow: at most 32 MiB ({@code buffer.memory}) and 2^18 events are on their way.
 *
 * <p>Brokers that are away are waited for as long as {@code delivery.timeout.ms} (120 s unless the user says otherwise);
 * nothing is lost, repeated or reordered meanwhile. After that, or when Kafka refuses for good, every method throws a
 * {@link PublishException} that says how many events were acknowledged and how many were not.
 */
public final class KafkaPublisher implements EventPublisher {
    private static final int METADATA_PARTITION = 0;
    private static final long WAIT_STEP_NS = 200_000;

    /**
     * So many events may wait for their acknowledgement. {@code buffer.memory} bounds their compressed bytes alone, and
     * millions of events fit in there; the client keeps some 100 bytes more of each on the heap (its Thunk and
     * FutureRecordMetadata), so that a broker that stands still would cost hundreds of MiB.
     */
    private static final long MAX_WAITING_EVENTS = 1 << 18;

    private final ClientProperties properties;
    private final int eventPartitions;
    private final TopicProducer events;
    private final TopicProducer metadata;
    private final PublishCounters counters;
    private final RetryDeadline retryDeadline;
    private final RecordVisitor<RuntimeException> order = new RecordOrder();
    private @Nullable KeyCache keys;
    private int partition;
    private long publishedEvents;
    private long publishedMetadata;
    /** So many records of metadata must be acknowledged before the next event is sent. */
    private long metadataNeeded;
    /** Once an event was given up nothing may follow it: the topic would have a gap. */
    private @Nullable PublishException fatalFailure;

    private KafkaPublisher(
            ClientProperties properties,
            int eventPartitions,
            TopicProducer events,
            TopicProducer metadata,
            RetryDeadline retryDeadline) {
        this.properties = properties;
        this.eventPartitions = eventPartitions;
        this.events = events;
        this.metadata = metadata;
        this.retryDeadline = retryDeadline;
        this.counters = new PublishCounters(events, metadata);
    }

    /**
     * Connects, makes the topics that are missing, and waits until they take records.
     *
     * @param kafkaProperties {@code bootstrap.servers} and any other property of Kafka's clients; they win over our
     *     defaults, but for what order and completeness need (acks, idempotence, blocking time, serializers, no
     *     transactions). Values never get into a message, secrets least of all
     * @param isStopped asked while publishing waits: a capture that is stopped gives brokers that are silent 5 s more
     * @throws PublishException when the brokers cannot be reached or used, or the properties are wrong
     */
    public static KafkaPublisher open(
            Map<String, String> kafkaProperties, KafkaTopics topics, BooleanSupplier isStopped) {
        ClientProperties properties = new ClientProperties(kafkaProperties);
        try {
            Duration deliveryTimeout = properties.deliveryTimeout();
            int eventPartitions;
            try (TopicSetup setup = new TopicSetup(properties, topics, isStopped)) {
                eventPartitions = setup.prepare();
            }
            RetryDeadline retryDeadline = new RetryDeadline(deliveryTimeout.toNanos(), isStopped, System::nanoTime);
            return connect(properties, eventPartitions, retryDeadline);
        } catch (KafkaException e) {
            throw new PublishException(properties.withoutSecrets("connect to Kafka at " + properties.servers() + ": "
                    + KafkaFailure.reason(e) + "; check the address and the properties"));
        }
    }

    private static KafkaPublisher connect(
            ClientProperties properties, int eventPartitions, RetryDeadline retryDeadline) {
        TopicProducer events = new TopicProducer(Topics.EVENTS, properties.ofEventProducer());
        try {
            TopicProducer metadata = new TopicProducer(Topics.METADATA, properties.ofMetadataProducer());
            return new KafkaPublisher(properties, eventPartitions, events, metadata, retryDeadline);
        } catch (KafkaException e) {
            events.close();
            throw e;
        }
    }

    @Override
    public void publish(EventEncoder event) {
        KeyCache keys = this.keys;
        if (keys == null) {
            throw new IllegalStateException("an event was published before its Capture");
        }
        publishedEvents++;
        if (metadata.acknowledged() < metadataNeeded) {
            await(metadata, metadataNeeded);
        }
        await(events, events.sent() - MAX_WAITING_EVENTS + 1);
        send(events, partition, keys.key(event.pid()), EventMessage.value(event));
    }

    @Override
    public void publish(SpecificRecord record) {
        RecordVisitor.visit(record, order);
        byte[] key = MetadataMessage.key(record, publishedMetadata++);
        send(metadata, METADATA_PARTITION, key, MetadataMessage.value(record));
    }

    @Override
    public void flush() {
        recordProgress();
        if (events.acknowledged() == events.sent() && metadata.acknowledged() == metadata.sent()) {
            retryDeadline.restart();
        }
        requireHealthy();
    }

    @Override
    public void complete() {
        requireHealthy();
        await(metadata, metadata.sent());
        await(events, events.sent());
    }

    /** Keys and values that were acknowledged, before compression. */
    @Override
    public long publishedBytes() {
        return counters.acknowledgedBytes();
    }

    public PublishCounters counters() {
        return counters;
    }

    /** Gives records that are not acknowledged yet a few seconds; after {@link #complete} there are none. */
    @Override
    public void close() {
        try (metadata) {
            events.close();
        }
    }

    private void send(TopicProducer producer, int partition, byte[] key, byte[] value) {
        requireNotFailed();
        try {
            if (!producer.offer(partition, key, value)) {
                sendWithRetries(producer, partition, key, value);
            }
        } catch (KafkaException e) {
            throw failed(KafkaFailure.reason(e), KafkaFailure.advice(e));
        }
    }

    private void sendWithRetries(TopicProducer producer, int partition, byte[] key, byte[] value) {
        retryDeadline.beginWait();
        boolean isTaken = false;
        while (!isTaken) {
            requireTimeLeft();
            long startNs = System.nanoTime();
            long roomWaitedNs = producer.waitingNs();
            isTaken = producer.offer(partition, key, value);
            counters.addWait(System.nanoTime() - startNs - (producer.waitingNs() - roomWaitedNs));
        }
    }

    private void await(TopicProducer producer, long acknowledgedRecords) {
        if (producer.acknowledged() >= acknowledgedRecords) {
            return;
        }
        retryDeadline.beginWait();
        long startNs = System.nanoTime();
        while (producer.acknowledged() < acknowledgedRecords) {
            requireHealthy();
            requireTimeLeft();
            LockSupport.parkNanos(WAIT_STEP_NS);
            long nowNs = System.nanoTime();
            counters.addWait(nowNs - startNs);
            startNs = nowNs;
        }
    }

    private void requireNotFailed() {
        if (fatalFailure != null) {
            throw fatalFailure;
        }
    }

    private void requireHealthy() {
        requireNotFailed();
        try {
            metadata.requireHealthy();
            events.requireHealthy();
        } catch (KafkaException e) {
            throw failed(KafkaFailure.reason(e), KafkaFailure.advice(e));
        }
    }

    private void requireTimeLeft() {
        recordProgress();
        Optional<String> end = retryDeadline.expiry();
        if (end.isPresent()) {
            throw failed(end.get(), KafkaFailure.advice(new TimeoutException()));
        }
    }

    private void recordProgress() {
        retryDeadline.recordProgress(events.acknowledged() + metadata.acknowledged());
    }

    private PublishException failed(String reason, String advice) {
        long acknowledgedEvents = events.acknowledged();
        Duration silence = retryDeadline.sinceLastResponse();
        Instant since = Instant.now().minus(silence).truncatedTo(ChronoUnit.SECONDS);
        fatalFailure = new PublishException(properties.withoutSecrets("publish to Kafka at " + properties.servers()
                + ": "
                + reason + " (last answer at " + since + ", " + silence.toSeconds() + " s ago); " + acknowledgedEvents
                + " events were acknowledged and are kept, " + (publishedEvents - acknowledgedEvents)
                + " were not and may be missing; " + advice));
        return fatalFailure;
    }

    /** What has to be acknowledged before, or after, the record that is sent next. */
    private final class RecordOrder implements RecordVisitor<RuntimeException> {
        @Override
        public void capture(Capture capture) {
            keys = new KeyCache(capture.getCaptureId());
            partition = Topics.partition(capture.getCaptureId(), eventPartitions);
            metadataNeeded = metadata.sent() + 1;
        }

        @Override
        public void probe(Probe probe) {
            metadataNeeded = metadata.sent() + 1;
        }

        @Override
        public void captureEnd(CaptureEnd captureEnd) {
            complete();
        }
    }
}
