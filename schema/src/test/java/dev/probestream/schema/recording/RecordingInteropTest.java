package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Our files read by Avro alone, Avro's files read by us, and files of other versions. */
class RecordingInteropTest {
    @TempDir
    private Path folder;

    @Test
    void plainAvroReadsWhatTheWriterWrites() throws IOException {
        Path file = folder.resolve("ours.avro");
        List<SpecificRecord> written = records(5_000);
        write(file, written);

        List<String> read = new ArrayList<>();
        try (DataFileReader<GenericRecord> reader = new DataFileReader<>(file.toFile(), new GenericDatumReader<>())) {
            assertThat(reader.getMetaString("avro.codec")).isEqualTo("zstandard");
            assertThat(reader.getMetaString("probestream.format")).isEqualTo("3.0");
            assertThat(reader.getMetaString("probestream.program")).isNotEmpty();
            assertThat(reader.getSchema()).isEqualTo(Recording.SCHEMA$);
            reader.forEach(recording -> read.add(String.valueOf(recording.get("content"))));
        }
        assertThat(read)
                .containsExactlyElementsOf(written.stream().map(String::valueOf).toList());
    }

    @Test
    void theReaderReadsWhatTheWriterWrites() throws IOException {
        Path file = folder.resolve("ours.avro");
        List<SpecificRecord> written = records(5_000);
        write(file, written);

        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(file, handler);
        assertThat(handler.records()).containsExactlyElementsOf(written);
        assertThat(outcome.isWhole()).isTrue();
        assertThat(outcome.events()).isEqualTo(5_000);
        assertThat(outcome.otherRecords()).isEqualTo(TestRecords.metadata().size());
        assertThat(outcome.blocks()).isGreaterThan(1);
        assertThat(outcome.skippedBytes()).isZero();
    }

    static Stream<CodecFactory> codecs() {
        return Stream.of(
                CodecFactory.nullCodec(),
                CodecFactory.deflateCodec(6),
                CodecFactory.zstandardCodec(1, false),
                CodecFactory.zstandardCodec(3, true));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void theReaderReadsWhatPlainAvroWrites(CodecFactory codec) throws IOException {
        Path file = folder.resolve("avro.avro");
        List<SpecificRecord> written = records(3_000);
        AvroFile.write(file, Recording.SCHEMA$, codec, written);

        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(file, handler);
        assertThat(handler.records()).containsExactlyElementsOf(written);
        assertThat(outcome.isWhole()).isTrue();
    }

    @Test
    void aBlockLargerThanTheFirstBufferIsRead() throws IOException {
        Path file = folder.resolve("large.avro");
        List<SpecificRecord> written = List.of(TestRecords.eventWithText("x".repeat(5_000_000)));
        write(file, written);

        CollectingHandler handler = new CollectingHandler();
        assertThat(RecordingReader.read(file, handler).isWhole()).isTrue();
        assertThat(handler.records()).containsExactlyElementsOf(written);
    }

    @Test
    void aCodecThatIsNotSupportedIsNamed() throws IOException {
        Path file = folder.resolve("bzip2.avro");
        AvroFile.write(file, Recording.SCHEMA$, CodecFactory.bzip2Codec(), List.of());
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .isInstanceOf(RecordingFormatException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("compressed with 'bzip2'")
                .hasMessageContaining("recodec");
    }

    @Test
    void anOlderVersionThatLacksKindsOfRecordsIsRead() throws IOException {
        Path file = folder.resolve("older.avro");
        List<Schema> kinds = new ArrayList<>(AvroFile.kinds());
        kinds.remove(kinds.size() - 1);
        kinds.add(kinds.remove(0));
        List<SpecificRecord> written = records(200).stream()
                .filter(record -> kinds.contains(record.getSchema()))
                .toList();
        AvroFile.write(file, AvroFile.recordingOf(kinds), CodecFactory.nullCodec(), written);

        CollectingHandler handler = new CollectingHandler();
        assertThat(RecordingReader.read(file, handler).isWhole()).isTrue();
        assertThat(handler.records()).containsExactlyElementsOf(written);
    }

    @Test
    void anEventWithMoreFieldsIsReadWithoutThem() throws IOException {
        Path file = folder.resolve("newer-event.avro");
        Event event = TestRecords.event(new SplittableRandom(9));
        AvroFile.writeNewerEvents(file, CodecFactory.nullCodec(), List.of(event));

        CollectingHandler handler = new CollectingHandler();
        assertThat(RecordingReader.read(file, handler).events()).isEqualTo(1);
        assertThat(handler.records()).containsExactly(event);
    }

    @Test
    void aNewerVersionWithKindsThatWeDoNotKnowIsRefused() throws IOException {
        Path file = folder.resolve("newer.avro");
        List<Schema> kinds = new ArrayList<>(AvroFile.kinds());
        kinds.add(Schema.createRecord("Mystery", null, "dev.probestream.schema.record", false, List.of()));
        AvroFile.write(file, AvroFile.recordingOf(kinds), CodecFactory.nullCodec(), records(1));
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .isInstanceOf(RecordingFormatException.class)
                .hasMessageContaining("a schema that this Probestream (format 3.0) does not know")
                .hasMessageContaining("although its header says format 3.0");
    }

    @Test
    void recordsPrintAndCompareWithoutAnyTrustedPackage() {
        assertThat(TestRecords.metadata()).isEqualTo(TestRecords.metadata());
        assertThat(TestRecords.metadata().toString()).contains("uv_fs_open");
        Clock clock = Clock.newBuilder()
                .setCaptureId(1)
                .setMonotonicNs(2)
                .setRealtimeNs(3)
                .setBoottimeNs(4)
                .build();
        assertThat(clock).isEqualTo(new Clock(1L, 2L, 3L, 4L)).hasSameHashCodeAs(new Clock(1L, 2L, 3L, 4L));
    }

    /** Events, with the metadata spread among them. */
    private static List<SpecificRecord> records(int events) {
        SplittableRandom random = new SplittableRandom(1);
        List<SpecificRecord> records = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            records.add(TestRecords.event(random));
        }
        for (SpecificRecord record : TestRecords.metadata()) {
            records.add(random.nextInt(records.size() + 1), record);
        }
        return records;
    }

    /** Events through the encoder, the rest as records. */
    private static void write(Path file, List<SpecificRecord> records) throws IOException {
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            for (SpecificRecord record : records) {
                if (record instanceof Event event) {
                    encoder.encode(event);
                    writer.append(encoder);
                } else {
                    writer.append(record);
                }
            }
        }
    }
}
