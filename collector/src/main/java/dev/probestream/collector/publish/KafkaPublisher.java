package dev.probestream.collector.publish;

import dev.probestream.collector.publish.HeldEvents.Held;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Probe;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one capture to Kafka, in two topics (see {@link Topics}). An event is sent after the Capture and the
 * Probes published before it are acknowledged; until then it is held. CaptureEnd is sent after everything else is acknowledged. If the
 * brokers are slower than the events, publishing blocks and memory does not grow: at most 32 MiB ({@code buffer.memory}) are in flight,
 * 32 MiB are held ({@link HeldEvents}), and both are at most 2^18 events.
 *
 * <p>If the brokers are unavailable, the publisher retries for {@code delivery.timeout.ms} (default 120 s); no record
 * is lost, repeated or reordered meanwhile. After that, or on a permanent failure, every method throws a {@link
 * PublishException} with the number of events that were acknowledged and that were not. A topic that was deleted, or
 * deleted and made again, is such a failure, too.
 */
public final class KafkaPublisher implements EventPublisher {
    private static final long WAIT_STEP_NS = 200_000;
    private static final Duration LAST_CHECK = Duration.ofSeconds(3);
    private static final long CLOSE_TIMEOUT_NS = Duration.ofSeconds(5).toNanos();

    /**
     * Maximum number of unacknowledged events. {@code buffer.memory} bounds only their compressed bytes, in which
     * millions of events fit. The client keeps about 100 more bytes per event on the heap (Thunk,
     * FutureRecordMetadata), so a broker that does not respond would cost hundreds of MiB.
     */
    private static final long MAX_WAITING_EVENTS = 1 << 18;

    private final ClientProperties properties;
    private final KafkaTopics topics;
    private final int eventPartitions;
    private final TopicProducer events;
    private final TopicProducer metadata;
    private final TopicCheck topicCheck;
    private final PublishCounters counters;
    private final RetryDeadline retryDeadline;
    private final RecordVisitor<RuntimeException> order = new RecordOrder();
    private final MetadataRecords metadataRecords;
    /** Set by the Capture. */
    private @Nullable EventRecords eventRecords;

    private final HeldEvents held = new HeldEvents();
    private long publishedEvents;
    /** The number of metadata records that must be acknowledged before the next event can be sent. */
    private long metadataNeeded;
    /** Set once publishing has failed. No event may follow a failed one: the topic would have a gap. */
    private @Nullable PublishException fatalFailure;

    private KafkaPublisher(
            ClientProperties properties,
            KafkaTopics topics,
            int eventPartitions,
            TopicProducer events,
            TopicProducer metadata,
            TopicCheck topicCheck,
            RetryDeadline retryDeadline) {
        this.properties = properties;
        this.topics = topics;
        this.metadataRecords = new MetadataRecords(topics.names().metadata(), topics.framing());
        this.eventPartitions = eventPartitions;
        this.events = events;
        this.metadata = metadata;
        this.topicCheck = topicCheck;
        this.retryDeadline = retryDeadline;
        this.counters = new PublishCounters(events, metadata);
    }

    /**
     * Connects, creates missing topics, and waits until they accept records.
     *
     * @param kafkaProperties {@code bootstrap.servers} and any other property of Kafka's clients; they override the
     *     defaults, except for what order and completeness require (acks, idempotence, blocking time, serializers, no
     *     transactions). Secret values never appear in a message
     * @param topics their names, how to create them, and how records are framed
     * @param isStopped whether the capture is stopped; checked while publishing waits. After the stop, brokers that do
     *     not respond get 5 s more
     * @return the publisher; the caller closes it
     * @throws PublishException if the brokers cannot be reached or used, or the properties are invalid
     */
    public static KafkaPublisher open(
            Map<String, String> kafkaProperties, KafkaTopics topics, BooleanSupplier isStopped) {
        ClientProperties properties = new ClientProperties(kafkaProperties);
        try {
            Duration deliveryTimeout = properties.deliveryTimeout();
            TopicSetup.ReadyTopics ready;
            try (TopicSetup setup = new TopicSetup(properties, topics, isStopped)) {
                ready = setup.prepare();
            }
            RetryDeadline retryDeadline = new RetryDeadline(deliveryTimeout.toNanos(), isStopped, System::nanoTime);
            return connect(properties, topics, ready, retryDeadline);
        } catch (KafkaException e) {
            throw new PublishException(properties.withoutSecrets("connect to Kafka at " + properties.servers() + ": "
                    + KafkaFailure.reason(e) + "; check the address and the properties"));
        }
    }

