package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.record.Clock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no recordings. */
class NotARecordingTest {
    @TempDir
    private Path folder;

    @Test
    void aMissingFileIsSaid() {
        assertThatThrownBy(() -> read(folder.resolve("nowhere.avro")))
                .isInstanceOf(RecordingException.class)
                .hasMessage("cannot open recording " + folder.resolve("nowhere.avro") + ": No such file or directory");
    }

    @Test
    void aFolderIsSaid() {
        assertThatThrownBy(() -> read(folder))
                .isInstanceOf(RecordingException.class)
                .hasMessageContaining("not a regular file");
    }

    @Test
    void anEmptyFileIsSaid() throws IOException {
        assertRefused(new byte[0], 0, "the file is empty");
    }

    @Test
    void aTextFileIsSaid() throws IOException {
        assertRefused("Object oriented".getBytes(StandardCharsets.UTF_8), 3 - 1, "this is not an Avro file");
    }

    @Test
    void anAvroFileOfOtherRecordsIsSaid() throws IOException {
        Path file = folder.resolve("clocks.avro");
        try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(Clock.SCHEMA$))) {
            writer.create(Clock.SCHEMA$, file.toFile());
        }
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(RecordingFormatException.class)
                .hasMessageContaining("it holds Clock and not recorded events");
    }

    @Test
    void aHeaderWithoutASchemaIsSaid() throws IOException {
        assertRefused(header("avro.codec", "null"), 4, "its header has no avro.schema");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{", "null", "[]", "{\"type\":\"record\"}", "{\"type\":7}", "\"nosuch\"", "[[[[]]]]", "{}"})
    void aSchemaThatIsNoneIsSaid(String schema) throws IOException {
        Path file = folder.resolve("schema.avro");
        Files.write(file, header("avro.schema", schema));
        assertThatThrownBy(() -> read(file)).isInstanceOf(RecordingFormatException.class);
    }

    @Test
    void aSchemaThatIsNestedEndlesslyIsSaid() throws IOException {
        String arrays = "{\"type\":\"array\",\"items\":".repeat(20_000);
        assertRefused(header("avro.schema", arrays), 4, "is not an Avro schema");
    }

    @Test
    void lengthsBeyondTheHeaderAreNotBelieved() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {'O', 'b', 'j', 1});
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);
        encoder.writeLong(1);
        encoder.writeLong(Integer.MAX_VALUE - 100);
        encoder.writeFixed(new byte[64]);
        assertRefused(bytes.toByteArray(), 4, "the file ends inside its header");
    }

    private static byte[] header(String key, String value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {'O', 'b', 'j', 1});
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);
        encoder.writeMapStart();
        encoder.setItemCount(1);
        encoder.startItem();
        encoder.writeString(key);
        encoder.writeBytes(value.getBytes(StandardCharsets.UTF_8));
        encoder.writeMapEnd();
        encoder.writeFixed(new byte[16]);
        return bytes.toByteArray();
    }

    private void assertRefused(byte[] content, long position, String reason) throws IOException {
        Path file = folder.resolve("foreign");
        Files.write(file, content);
        assertThatThrownBy(() -> read(file))
                .isInstanceOfSatisfying(
                        RecordingFormatException.class,
                        e -> assertThat(e.positionInFile()).isGreaterThanOrEqualTo(position))
                .hasMessageContaining(file + " (byte ")
                .hasMessageContaining(reason);
    }

    private static ReadOutcome read(Path file) throws IOException {
        return RecordingReader.read(file, new CollectingHandler());
    }
}
