package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.Mutation;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.recording.CollectingHandler;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MetadataMessageTest {
    static List<SpecificRecord> records() {
        return TestRecords.metadata();
    }

    @ParameterizedTest
    @MethodSource("records")
    void aRecordComesBackFromItsMessage(SpecificRecord record) throws IOException {
        CollectingHandler handler = new CollectingHandler();

        MetadataMessage.read(
                MetadataMessage.value(record, MessageFraming.SINGLE_OBJECT), MessageFraming.SINGLE_OBJECT, handler);

        assertThat(handler.records()).containsExactly(record);
        assertThat(MetadataMessage.captureId(MetadataMessage.key(record, 5))).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("records")
    void theValueIsByteForByteWhatAvroWrites(SpecificRecord record) throws IOException {
        ByteBuffer avro = new BinaryMessageEncoder<>(SpecificData.get(), record.getSchema()).encode(record);

        assertThat(ByteBuffer.wrap(MetadataMessage.value(record, MessageFraming.SINGLE_OBJECT)))
                .isEqualTo(avro);
    }

    @ParameterizedTest
    @MethodSource("records")
    void plainAvroReadsTheValueWithThePublishedSchema(SpecificRecord record) throws IOException {
        String resource = "/dev/probestream/schema/" + record.getSchema().getName() + ".avsc";
        Schema published = new Schema.Parser().parse(MetadataMessage.class.getResourceAsStream(resource));
        BinaryMessageDecoder<GenericRecord> avro = new BinaryMessageDecoder<>(new GenericData(), published);

        assertThat(avro.decode(MetadataMessage.value(record, MessageFraming.SINGLE_OBJECT)))
                .hasToString(record.toString());
    }

    @ParameterizedTest
    @MethodSource("records")
    void aKeyIsNumberedIfTheRunningNumberIsInIt(SpecificRecord record) {
        byte[] key = MetadataMessage.key(record, 5);

        assertThat(MetadataMessage.isNumbered(new String(key, StandardCharsets.US_ASCII)))
                .isEqualTo(!Arrays.equals(key, MetadataMessage.key(record, 6)));
    }

    @Test
    void laterRecordsReplaceThoseOfTheSameThingOnly() {
        Process process = new Process(7L, 42, 1, 0, "sh", "/bin/sh", List.of("sh"), 500L, -1L, -1);
        Process ended =
                Process.newBuilder(process).setName("node").setEndNs(900L).build();
        Process ofTheSamePid = Process.newBuilder(process).setStartNs(1_000L).build();

        assertThat(key(ended, 2)).isEqualTo(key(process, 1)).isEqualTo("7/process/42/500");
        assertThat(key(ofTheSamePid, 3)).isNotEqualTo(key(process, 1));
        Clock clock = new Clock(7L, 1L, 2L, 3L);
        assertThat(key(clock, 1)).isNotEqualTo(key(clock, 2));
    }

    @Test
    void aRecordOfAnotherVersionsSchemaIsRefusedInOneSentence() throws IOException {
        Schema other = new Schema.Parser()
                .parse(CaptureEnd.SCHEMA$
                        .toString()
                        .replace("{\"name\":\"lost\"", "{\"name\":\"old\",\"type\":\"int\"},{\"name\":\"lost\""));
        GenericData.Record written = new GenericData.Record(other);
        CaptureEnd end = new CaptureEnd(7L, 3_000L, "the time was up", 5L, 17L);
        CaptureEnd.SCHEMA$.getFields().forEach(field -> written.put(field.name(), end.get(field.pos())));
        written.put("old", 1);
        ByteBuffer message = new BinaryMessageEncoder<>(new GenericData(), other).encode(written);
        byte[] value = new byte[message.remaining()];
        message.get(value);

        assertThatThrownBy(() -> MetadataMessage.read(value, MessageFraming.SINGLE_OBJECT, new CollectingHandler()))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining(
                        "is unknown to this Probestream: another version has written it, or it is none of ours;"
                                + " update this Probestream if that one is newer, else record again with this one");
    }

    @Test
    void anEventDoesNotBelongHere() {
        EventEncoder encoder = new EventEncoder();
        Event event = TestRecords.eventWithText("text");
        encoder.encode(event);

        assertThatThrownBy(() -> MetadataMessage.read(
                        EventMessage.value(encoder, EventMessage.header(MessageFraming.SINGLE_OBJECT)),
                        MessageFraming.SINGLE_OBJECT,
                        new CollectingHandler()))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("it holds an Event, which belongs in the topic of events");
        assertThatThrownBy(() -> MetadataMessage.key(event, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MetadataMessage.value(
                        new dev.probestream.schema.record.Recording(event), MessageFraming.SINGLE_OBJECT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void foreignKeysAreSaid() {
        for (String key : List.of("", "7", "/capture", "x/capture", "99999999999999999999/end", "7 /end")) {
            assertThatThrownBy(() -> MetadataMessage.captureId(key.getBytes(StandardCharsets.UTF_8)))
                    .as(key)
                    .isInstanceOf(MessageFormatException.class);
        }
    }

    @Test
    void onlyExceptionsOfTheFormatComeOutOfDamagedMessages() throws IOException {
        SplittableRandom random = new SplittableRandom(32);
        CollectingHandler handler = new CollectingHandler();
        for (int i = 0; i < 20_000; i++) {
            SpecificRecord record = records().get(i % records().size());
            byte[] value = Mutation.of(MetadataMessage.value(record, MessageFraming.SINGLE_OBJECT), random);
            byte[] key = Mutation.of(MetadataMessage.key(record, i), random);
            try {
                MetadataMessage.read(value, MessageFraming.SINGLE_OBJECT, handler);
            } catch (MessageFormatException e) {
                assertThat(e.position()).isBetween(0, value.length);
            } catch (SchemaRegistryException e) {
                assertThat(value[0]).isZero();
            }
            try {
                MetadataMessage.captureId(key);
            } catch (MessageFormatException e) {
                assertThat(e.position()).isBetween(0, key.length);
            }
        }
        assertThat(handler.records()).isNotEmpty();
    }

    @Test
    void anExceptionOfTheHandlerPassesUnchanged() {
        IOException own = new IOException("the output is full");
        assertThatThrownBy(() -> MetadataMessage.read(
                        MetadataMessage.value(records().get(0), MessageFraming.SINGLE_OBJECT),
                        MessageFraming.SINGLE_OBJECT,
                        new RecordingHandler() {
                            @Override
                            public void capture(dev.probestream.schema.record.Capture capture) throws IOException {
                                throw own;
                            }
                        }))
                .isSameAs(own);
    }

    private static String key(SpecificRecord record, long runningNumber) {
        return new String(MetadataMessage.key(record, runningNumber), StandardCharsets.UTF_8);
    }
}
