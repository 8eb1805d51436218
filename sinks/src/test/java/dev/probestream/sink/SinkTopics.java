package dev.probestream.sink;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.ProbeCost;
import dev.probestream.schema.record.Stack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A broker with both topics, and a plain producer that publishes captures made by hand: event n carries the number n. */
final class SinkTopics implements AutoCloseable {
    /** Two seconds before an hour is full, so that captures of a few seconds lie in two. */
    static final Instant START = Instant.parse("2026-11-21T10:59:58Z");

    static final long START_NS = 5_000_000_000L;
    static final int PROBE = 1;
    private static final int PID = 100;

    private final EmbeddedBroker broker;
    private final KafkaProducer<byte[], byte[]> producer;
    private final EventEncoder encoder = new EventEncoder();
    private Topics names = Topics.DEFAULT;
    private int partitions;
    private long running;
    private @Nullable Instant time;
    private FormatStamp stamp = FormatStamp.OWN;
    private volatile @Nullable Exception refused;

    private SinkTopics(EmbeddedBroker broker) {
        this.broker = broker;
        Map<String, Object> properties = new HashMap<>(broker.clientProperties());
        // A test waits for a slow machine: its own limit ends it, not that of the producer, which is two minutes.
        properties.putAll(Map.of("linger.ms", 5, "batch.size", 100_000, "delivery.timeout.ms", 600_000));
        this.producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    static SinkTopics start(Path folder) throws Exception {
        return new SinkTopics(EmbeddedBroker.start(folder, 0));
    }

    /** Before {@link #make}. */
    SinkTopics named(Topics topics) {
        names = topics;
        return this;
    }

    SinkTopics make(int partitionCount) throws Exception {
        partitions = partitionCount;
        try (Admin admin = admin()) {
            admin.createTopics(List.of(
                            new NewTopic(names.events(), partitionCount, (short) 1),
                            new NewTopic(names.metadata(), Optional.of(1), Optional.empty())
                                    .configs(Map.of("cleanup.policy", "compact"))))
                    .all()
                    .get();
            awaitLeaders(admin, names.events(), partitionCount);
            awaitLeaders(admin, names.metadata(), 1);
        }
        return this;
    }

    /** The time of what is published from now on; null = the current time. */
    SinkTopics at(@Nullable Instant publishTime) {
        time = publishTime;
        return this;
    }

    /** The format that metadata states from now on. */
    SinkTopics stamped(String format, String program) {
        stamp = new FormatStamp(format, program);
        return this;
    }

    /** Adds partitions to the topic, which captures that begin afterwards use. */
    SinkTopics grow(int partitionCount) throws Exception {
        partitions = partitionCount;
        try (Admin admin = admin()) {
            admin.createPartitions(Map.of(names.events(), NewPartitions.increaseTo(partitionCount)))
                    .all()
                    .get();
            awaitLeaders(admin, names.events(), partitionCount);
        }
        return this;
    }

    void deleteEvents() throws Exception {
        delete(names.events());
    }

    void delete(String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    void makeEvents() throws Exception {
        try (Admin admin = admin()) {
            while (admin.listTopics().names().get().contains(names.events())) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
            admin.createTopics(List.of(new NewTopic(names.events(), partitions, (short) 1)))
                    .all()
                    .get();
            awaitLeaders(admin, names.events(), partitions);
        }
    }

    /**
     * Waits until the leader of each partition responds. If the first batch for a new partition is refused and the
     * second is accepted, the producer sends the first again until its delivery timeout (KAFKA-15591).
     */
    private static void awaitLeaders(Admin admin, String topic, int partitionCount) throws Exception {
        Map<TopicPartition, OffsetSpec> ends = IntStream.range(0, partitionCount)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
        while (true) {
            try {
                admin.listOffsets(ends).all().get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof RetriableException)) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    Admin admin() {
        return Admin.create(new HashMap<>(broker.clientProperties()));
    }

    Map<String, String> kafka() {
        Map<String, String> kafka = new HashMap<>(broker.clientProperties());
        kafka.put("session.timeout.ms", "6000");
        kafka.put("heartbeat.interval.ms", "500");
        return kafka;
    }

    /** Capture and Probe, acknowledged. */
    SinkTopics begin(long captureId) {
        metadata(Capture.newBuilder()
                .setCaptureId(captureId)
                .setHost("host")
                .setBootId("boot")
                .setKernelName("Linux")
                .setKernelRelease("6.18.0")
                .setKernelVersion("#1 SMP")
                .setMachine("x86_64")
                .setCpuCount(2)
                .setToolVersion("0.1.0")
                .setCommand(List.of("probestream", "collect"))
                .setMonotonicNs(START_NS)
                .setRealtimeNs(TimeUnit.MILLISECONDS.toNanos(START.toEpochMilli()))
                .setBoottimeNs(START_NS)
                .build());
        metadata(Probe.newBuilder()
                .setCaptureId(captureId)
                .setProbeId(PROBE)
                .setSpec("uprobe:/bin/x:f (n=arg1:s64)")
                .setName("f")
                .setCategory("user")
                .setKind(EventKind.INSTANT)
                .setModule("/bin/x")
                .setArguments(List.of(Argument.newBuilder()
                        .setName("n")
                        .setType("s64")
                        .setUnit("")
                        .setFlow(FlowStep.NONE)
                        .setLabels(Map.of())
                        .build()))
                .setReturnType("")
                .setReturnUnit("")
                .build());
        producer.flush();
        return this;
    }

    /** Events of a capture, a millisecond apart by their numbers; {@code toSequence} is exclusive. */
    SinkTopics events(long captureId, long fromSequence, long toSequence) {
        for (long sequence = fromSequence; sequence < toSequence; sequence++) {
            event(captureId, sequence, 0);
        }
        return this;
    }

    SinkTopics event(long captureId, long sequence, long stackId) {
        return message(captureId, value(captureId, sequence, stackId));
    }

    /** An event as a message. */
    byte[] value(long captureId, long sequence, long stackId) {
        encoder.begin(
                captureId,
                sequence,
                START_NS + TimeUnit.MILLISECONDS.toNanos(sequence),
                -1,
                PID,
                PID,
                0,
                PROBE,
                EventKind.INSTANT);
        encoder.beginNumbers(1);
        encoder.number(sequence);
        encoder.beginStrings(0);
        encoder.end(0, stackId, 0);
        return EventMessage.value(encoder, EventMessage.header(MessageFraming.SINGLE_OBJECT));
    }

    SinkTopics message(long captureId, byte[] value) {
        return message(Topics.partition(captureId, partitions), captureId, value);
    }

    SinkTopics message(int partition, long captureId, byte @Nullable [] value) {
        ProducerRecord<byte[], byte[]> message =
                new ProducerRecord<>(names.events(), partition, timeMs(), EventMessage.key(captureId, PID), value);
        String home = Integer.toString(Topics.partition(captureId, partitions));
        message.headers().add(EventMessage.PARTITION_HEADER, home.getBytes(StandardCharsets.UTF_8));
        send(message);
        return this;
    }

    /** An event message without key and headers, as no collector sends it. */
    SinkTopics stray(byte[] value) {
        send(new ProducerRecord<>(names.events(), 0, null, null, value));
        return this;
    }

    SinkTopics stack(long captureId, long stackId) {
        metadata(Stack.newBuilder()
                .setCaptureId(captureId)
                .setStackId(stackId)
                .setFrames(List.of(Frame.newBuilder()
                        .setSymbol("main")
                        .setModule("/bin/x")
                        .setOffset(stackId)
                        .setKind(FrameKind.NATIVE)
                        .build()))
                .build());
        return this;
    }

    SinkTopics loss(long captureId, long atMs, long count) {
        long atNs = START_NS + TimeUnit.MILLISECONDS.toNanos(atMs);
        metadata(Loss.newBuilder()
                .setCaptureId(captureId)
                .setProbeId(PROBE)
                .setCpu(0)
                .setFromNs(atNs)
                .setToNs(atNs + 1000)
                .setCount(count)
                .setReason(LossReason.RING_FULL)
                .build());
        return this;
    }

    /** A second's sum of the probe's hits, a gap of its set and a cost, all of them then. */
    SinkTopics sums(long captureId, long atMs, long hits) {
        long atNs = START_NS + TimeUnit.MILLISECONDS.toNanos(atMs);
        long toNs = atNs + 100_000_000;
        metadata(new HitSummary(captureId, PROBE, PID, PID, atNs, toNs, hits, 0L, 1000L, 100L, List.of(hits)));
        metadata(new Gap(captureId, "test", 0, atNs, toNs, GapReason.BUDGET));
        metadata(new Cost(captureId, atNs, toNs, 50_000_000L, List.of(new ProbeCost(PROBE, hits, 2000L, 3000L))));
        return this;
    }

    SinkTopics end(long captureId, long delivered) {
        producer.flush();
        metadata(CaptureEnd.newBuilder()
                .setCaptureId(captureId)
                .setMonotonicNs(START_NS + TimeUnit.MILLISECONDS.toNanos(delivered))
                .setReason("it was stopped")
                .setDelivered(delivered)
                .setLost(0)
                .build());
        return flush();
    }

    /** A whole capture of {@code count} events. */
    SinkTopics capture(long captureId, long count) {
        return begin(captureId).events(captureId, 0, count).end(captureId, count);
    }

    /** Everything sent so far is in the topics then. */
    SinkTopics flush() {
        producer.flush();
        Exception failure = refused;
        if (failure != null) {
            throw new IllegalStateException("the broker refused a message", failure);
        }
        return this;
    }

    void metadata(SpecificRecord record) {
        metadata(MetadataMessage.key(record, running++), MetadataMessage.value(record, MessageFraming.SINGLE_OBJECT));
    }

    @SuppressWarnings("NullAway") // a tombstone has no value
    void metadata(byte[] key, byte[] value) {
        ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(names.metadata(), 0, timeMs(), key, value);
        stamp.entries().forEach((name, text) -> message.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        send(message);
    }

    private @Nullable Long timeMs() {
        return time == null ? null : time.toEpochMilli();
    }

    private void send(ProducerRecord<byte[], byte[]> message) {
        Future<?> unused = producer.send(message, (sent, failure) -> {
            if (failure != null) {
                refused = failure;
            }
        });
    }

    @Override
    public void close() {
        producer.close();
        broker.close();
    }
}
