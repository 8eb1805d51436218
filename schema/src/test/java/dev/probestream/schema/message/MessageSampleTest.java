package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.Frames;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
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

/** One message of each kind as it stood on the wire: what is in topics must stay readable. */
class MessageSampleTest {
    private static final String SAMPLE = "/messages/v5.txt";
    private static final String FOURTH = "/messages/v4.txt";
    private static final String THIRD = "/messages/v3.txt";
    private static final String SECOND = "/messages/v2.txt";
    private static final String FIRST = "/messages/v1.txt";

    @Test
    void messagesAreWrittenAsInTheSample() throws IOException {
        String written = sample();
        Path copy = Files.createDirectories(Path.of("target", "published")).resolve("messages.txt");
        Files.writeString(copy, written);

        assertThat(resource(SAMPLE))
                .as("its new content is in %s", copy.toAbsolutePath())
                .isEqualTo(written);
    }

    @Test
    void messagesOfTheSampleAreRead() throws IOException {
        List<SpecificRecord> expected = new ArrayList<>(TestRecords.metadata());
        expected.add(0, TestRecords.eventWithText("text"));
        assertThat(read(SAMPLE)).isEqualTo(expected);
    }

    @Test
    void messagesOfTheFirstVersionAreRead() throws IOException {
        List<SpecificRecord> expected = ofFormat1();
        ((Probe) expected.get(2)).setRole("");
        ((Stack) expected.get(5)).getFrames().subList(1, 3).clear();
        assertThat(read(FIRST)).isEqualTo(withoutEnd(expected));
    }

    @Test
    void messagesOfTheSecondVersionAreRead() throws IOException {
        List<SpecificRecord> expected = ofFormat1();
        List<Frame> frames = ((Stack) expected.get(5)).getFrames();
        frames.subList(1, 3).clear();
        frames.add(Frames.of("load", "", 0x7f00_1234L, FrameKind.JS, "/srv/app.js", 12));
        assertThat(read(SECOND)).isEqualTo(withoutEnd(expected));
    }

    @Test
    void messagesOfTheThirdVersionAreRead() throws IOException {
        assertThat(read(THIRD)).isEqualTo(withoutEnd(ofFormat1()));
    }

    @Test
    void messagesOfTheFourthVersionAreRead() throws IOException {
        assertThat(read(FOURTH)).isEqualTo(ofFormat1());
    }

    /** Format 1 had no sums, gaps and costs, and no derived ends. */
    private static List<SpecificRecord> ofFormat1() {
        List<SpecificRecord> records = new ArrayList<>(TestRecords.metadata());
        records.add(0, TestRecords.eventWithText("text"));
        records.removeIf(record -> record instanceof HitSummary || record instanceof Gap || record instanceof Cost);
        ((Probe) records.get(2)).setIsEndDerived(false);
        return records;
    }

    /** Before version 4 it was not recorded how a process ended; the samples of those versions have one that runs. */
    private static List<SpecificRecord> withoutEnd(List<SpecificRecord> records) {
        Process process = (Process) records.get(3);
        process.setEndNs(-1);
        process.setWaitStatus(-1);
        return records;
    }

    private static List<SpecificRecord> read(String sample) throws IOException {
        CollectingHandler handler = new CollectingHandler();
        for (String line : resource(sample)
                .lines()
                .filter(text -> text.startsWith("value "))
                .toList()) {
            byte[] value = HexFormat.of().parseHex(line.replaceAll("value |\\s", ""));
            if (handler.records().isEmpty()) {
                EventView view = new EventView();
                view.wrap(value, EventMessage.bodyOffset(value), value.length);
                handler.event(view);
            } else {
                MetadataMessage.read(value, handler);
            }
        }
        return handler.records();
    }

    private static String sample() {
        StringBuilder text = new StringBuilder();
        EventEncoder encoder = new EventEncoder();
        SpecificRecord event = TestRecords.eventWithText("text");
        encoder.encode(TestRecords.eventWithText("text"));
        append(text, event, EventMessage.key(7, encoder.pid()), EventMessage.value(encoder));
        long number = 0;
        for (SpecificRecord record : TestRecords.metadata()) {
            append(text, record, MetadataMessage.key(record, number++), MetadataMessage.value(record));
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

    private static String resource(String name) throws IOException {
        try (InputStream sample = MessageSampleTest.class.getResourceAsStream(name)) {
            assertThat(sample).as(name).isNotNull();
            return new String(sample.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
