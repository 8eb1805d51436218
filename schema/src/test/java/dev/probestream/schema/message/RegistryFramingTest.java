package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import dev.probestream.schema.EventCodecTest;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.message.RegistryFraming.Subjects;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.recording.CollectingHandler;
import dev.probestream.schema.registry.CannedRegistry;
import dev.probestream.schema.registry.CannedRegistry.Answer;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegistryFramingTest {
    /** Of the first schema. The ids that follow need all four bytes. */
    private static final int FIRST_ID = 0x01020380;

    private static final Topics TOPICS = Topics.ofPrefix("t");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What was registered, in JSON; the index is the id from the first on. */
    private final List<String> schemas = new ArrayList<>();

    private CannedRegistry registry;

    @BeforeEach
    void start() throws IOException {
        registry = CannedRegistry.start(this::answer);
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    private Answer answer(String request) {
        try {
            if (request.startsWith("POST ")) {
                schemas.add(JSON.readTree(request.substring(request.indexOf('{')))
                        .path("schema")
                        .textValue());
                return new Answer(200, "{\"id\":" + (FIRST_ID + schemas.size() - 1) + "}");
            }
            int id = Integer.parseInt(request.substring(request.lastIndexOf('/') + 1));
            return new Answer(
                    200,
                    JSON.createObjectNode()
                            .put("schema", schemas.get(id - FIRST_ID))
                            .toString());
        } catch (IOException e) {
            return new Answer(500, "{}");
        }
    }

    private RegistryFraming registered() throws IOException {
        return RegistryFraming.registered(registry.client(), TOPICS, Subjects.TOPIC_RECORD);
    }

    private static byte[] event(MessageFraming framing, Event event) {
        EventEncoder encoder = new EventEncoder();
        encoder.encode(event);
        return EventMessage.value(encoder, EventMessage.header(framing));
    }

    @Test
    void eachSchemaIsRegisteredUnderTopicAndRecord() throws IOException {
        registered();

        assertThat(registry.requests())
                .hasSize(MessageSchemas.ALL.size())
                .anyMatch(request -> request.startsWith("POST /subjects/t.events-dev.probestream.schema.record.Event/"))
                .anyMatch(request ->
                        request.startsWith("POST /subjects/t.metadata-dev.probestream.schema.record.Capture/"));
        assertThat(schemas)
                .noneMatch(schema -> schema.contains("avro.java"))
                .allSatisfy(schema -> assertThat(
                                MessageSchemas.of(SingleObject.fingerprint(new Schema.Parser().parse(schema))))
                        .isNotNull());
    }

    @Test
    void subjectsMayBeSharedByTopics() throws IOException {
        RegistryFraming.registered(registry.client(), TOPICS, Subjects.RECORD);

        assertThat(registry.requests())
                .anyMatch(request -> request.startsWith("POST /subjects/dev.probestream.schema.record.Event/"));
    }

    @Test
    void theHeaderIsZeroAndTheIdInFrontOfTheSameBody() throws IOException {
        Event event = TestRecords.eventWithText("text");
        byte[] value = event(registered(), event);
        byte[] single = event(MessageFraming.SINGLE_OBJECT, event);

        assertThat(Arrays.copyOf(value, 5)).containsExactly(0, 1, 2, 3, 0x80);
        assertThat(Arrays.copyOfRange(value, 5, value.length)).isEqualTo(Arrays.copyOfRange(single, 10, single.length));
    }

    @Test
    void aReaderLooksUpEachIdOnce() throws IOException {
        SplittableRandom random = new SplittableRandom(33);
        MessageFraming writing = registered();
        MessageFraming reading = RegistryFraming.reading(registry.client());
        EventView view = new EventView();
        CollectingHandler handler = new CollectingHandler();
        int asked = registry.requests().size();

        for (int round = 0; round < 20; round++) {
            Event event = TestRecords.event(random);
            byte[] value = event(writing, event);
            view.wrap(value, EventMessage.bodyOffset(value, reading), value.length);
            assertThat(EventCodecTest.recordOf(view)).isEqualTo(event);
            for (SpecificRecord record : TestRecords.metadata()) {
                MetadataMessage.read(MetadataMessage.value(record, writing), reading, handler);
            }
        }

        assertThat(handler.records().subList(0, TestRecords.metadata().size())).isEqualTo(TestRecords.metadata());
        assertThat(registry.requests().subList(asked, registry.requests().size()))
                .doesNotHaveDuplicates()
                .hasSizeLessThanOrEqualTo(MessageSchemas.ALL.size());
    }

    @Test
    void aValueIsAllThatIsAllocatedPerEvent() throws IOException {
        EventEncoder encoder = new EventEncoder();
        encoder.encode(TestRecords.eventWithText("text"));
        for (MessageFraming framing : List.of(MessageFraming.SINGLE_OBJECT, registered())) {
            byte[] header = EventMessage.header(framing);
            writeAndRead(encoder, header, framing, 20_000);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            writeAndRead(encoder, header, framing, 20_000);
            long perEvent = (threads.getCurrentThreadAllocatedBytes() - before) / 20_000;

            int valueBytes = header.length + encoder.length();
            assertThat(perEvent).isBetween((long) valueBytes, valueBytes + 24L);
        }
    }

    private static void writeAndRead(EventEncoder encoder, byte[] header, MessageFraming framing, int events)
            throws IOException {
        for (int i = 0; i < events; i++) {
            byte[] value = EventMessage.value(encoder, header);
            if (EventMessage.bodyOffset(value, framing) != header.length) {
                throw new AssertionError("another header");
            }
        }
    }

    @Test
    void aReaderAlsoReadsWhatWasWrittenBeforeThereWasARegistry() throws IOException {
        MessageFraming reading = RegistryFraming.reading(registry.client());
        byte[] value = event(MessageFraming.SINGLE_OBJECT, TestRecords.eventWithText("text"));

        assertThat(EventMessage.bodyOffset(value, reading)).isEqualTo(10);
    }

    @Test
    void withoutARegistryItsOptionIsNamed() throws IOException {
        byte[] value = event(registered(), TestRecords.eventWithText("text"));

        assertThatThrownBy(() -> EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageContaining("give its URL with --schema-registry");
    }

    @Test
    void aSchemaThatIsNotOursIsRefusedAsAnUnknownFingerprintIs() throws IOException {
        schemas.add("{\"type\":\"record\",\"name\":\"A\",\"fields\":[]}");
        MessageFraming reading = RegistryFraming.reading(registry.client());

        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> EventMessage.bodyOffset(new byte[] {0, 1, 2, 3, (byte) 0x80, 1}, reading))
                    .isInstanceOfSatisfying(
                            MessageFormatException.class,
                            e -> assertThat(e.isSchemaUnknown()).isTrue())
                    .hasMessageContaining(
                            "its schema (id " + FIRST_ID + " in the schema registry at "
                                    + registry.url()
                                    + ") is unknown to this Probestream: another version has written it, or it is none of ours");
        }
        assertThat(registry.requests()).hasSize(1);
    }

    @Test
    void recordsInTheWrongTopicAreRefused() throws IOException {
        MessageFraming framing = registered();
        byte[] capture = MetadataMessage.value(TestRecords.metadata().get(0), framing);
        byte[] event = event(framing, TestRecords.eventWithText("text"));

        assertThatThrownBy(() -> EventMessage.bodyOffset(capture, framing))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("it holds a Capture, which belongs in the topic of metadata");
        assertThatThrownBy(() -> MetadataMessage.read(event, framing, new CollectingHandler()))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("it holds an Event, which belongs in the topic of events");
    }
}
