package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.TestRecords;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.format.FormatVersion;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recordings of other versions. */
class OtherVersionTest {
    private static final String THIS =
            ", and this is Probestream development, which reads format " + FormatVersion.CURRENT.major() + ".x; ";
    private static final String UPDATE = "update Probestream to 3.1.0 or newer";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"4.0", "17.4", "4", "next"})
    void aNewerFormatIsRefusedInOneSentence(String format) throws IOException {
        Path file = recording(format, Recording.SCHEMA$);
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .isInstanceOf(RecordingFormatException.class)
                .hasMessage("cannot read " + file + " (byte 4): it has format " + format
                        + ", written by Probestream 3.1.0" + THIS + UPDATE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "0.1"})
    void anOlderFormatIsRefusedInOneSentence(String format) throws IOException {
        Path file = recording(format, Recording.SCHEMA$);
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .isInstanceOf(RecordingFormatException.class)
                .hasMessage("cannot read " + file + " (byte 4): it has format " + format
                        + ", written by Probestream 3.1.0" + THIS + "read it with Probestream 3.1.0, or record again");
    }

    @Test
    void aRecordingThatStatesNoFormatIsRefused() throws IOException {
        Path file = folder.resolve("unstamped.avro");
        AvroFile.write(file, Recording.SCHEMA$, CodecFactory.nullCodec(), List.of(), new FormatStamp("", ""));
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .hasMessage("cannot read " + file + " (byte 4): it states no format" + THIS
                        + "read it with the Probestream that wrote it, or record again");
    }

    @Test
    void aNewerMinorVersionIsReadWithoutItsNewFields() throws IOException {
        Path file = folder.resolve("minor.avro");
        Event event = TestRecords.event(new SplittableRandom(9));
        AvroFile.writeNewerEvents(file, CodecFactory.nullCodec(), List.of(event), new FormatStamp("3.7", "3.1.0"));

        CollectingHandler handler = new CollectingHandler();
        assertThat(RecordingReader.read(file, handler).events()).isEqualTo(1);
        assertThat(handler.records()).containsExactly(event);
    }

    @Test
    void anUnknownKindOfANewerMinorVersionIsRefusedLikeANewerFormat() throws IOException {
        List<Schema> kinds = new ArrayList<>(AvroFile.kinds());
        kinds.add(Schema.createRecord("Mystery", null, "dev.probestream.schema.record", false, List.of()));
        Path file = recording("3.3", AvroFile.recordingOf(kinds));
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .hasMessageContaining("it has format 3.3, written by Probestream 3.1.0" + THIS + UPDATE);
    }

    private Path recording(String format, Schema schema) throws IOException {
        Path file = folder.resolve("newer.avro");
        AvroFile.write(file, schema, CodecFactory.nullCodec(), List.of(), new FormatStamp(format, "3.1.0"));
        return file;
    }
}
