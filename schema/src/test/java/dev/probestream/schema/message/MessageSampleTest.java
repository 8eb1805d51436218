package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.recording.CollectingHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** One message of each kind as it stands on the wire: a change of it is a new version of the format. */
class MessageSampleTest {
    private static final String SAMPLE = "/messages/messages.txt";

    @Test
    void messagesAreWrittenAsInTheSample() throws IOException {
        String written = sample();
        Path copy = Files.createDirectories(Path.of("target", "published")).resolve("messages.txt");
        Files.writeString(copy, written);

        assertThat(resource())
                .as("its new content is in %s", copy.toAbsolutePath())
                .isEqualTo(written);
    }

    @Test
    void messagesOfTheSampleAreRead() throws IOException {
        List<SpecificRecord> expected = new ArrayList<>(TestRecords.metadata());
        expected.add(0, TestRecords.eventWithText("text"));
        assertThat(read()).isEqualTo(expected);
    }

    private static List<SpecificRecord> read() throws IOException {
        CollectingHandler handler = new CollectingHandler();
        for (String line :
                resource().lines().filter(text -> text.startsWith("value ")).toList()) {
            byte[] value = HexFormat.of().parseHex(line.replaceAll("value |\\s", ""));
            if (handler.records().isEmpty()) {
                EventView view = new EventView();
                view.wrap(value, EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT), value.length);
                handler.event(view);
            } else {
                MetadataMessage.read(value, MessageFraming.SINGLE_OBJECT, handler);
            }
        }
        return handler.records();
    }

    private static String sample() {
        StringBuilder text = new StringBuilder();
        EventEncoder encoder = new EventEncoder();
        SpecificRecord event = TestRecords.eventWithText("text");
        encoder.encode(TestRecords.eventWithText("text"));
        append(
                text,
                event,
                EventMessage.key(7, encoder.pid()),
                EventMessage.value(encoder, EventMessage.header(MessageFraming.SINGLE_OBJECT)));
        long number = 0;
        for (SpecificRecord record : TestRecords.metadata()) {
            append(
                    text,
                    record,
                    MetadataMessage.key(record, number++),
                    MetadataMessage.value(record, MessageFraming.SINGLE_OBJECT));
        }
        return text.toString();
    }

    /** The record as JSON, the key as text, and the value: marker, fingerprint, body. */
    private static void append(StringBuilder text, SpecificRecord record, byte[] key, byte[] value) {
        HexFormat hex = HexFormat.of();
        text.append("# ")
                .append(record.getSchema().getName())
                .append(' ')
                .append(record)
                .append('\n');
        text.append("key   ").append(new String(key, StandardCharsets.UTF_8)).append('\n');
        text.append("value ").append(hex.formatHex(value, 0, 2)).append(' ').append(hex.formatHex(value, 2, 10));
        text.append(' ').append(hex.formatHex(value, 10, value.length)).append("\n\n");
    }

    private static String resource() throws IOException {
        try (InputStream sample = MessageSampleTest.class.getResourceAsStream(SAMPLE)) {
            assertThat(sample).as(SAMPLE).isNotNull();
            return new String(sample.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