    private static KafkaPublisher connect(
            ClientProperties properties,
            KafkaTopics topics,
            TopicSetup.ReadyTopics ready,
            RetryDeadline retryDeadline) {
        TopicProducer events = new TopicProducer(properties.ofEventProducer());
        try {
            TopicProducer metadata = new TopicProducer(properties.ofMetadataProducer());
            TopicCheck topicCheck = new TopicCheck(Admin.create(properties.ofAdmin()), topics.names(), ready.ids());
            return new KafkaPublisher(
                    properties, topics, ready.eventPartitions(), events, metadata, topicCheck, retryDeadline);
        } catch (KafkaException e) {
            events.close();
            throw e;
        }
    }

    @Override
    public void publish(EventEncoder event) {
        EventRecords records = eventRecords;
        if (records == null) {
            throw new IllegalStateException("an event was published before the Capture");
        }
        publishedEvents++;
        sendHeld();
        ProducerRecord<byte[], byte[]> record = records.record(event);
        if (held.isEmpty() && metadata.acknowledged() >= metadataNeeded) {
            sendEvent(record);
        } else {
            hold(new Held(record, event.kind(), metadataNeeded));
        }
    }

    /** Whether the metadata that explains it is there for every reader. */
    private boolean isExplained(Held event) {
        return metadata.acknowledged() >= event.metadataNeeded;
    }

    private void hold(Held event) {
        while (!held.hasRoom(event) || events.sent() - events.acknowledged() + held.size() >= MAX_WAITING_EVENTS) {
            if (held.isEmpty()) {
                await(events, events.sent() - MAX_WAITING_EVENTS + 1);
            } else {
                await(metadata, held.first().metadataNeeded);
                sendHeld();
            }
        }
        held.add(event);
    }

    /** Sends what was held and is explained by now. */
    private void sendHeld() {
        while (!held.isEmpty() && isExplained(held.first())) {
            sendEvent(firstHeld());
            held.removeFirst();
        }
    }

    private ProducerRecord<byte[], byte[]> firstHeld() {
        return Objects.requireNonNull(eventRecords).record(held.first());
    }

    private void sendEvent(ProducerRecord<byte[], byte[]> record) {
        await(events, events.sent() - MAX_WAITING_EVENTS + 1);
        send(events, record);
    }

    @Override
    public void publish(SpecificRecord record) {
        RecordVisitor.visit(record, order);
        send(metadata, metadataRecords.next(record));
    }

    @Override
    public void flush() {
        recordProgress();
        if (!isWaiting()) {
            retryDeadline.restart();
        }
        requireHealthy();
        requireSameTopics();
        sendHeld();
    }

    @Override
    public void complete() {
        requireHealthy();
        await(metadata, metadata.sent());
        sendHeld();
        await(events, events.sent());
        failIfChanged(topicCheck.query(LAST_CHECK));
    }

    /** The size of the acknowledged keys and values, before compression. */
    @Override
    public long publishedBytes() {
        return counters.acknowledgedBytes();
    }

    /** {@return the counters of this publisher; for any thread} */
    public PublishCounters counters() {
        return counters;
    }

    /**
     * Waits for records that are not acknowledged yet, as long as the brokers acknowledge any within a few seconds, unless
     * publishing has failed. After {@link #complete} there are none.
     */
    @Override
    public void close() {
        try (topicCheck;
                metadata;
                events) {
            RetryDeadline closeDeadline = new RetryDeadline(CLOSE_TIMEOUT_NS, () -> false, System::nanoTime);
            while (fatalFailure == null && isWaiting() && isDelivering()) {
                offerHeld();
                closeDeadline.recordProgress(events.acknowledged() + metadata.acknowledged());
                if (closeDeadline.expiry().isPresent()) {
                    return;
                }
                LockSupport.parkNanos(WAIT_STEP_NS);
            }
        }
    }

