package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import dev.probestream.schema.perfetto.Trace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sample recording in both formats, byte for byte; the Perfetto trace as plain protobuf reads it. */
class GoldenTest {
    @TempDir
    private Path folder;

    private Path recording;

    GoldenTest() {
        recording = Path.of("");
    }

    @BeforeEach
    void record() throws IOException {
        recording = SampleRecording.write(folder.resolve("sample.avro"));
    }

    @Test
    void perfettoTraceOfTheSampleIsAsKept() throws IOException {
        Path output = folder.resolve("sample.pftrace");
        Conversion.run(List.of(recording), output, RecordingRange.ALL);
        Trace trace = Trace.parseFrom(Files.readAllBytes(output));
        Golden.assertMatches(
                "sample.pftrace.txt",
                TextFormat.printer().escapingNonAscii(false).printToString(trace));
    }

    @Test
    void chromeTraceOfTheSampleIsAsKept() throws IOException {
        Path output = folder.resolve("sample.json");
        Conversion.run(List.of(recording), output, RecordingRange.ALL);
        Golden.assertMatches("sample.json", Files.readString(output));
    }

    @Test
    void compressedChromeTraceHoldsTheSame() throws IOException {
        Path output = folder.resolve("sample.json.gz");
        Conversion.run(List.of(recording), output, RecordingRange.ALL);
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(output))) {
            Golden.assertMatches("sample.json", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void everyEventOfTheSampleIsAccountedFor() throws IOException {
        ConversionOutcome outcome = Conversion.run(List.of(recording), folder.resolve("x.pftrace"), RecordingRange.ALL);
        assertThat(outcome.events().read()).isEqualTo(SampleRecording.EVENTS);
        assertThat(outcome.events().written()).isEqualTo(SampleRecording.EVENTS);
        assertThat(outcome.events().notShown()).isZero();
        assertThat(outcome.events().incomplete()).isEqualTo(2);
        assertThat(outcome.events().overlapping()).isEqualTo(1);
        assertThat(outcome.events().ofUnknownProbe()).isEqualTo(1);
        assertThat(outcome.events().withUnknownStack()).isEqualTo(1);
        assertThat(outcome.events().lost()).isEqualTo(3);
        assertThat(outcome.sizeBytes()).isEqualTo(Files.size(outcome.output()));
        assertThat(outcome.warnings())
                .containsExactly(
                        "3 events were lost while recording; the track \"Capture\" shows when",
                        "2 spans have no end of their own; they carry the argument \"incomplete\"",
                        "1 spans overlap others of their thread and stand on tracks of their own",
                        "1 events are of probes that the recording does not describe",
                        "1 events have stacks that the recording does not hold");
    }
}
