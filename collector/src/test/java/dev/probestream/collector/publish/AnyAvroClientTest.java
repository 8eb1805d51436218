package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.schema.format.FormatStamp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.util.Utf8;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reads the topics as a client with Avro, kafka-clients and our .avsc files would, without our code. */
@Timeout(120)
class AnyAvroClientTest {
    private static final int EVENTS = 10_000;

    @TempDir
    private Path folder;

    @Test
    void eventsAndMetadataAreReadWithThePublishedSchemas() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder, 0)) {
            publish(broker);

            List<ConsumerRecord<byte[], byte[]>> events = TopicContent.read(broker, "probestream.events");
            BinaryMessageDecoder<GenericRecord> decoder = decoder("Event");
            assertThat(events).hasSize(EVENTS);
            for (int i = 0; i < EVENTS; i++) {
                GenericRecord event = decoder.decode(events.get(i).value());
                assertThat(event.get("sequence")).isEqualTo((long) i);
                assertThat(event.get("kind")).hasToString("INSTANT");
                assertThat(event.get("numbers")).isEqualTo(List.of((long) i));
                assertThat(event.get("strings")).isEqualTo(List.of(new Utf8("event " + i)));
                assertThat(TopicContent.key(events.get(i))).isEqualTo("4711/" + event.get("pid"));
            }

            List<ConsumerRecord<byte[], byte[]>> metadata = TopicContent.read(broker, "probestream.metadata");
            assertThat(metadata)
                    .extracting(TopicContent::key)
                    .containsExactly("4711/capture", "4711/probe/1", "4711/end");
            assertThat(decoder("Capture").decode(metadata.get(0).value()).get("host"))
                    .hasToString("host");
            assertThat(decoder("Probe").decode(metadata.get(1).value()).get("name"))
                    .hasToString("tick");
            assertThat(decoder("CaptureEnd").decode(metadata.get(2).value()).get("delivered"))
                    .isEqualTo((long) EVENTS);
            assertThat(metadata).allSatisfy(message -> {
                assertThat(header(message, "probestream.format")).isEqualTo("3.0");
                assertThat(header(message, "probestream.program")).isEqualTo(FormatStamp.OWN.program());
            });
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> message, String name) {
        return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    private static void publish(EmbeddedBroker broker) {
        try (KafkaPublisher publisher =
                KafkaPublisher.open(broker.clientProperties(), KafkaTopics.DEFAULT, () -> false)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(EVENTS, 1);
            capture.end();
        }
    }

    private static BinaryMessageDecoder<GenericRecord> decoder(String kind) throws IOException {
        String resource = "/dev/probestream/schema/" + kind + ".avsc";
        try (InputStream published = AnyAvroClientTest.class.getResourceAsStream(resource)) {
            assertThat(published).as(resource).isNotNull();
            return new BinaryMessageDecoder<>(new GenericData(), new Schema.Parser().parse(published));
        }
    }
}