    /** Sends what was held and is explained by now, without retries. */
    private void offerHeld() {
        while (!held.isEmpty() && isExplained(held.first())) {
            try {
                if (!events.offer(firstHeld())) {
                    return;
                }
            } catch (KafkaException refused) {
                return;
            }
            held.removeFirst();
        }
    }

    private boolean isWaiting() {
        return !held.isEmpty() || events.acknowledged() < events.sent() || metadata.acknowledged() < metadata.sent();
    }

    private boolean isDelivering() {
        return !events.hasFailed() && !metadata.hasFailed();
    }

    private void send(TopicProducer producer, ProducerRecord<byte[], byte[]> record) {
        requireNotFailed();
        try {
            if (!producer.offer(record)) {
                sendWithRetries(producer, record);
            }
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    private void sendWithRetries(TopicProducer producer, ProducerRecord<byte[], byte[]> record) {
        retryDeadline.beginWait();
        boolean isTaken = false;
        while (!isTaken) {
            requireTimeLeft();
            long startNs = System.nanoTime();
            long roomWaitedNs = producer.waitingNs();
            isTaken = producer.offer(record);
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
            throw failed(e);
        }
    }

    private void requireSameTopics() {
        failIfChanged(topicCheck.poll());
    }

    private void failIfChanged(Optional<TopicCheck.Change> change) {
        if (change.isPresent()) {
            throw failed(change.get());
        }
    }

    private void requireTimeLeft() {
        recordProgress();
        requireSameTopics();
        Optional<String> end = retryDeadline.expiry();
        if (end.isPresent()) {
            throw failed(end.get(), KafkaFailure.advice(new TimeoutException()));
        }
    }

    private void recordProgress() {
        retryDeadline.recordProgress(events.acknowledged() + metadata.acknowledged());
    }

    private PublishException failed(KafkaException e) {
        // A topic that was made again refuses records with other errors, too: OUT_OF_ORDER_SEQUENCE, for example.
        return topicCheck
                .query(LAST_CHECK)
                .map(this::failed)
                .orElseGet(() -> failed(KafkaFailure.reason(e), KafkaFailure.advice(e)));
    }

    private PublishException failed(TopicCheck.Change change) {
        String fate = change.isOfEvents()
                ? "had been acknowledged and were deleted with the topic"
                : "were acknowledged and are stored, but without their metadata";
        return failed(
                change.reason(), fate, "were not acknowledged; start the collection again: it creates missing topics");
    }

    private PublishException failed(String reason, String advice) {
        Duration silence = retryDeadline.sinceLastResponse();
        Instant since = Instant.now().minus(silence).truncatedTo(ChronoUnit.SECONDS);
        return failed(
                reason + " (last response at " + since + ", " + silence.toSeconds() + " s ago)",
                "were acknowledged and are stored",
                "were not acknowledged and may be missing; " + advice);
    }

    private PublishException failed(String reason, String fateOfAcknowledged, String fateOfOthers) {
        long acknowledgedEvents = events.acknowledged();
        fatalFailure = new PublishException(properties.withoutSecrets("publish to Kafka at " + properties.servers()
                + ": " + reason + "; " + acknowledgedEvents + " events " + fateOfAcknowledged + ", "
                + (publishedEvents - acknowledgedEvents) + " " + fateOfOthers));
        return fatalFailure;
    }

    /** Tracks which records must be acknowledged before the next one is sent. */
    private final class RecordOrder implements RecordVisitor<RuntimeException> {
        @Override
        public void capture(Capture capture) {
            eventRecords = new EventRecords(topics.names().events(), topics.framing(), capture, eventPartitions);
            metadataNeeded = metadata.sent() + 1;
        }

        @Override
        public void probe(Probe probe) {
            metadataNeeded = metadata.sent() + 1;
        }

        @Override
        public void clock(Clock clock) {
            if (eventRecords != null) {
                eventRecords.setClock(clock);
            }
        }

        @Override
        public void captureEnd(CaptureEnd captureEnd) {
            complete();
        }
    }
}
