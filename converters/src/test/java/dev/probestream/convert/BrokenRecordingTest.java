package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be read is said; what can be read is converted; and the trace is whole or not there. */
class BrokenRecordingTest {
    @TempDir
    private Path folder;

    BrokenRecordingTest() {
        folder = Path.of("");
    }

    @Test
    void tornTailCostsNoMoreThanIsTorn() throws IOException {
        Path whole = folder.resolve("whole.avro");
        try (TestRecording recording = TestRecording.at(whole)) {
            recording.capture().probe(1, "instant", "test", EventKind.INSTANT);
            for (int i = 0; i < 100_000; i++) {
                recording.withNumbers(i * 7919L * 104_729L).instant(1, START_NS + i);
            }
            recording.end(START_NS + 200_000, 0);
        }
        byte[] bytes = Files.readAllBytes(whole);
        Path torn = folder.resolve("torn.avro");
        Files.write(torn, Arrays.copyOf(bytes, bytes.length - 100));

        ConversionOutcome outcome = Conversion.run(List.of(torn), folder.resolve("torn.pftrace"), RecordingRange.ALL);
        assertThat(outcome.events().written()).isBetween(50_000L, 99_999L);
        assertThat(outcome.warnings())
                .anyMatch(warning -> warning.contains("torn.avro is damaged at byte "))
                .contains("the capture on host-a has no end record: it was cut off, or is still running");
    }

    @Test
    void fileThatIsNoRecordingIsRefusedAndLeavesNothing() throws IOException {
        Path text = folder.resolve("notes.avro");
        Files.writeString(text, "not a recording at all, but some text");
        Path output = folder.resolve("notes.pftrace");
        assertThatThrownBy(() -> Conversion.run(List.of(text), output, RecordingRange.ALL))
                .isInstanceOf(ConversionException.class)
                .hasMessageContaining(text.toString());
        assertThat(folder).isDirectoryNotContaining(file -> !file.equals(text));
    }

    @Test
    void fileThatIsMissingIsNamed() {
        Path missing = folder.resolve("missing.avro");
        assertThatThrownBy(() -> Conversion.run(List.of(missing), folder.resolve("x.json"), RecordingRange.ALL))
                .isInstanceOf(ConversionException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void anyBrokenBytesGiveAWholeTraceOrAnErrorOfOurs() throws IOException {
        Path sample = SampleRecording.write(folder.resolve("sample.avro"));
        byte[] good = Files.readAllBytes(sample);
        SplittableRandom random = new SplittableRandom(42);
        for (int round = 0; round < 150; round++) {
            byte[] broken = good.clone();
            for (int i = 0; i <= random.nextInt(4); i++) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
            }
            Files.write(
                    sample, Arrays.copyOf(broken, random.nextInt(2) == 0 ? good.length : random.nextInt(good.length)));
            for (String name : List.of("x.pftrace", "x.json")) {
                Path output = folder.resolve(name);
                Files.deleteIfExists(output);
                convertOrRefuse(sample, output);
            }
        }
    }

    private static void convertOrRefuse(Path recording, Path output) throws IOException {
        try {
            Conversion.run(List.of(recording), output, RecordingRange.ALL);
        } catch (ConversionException e) {
            assertThat(output).doesNotExist();
            return;
        }
        if (output.toString().endsWith(".json")) {
            new ObjectMapper().readTree(Files.readAllBytes(output));
        } else {
            Slices.of(Files.readAllBytes(output));
        }
    }
}
