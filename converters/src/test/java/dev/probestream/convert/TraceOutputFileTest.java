package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceOutputFileTest {
    @TempDir
    private Path folder;

    TraceOutputFileTest() {
        folder = Path.of("");
    }

    @Test
    void endingThatSaysNoFormatIsRefused() {
        assertThatThrownBy(() -> TraceFormat.check(folder.resolve("trace.txt")))
                .isInstanceOf(ConversionException.class)
                .hasMessage("cannot write " + folder.resolve("trace.txt")
                        + ": the suffix selects no trace format; use .pftrace (Perfetto), .json or .json.gz (Chrome),"
                        + " or name a folder (Parquet)");
    }

    @Test
    void folderThatDoesNotExistIsNamed() {
        Path missing = folder.resolve("no/such/folder");
        assertThatThrownBy(() -> TraceFormat.check(missing.resolve("x.json")))
                .isInstanceOf(ConversionException.class)
                .hasMessage("cannot write " + missing.resolve("x.json") + ": the folder " + missing
                        + " does not exist; create it first");
    }

    @Test
    void folderInPlaceOfTheFileIsRefused() throws IOException {
        Path taken = Files.createDirectory(folder.resolve("x.json"));
        assertThatThrownBy(() -> TraceFormat.check(taken)).hasMessageContaining("it is a folder");
    }

    @Test
    void fullDiskIsSaidWithWhatToDo() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Path place = folder.resolve("x.pftrace");
        assertThatThrownBy(() -> new CheckedOutput(place, full).write(new byte[5], 0, 5))
                .isInstanceOf(ConversionException.class)
                .hasMessage(
                        "cannot write " + place + ": No space left on device; free some space or choose another folder;"
                                + " the recording is untouched and can be converted again");
    }

    @Test
    void earlierTraceStaysUntilTheNewOneIsWhole() throws IOException {
        Path place = folder.resolve("x.json");
        Files.writeString(place, "old");
        try (TraceFile file = TraceFile.create(place, TraceFormat.CHROME)) {
            file.out().write(new byte[] {'n', 'e', 'w'}, 0, 3);
            assertThat(place).hasContent("old");
            assertThat(file.complete()).isEqualTo(3);
        }
        assertThat(place).hasContent("new");
    }

    @Test
    void failedConversionLeavesTheEarlierTraceAndNothingElse() throws IOException {
        Path place = folder.resolve("x.json");
        Files.writeString(place, "old");
        try (TraceFile file = TraceFile.create(place, TraceFormat.CHROME)) {
            file.out().write(new byte[] {'n', 'e', 'w'}, 0, 3);
        }
        assertThat(place).hasContent("old");
        assertThat(folder).isDirectoryNotContaining(file -> !file.equals(place));
    }

    @Test
    void progressIsToldForBothReadings() throws IOException {
        Path file = folder.resolve("many.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            for (int i = 0; i < 70_000; i++) {
                recording.instant(1, TestRecording.START_NS + i);
            }
        }
        List<String> reported = new ArrayList<>();
        Conversion.run(
                List.of(file),
                folder.resolve("x.json"),
                RecordingRange.ALL,
                (pass, events) -> reported.add(pass + ":" + events));
        assertThat(reported).containsExactly("1:65536", "2:65536");
    }
}
