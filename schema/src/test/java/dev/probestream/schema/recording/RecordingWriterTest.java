package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RecordingWriterTest {
    /** Above what the zstd library needs when it unpacks itself into a temporary file. */
    private static final int FILE_LIMIT_KIB = 4096;

    @TempDir
    private Path folder;

    @Test
    @Timeout(60)
    void aFullDiskLeavesAllWholeBlocks() throws Exception {
        Path file = folder.resolve("full.avro");
        Process child = RecordingChild.start(file, String.valueOf(FILE_LIMIT_KIB));
        List<String> said;
        try (BufferedReader output = RecordingChild.output(child)) {
            said = output.lines().toList();
        } finally {
            child.destroyForcibly();
        }

        List<String> end = said.subList(said.size() - 4, said.size());
        assertThat(end.get(0))
                .startsWith("cannot write to recording " + file + ": File too large; the file was cut back to its last "
                        + "whole block (" + end.get(1) + " bytes) and stays valid; free space");
        assertThat(end.get(2)).startsWith("recording " + file + " takes no more records: cannot write to");
        assertThat(end.get(3)).isEqualTo("closed");
        assertThat(Files.size(file)).isEqualTo(Long.parseLong(end.get(1))).isLessThanOrEqualTo(FILE_LIMIT_KIB * 1024L);

        long flushed = Long.parseLong(said.get(said.size() - 5));
        ReadOutcome outcome = RecordingReader.read(file, new RecordingHandler() {});
        assertThat(outcome.isWhole()).isTrue();
        assertThat(outcome.events()).isGreaterThanOrEqualTo(flushed).isEqualTo(countByAvro(file));
    }

    @Test
    @Timeout(60)
    void aKilledWriterLosesNothingThatWasFlushed() throws Exception {
        SplittableRandom random = new SplittableRandom();
        for (int round = 0; round < 3; round++) {
            Path file = folder.resolve("killed" + round + ".avro");
            Process child = RecordingChild.start(file, "unlimited");
            long flushed = 0;
            try (BufferedReader output = RecordingChild.output(child)) {
                for (int lines = 1 + random.nextInt(200); lines > 0; lines--) {
                    flushed = Long.parseLong(output.readLine());
                }
            } finally {
                child.destroyForcibly().waitFor();
            }
            ReadOutcome outcome = RecordingReader.read(file, new RecordingHandler() {});
            assertThat(outcome.events()).isGreaterThanOrEqualTo(flushed);
            assertThat(outcome.damages()).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void anInterruptedThreadGoesOnRecordingAndReading() throws IOException {
        Path file = folder.resolve("interrupted.avro");
        try {
            try (RecordingWriter writer = RecordingWriter.create(file)) {
                Thread.currentThread().interrupt();
                writer.append(new Clock(1L, 2L, 3L, 4L));
                writer.flush();
                writer.append(new Clock(1L, 2L, 3L, 4L));
            }
            assertThat(RecordingReader.read(file, new RecordingHandler() {}).records())
                    .isEqualTo(2);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void flushedRecordsAreReadableWhileTheWriterIsOpen() throws IOException {
        Path file = folder.resolve("open.avro");
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            assertThat(RecordingReader.read(file, new RecordingHandler() {}).isWhole())
                    .isTrue();
            writer.append(new Clock(1L, 2L, 3L, 4L));
            writer.flush();
            writer.append(new Clock(1L, 2L, 3L, 4L));
            ReadOutcome outcome = RecordingReader.read(file, new RecordingHandler() {});
            assertThat(outcome.records()).isEqualTo(1);
            assertThat(outcome.isWhole()).isTrue();
            assertThat(writer.sizeBytes()).isEqualTo(Files.size(file));
        }
    }

    @Test
    void anExistingFileIsReplaced() throws IOException {
        Path file = folder.resolve("old.avro");
        Files.write(file, new byte[1_000_000]);
        RecordingWriter.create(file).close();
        ReadOutcome outcome = RecordingReader.read(file, new RecordingHandler() {});
        assertThat(outcome.isWhole()).isTrue();
        assertThat(outcome.records()).isZero();
    }

    @Test
    void aFileThatCannotBeCreatedIsSaid() {
        Path file = folder.resolve("nowhere").resolve("a.avro");
        assertThatThrownBy(() -> RecordingWriter.create(file))
                .isInstanceOf(RecordingException.class)
                .hasMessage("cannot create recording " + file + ": No such file or directory; name a file in a folder "
                        + "that exists and that you may write to");
        assertThatThrownBy(() -> RecordingWriter.create(folder))
                .isInstanceOf(RecordingException.class)
                .hasMessageContaining("Is a directory");
    }

    @Test
    void whatARecordingCannotHoldIsRefused() throws IOException {
        Path file = folder.resolve("a.avro");
        EventEncoder encoder = new EventEncoder();
        RecordingWriter writer = RecordingWriter.create(file);
        try (writer) {
            assertThatThrownBy(() -> writer.append(new Argument("a", "str", "", FlowStep.NONE, Map.of())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot hold a dev.probestream.schema.record.Argument");
            encoder.begin(1, 2, 3, 4, 5, 6, 7, 8, EventKind.SPAN);
            assertThatThrownBy(() -> writer.append(encoder)).isInstanceOf(IllegalStateException.class);
            encoder.encode(TestRecords.eventWithText("x".repeat(17 << 20)));
            assertThatThrownBy(() -> writer.append(encoder))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("16777216");
        }
        writer.close();
        assertThatThrownBy(writer::flush).isInstanceOf(IllegalStateException.class);
        assertThat(RecordingReader.read(file, new RecordingHandler() {}).isWhole())
                .isTrue();
    }

    private static long countByAvro(Path file) throws IOException {
        long count = 0;
        try (DataFileReader<GenericRecord> reader = new DataFileReader<>(file.toFile(), new GenericDatumReader<>())) {
            while (reader.hasNext()) {
                reader.next();
                count++;
            }
        }
        return count;
    }
}
