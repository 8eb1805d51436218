package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.EventCodecTest;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.Mutation;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.recording.CollectingHandler;
import dev.probestream.schema.recording.RecordingReader;
import dev.probestream.schema.recording.RecordingWriter;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventMessageTest {
    private static final byte[] HEADER = EventMessage.header(MessageFraming.SINGLE_OBJECT);

    private final SplittableRandom random = new SplittableRandom(31);
    private final EventEncoder encoder = new EventEncoder();

    @Test
    void theKeyIsTextOfCaptureAndPid() {
        assertThat(new String(EventMessage.key(4_711L, 42), StandardCharsets.UTF_8))
                .isEqualTo("4711/42");
    }

    @Test
    void theTimestampIsTheTimeOfDayAtTheEnd() {
        encoder.begin(1, 0, 5_000_000, 2_999_999, 1, 1, 0, 1, EventKind.SPAN);
        assertThat(EventMessage.timestampMs(encoder, 1_000_000_000)).isEqualTo(1_007);

        encoder.begin(1, 0, 5_000_000, -1, 1, 1, 0, 1, EventKind.INSTANT);
        assertThat(EventMessage.timestampMs(encoder, 1_000_000_000)).isEqualTo(1_005);
        assertThat(EventMessage.timestampMs(encoder, -6_000_000)).isZero();
    }

    @Test
    void theValueIsByteForByteWhatAvroWrites() throws IOException {
        BinaryMessageEncoder<Event> avro = new BinaryMessageEncoder<>(SpecificData.get(), Event.SCHEMA$);
        for (int i = 0; i < 2_000; i++) {
            Event event = TestRecords.event(random);
            encoder.encode(event);

            assertThat(ByteBuffer.wrap(EventMessage.value(encoder, HEADER))).isEqualTo(avro.encode(event));
        }
    }

    @Test
    void plainAvroReadsTheValueWithThePublishedSchema() throws IOException {
        Schema published =
                new Schema.Parser().parse(EventMessage.class.getResourceAsStream("/dev/probestream/schema/Event.avsc"));
        BinaryMessageDecoder<GenericRecord> avro = new BinaryMessageDecoder<>(new GenericData(), published);
        Event event = TestRecords.event(random);
        encoder.encode(event);

        GenericRecord read = avro.decode(EventMessage.value(encoder, HEADER));

        assertThat(read.get("sequence")).isEqualTo(event.getSequence());
        assertThat(read.get("numbers")).isEqualTo(event.getNumbers());
        assertThat(read.get("kind")).hasToString(event.getKind().toString());
    }

    @Test
    void theBodyIsTheEvent() throws IOException {
        Event event = TestRecords.event(random);
        encoder.encode(event);
        byte[] value = EventMessage.value(encoder, HEADER);
        EventView view = new EventView();

        int end = view.wrap(value, EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT), value.length);

        assertThat(end).isEqualTo(value.length);
        assertThat(EventCodecTest.recordOf(view)).isEqualTo(event);
    }

    @Test
    void bodiesAreAppendedToARecordingAsTheyStand(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("messages.avro");
        List<SpecificRecord> events = new ArrayList<>();
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            for (int i = 0; i < 1_000; i++) {
                Event event = TestRecords.event(random);
                events.add(event);
                encoder.encode(event);
                byte[] value = EventMessage.value(encoder, HEADER);
                int offset = EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT);
                writer.appendEncodedEvent(value, offset, value.length - offset);
            }
        }
        CollectingHandler handler = new CollectingHandler();

        RecordingReader.read(file, handler);

        assertThat(handler.records()).isEqualTo(events);
    }

    @Test
    void aValueStaysWhenTheEncoderGoesOn() {
        encoder.encode(TestRecords.eventWithText("first"));
        byte[] first = EventMessage.value(encoder, HEADER);
        byte[] before = first.clone();
        encoder.encode(TestRecords.eventWithText("another"));
        EventMessage.value(encoder, HEADER);

        assertThat(first).isEqualTo(before);
    }

    @Test
    void whatIsNoMessageIsSaid() {
        assertRefused(new byte[0], 0, "it has 0 bytes, fewer than the 10 of a header");
        assertRefused("a text that somebody sent".getBytes(StandardCharsets.UTF_8), 0, "it begins with 6120 and not");
        encoder.encode(TestRecords.eventWithText("text"));
        byte[] value = EventMessage.value(encoder, HEADER);
        value[5] ^= 1;
        assertRefused(value, 2, "another version has written it, or it is none of ours");
        assertRefused(
                MetadataMessage.value(TestRecords.metadata().get(0), MessageFraming.SINGLE_OBJECT),
                10,
                "it holds a Capture, which belongs in the topic of metadata");
    }

    @Test
    void onlyExceptionsOfTheFormatComeOutOfDamagedValues() {
        EventView view = new EventView();
        for (int i = 0; i < 20_000; i++) {
            encoder.encode(TestRecords.event(random));
            byte[] value = Mutation.of(EventMessage.value(encoder, HEADER), random);
            try {
                view.wrap(value, EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT), value.length);
            } catch (MessageFormatException e) {
                assertThat(e.position()).isBetween(0, value.length);
            } catch (MalformedEventException e) {
                assertThat(e.position()).isBetween(0, value.length);
            } catch (SchemaRegistryException e) {
                assertThat(value[0]).isZero();
            }
        }
    }

    private static void assertRefused(byte[] value, int position, String reason) {
        assertThatThrownBy(() -> EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT))
                .as(Arrays.toString(value))
                .isInstanceOfSatisfying(
                        MessageFormatException.class,
                        e -> assertThat(e.position()).isEqualTo(position))
                .hasMessageContaining(reason);
    }
}
