package dev.probestream.bench.kafka;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Stack;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Both topics, with the metadata of collectors that were killed long ago, and now and then an event of a living one. */
final class DeadCaptures implements AutoCloseable {
    private static final int STACKS = 40;
    private static final int FRAMES = 14;

    private final KafkaProducer<byte[], byte[]> producer;
    private long captures;

    private DeadCaptures(KafkaProducer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    static DeadCaptures create(String address) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            // Retention would delete events that are dated back.
            NewTopic events = new NewTopic(Topics.EVENTS, Optional.of(6), Optional.empty())
                    .configs(Map.of("retention.ms", "-1", "message.timestamp.type", "CreateTime"));
            NewTopic metadata = new NewTopic(Topics.METADATA, Optional.of(1), Optional.empty())
                    .configs(Map.of("cleanup.policy", "compact"));
            admin.createTopics(List.of(events, metadata)).all().get();
        }
        return new DeadCaptures(new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        address,
                        "linger.ms",
                        20,
                        "batch.size",
                        512 * 1024,
                        "compression.type",
                        "lz4",
                        "enable.idempotence",
                        false),
                new ByteArraySerializer(),
                new ByteArraySerializer()));
    }

    /** Publishes captures with all their metadata, a second apart, beginning at {@code from}. */
    void publish(int count, Instant from) throws Exception {
        for (int i = 0; i < count; i++) {
            capture(++captures, from.plus(Duration.ofSeconds(i)));
        }
        producer.flush();
    }

    /** Publishes a capture with one event. */
    void liveEvent(Instant time) throws Exception {
        long captureId = ++captures;
        capture(captureId, Instant.now());
        producer.flush();
        EventEncoder encoder = new EventEncoder();
        encoder.begin(captureId, 0, 5_000_000_000L, -1, 7, 7, 0, 1, EventKind.INSTANT);
        encoder.beginNumbers(1);
        encoder.number(3);
        encoder.beginStrings(0);
        encoder.end(0, 1, 0);
        Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(
                Topics.EVENTS,
                Topics.partition(captureId, 6),
                time.toEpochMilli(),
                EventMessage.key(captureId, 7),
                EventMessage.value(encoder)));
        producer.flush();
        sent.get();
    }

    private void capture(long captureId, Instant time) {
        send(
                time,
                new Capture(
                        captureId,
                        "host-" + captureId % 1000,
                        "b007-1d",
                        "Linux",
                        "6.18.5",
                        "#1 SMP",
                        "x86_64",
                        2,
                        "bench",
                        List.of("collect"),
                        1_000L,
                        time.toEpochMilli() * 1_000_000,
                        1_500L));
        send(
                time,
                new Probe(
                        captureId,
                        1,
                        "uprobe:tick (n=arg1:s64)",
                        "tick",
                        "user",
                        EventKind.INSTANT,
                        "/bin/calls",
                        List.of(new Argument("n", "s64", "", FlowStep.NONE, Map.of())),
                        "",
                        "",
                        "",
                        false));
        for (int stack = 1; stack <= STACKS; stack++) {
            List<Frame> frames = new ArrayList<>();
            for (int frame = 0; frame < FRAMES; frame++) {
                frames.add(Frame.newBuilder()
                        .setSymbol("some::function_of_the_service_" + (captureId * 31 + stack * 7L + frame) % 997)
                        .setModule("/usr/bin/node")
                        .setOffset(frame)
                        .setKind(FrameKind.NATIVE)
                        .build());
            }
            send(time, new Stack(captureId, (long) stack, frames));
        }
    }

    private void send(Instant time, SpecificRecord metadata) {
        Future<RecordMetadata> unused = producer.send(new ProducerRecord<>(
                Topics.METADATA,
                0,
                time.toEpochMilli(),
                MetadataMessage.key(metadata, 0),
                MetadataMessage.value(metadata)));
    }

    @Override
    public void close() {
        producer.close();
    }
}
