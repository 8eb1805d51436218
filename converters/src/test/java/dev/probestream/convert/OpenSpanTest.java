package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenSpanTest {
    @TempDir
    private Path folder;

    OpenSpanTest() {
        folder = Path.of("");
    }

    @Test
    void spanThatNeverEndedHasNoEndAndStandsAroundItsChildren() throws IOException {
        List<Slices.Slice> slices = convert(recording -> recording
                .withNumbers(1)
                .span(1, START_NS + 20, START_NS + 30)
                .withNumbers(0)
                .openSpan(1, START_NS + 10));
        assertThat(slices.get(0).endNs).isEqualTo(-1);
        assertThat(slices.get(1).parentId()).isEqualTo(0);
        assertThat(slices.get(1).endNs).isEqualTo(START_NS + 30);
    }

    @Test
    void openSpansNestInTheOrderOfTheirStart() throws IOException {
        List<Slices.Slice> slices = convert(recording -> recording
                .withNumbers(2)
                .openSpan(1, START_NS + 30)
                .withNumbers(0)
                .openSpan(1, START_NS + 10)
                .withNumbers(1)
                .openSpan(1, START_NS + 20));
        assertThat(slices.get(2).parentId()).isEqualTo(1);
        assertThat(slices.get(1).parentId()).isEqualTo(0);
    }

    @Test
    void openSpanWhoseFrameHasGoneEndsWithTheSpanAroundIt() throws IOException {
        List<Slices.Slice> slices = convert(recording -> recording
                .withNumbers(1)
                .span(1, START_NS + 10, START_NS + 50)
                .withNumbers(2)
                .span(1, START_NS + 60, START_NS + 70)
                .withNumbers(0)
                .openSpan(1, START_NS + 20));
        assertThat(slices.get(0).endNs).isEqualTo(START_NS + 50);
        assertThat(slices.get(2).parentId()).isEqualTo(-1);
    }

    @Test
    void openSpanWhoseFrameHasGoneBeforeASliceIsNotInIt() throws IOException {
        Path file = folder.resolve("late.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            start(recording)
                    .withNumbers(1)
                    .span(1, START_NS + 10, START_NS + 50)
                    .withNumbers(2)
                    .span(1, START_NS + 60, START_NS + 70)
                    .withNumbers(0)
                    .openSpan(1, START_NS + 20)
                    .withNumbers(3)
                    .openSpan(1, START_NS + 5)
                    .end(START_NS + 100, 0);
        }
        RecordingRange slice =
                new RecordingRange(Optional.of(RecordingRange.Bound.sinceStart(55)), Optional.empty(), Set.of());
        ConversionOutcome outcome = Conversion.run(List.of(file), folder.resolve("late.pftrace"), slice);
        assertThat(Slices.of(Files.readAllBytes(outcome.output())))
                .extracting(span -> span.id)
                .containsExactly(3L, 2L);
        assertThat(outcome.events().outsideRange()).isEqualTo(2);
    }

    @Test
    void anOpenSpanAroundAFinishedOneIsNotStale() throws IOException {
        List<Slices.Slice> slices = convert(recording -> recording
                .withNumbers(1)
                .span(1, START_NS + 10, START_NS + 50)
                .withNumbers(0)
                .openSpan(1, START_NS + 10));
        assertThat(slices.get(0).endNs).isEqualTo(-1);
        assertThat(slices.get(1).parentId()).isEqualTo(0);
    }

    @Test
    void bothKindsAreMarkedAndCounted() throws IOException {
        Path file = folder.resolve("marked.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            start(recording)
                    .span(1, START_NS + 10, START_NS + 50)
                    .openSpan(1, START_NS + 20)
                    .openSpan(1, START_NS + 60)
                    .end(START_NS + 100, 0);
        }
        ConversionOutcome outcome = Conversion.run(List.of(file), folder.resolve("marked.json"), RecordingRange.ALL);
        assertThat(outcome.events().incomplete()).isEqualTo(2);
        assertThat(Files.readString(outcome.output()))
                .contains("\"ts\":1000000.020,\"pid\":100,\"tid\":100,\"dur\":0.030,\"args\":{\"incomplete\":\"its end")
                .contains(
                        "\"ts\":1000000.060,\"pid\":100,\"tid\":100,\"dur\":0.040,\"args\":{\"incomplete\":\"had not");
    }

    private interface Content {
        TestRecording write(TestRecording recording) throws IOException;
    }

    private static TestRecording start(TestRecording recording) throws IOException {
        return recording.capture().probe(1, "span", "test", EventKind.SPAN, argument("id", "s64", ""));
    }

    /** The slices by the number each span was given. */
    private List<Slices.Slice> convert(Content content) throws IOException {
        Path file = folder.resolve("open.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            content.write(start(recording)).end(START_NS + 100, 0);
        }
        Path output = folder.resolve("open.pftrace");
        Conversion.run(List.of(file), output, RecordingRange.ALL);
        return Slices.of(Files.readAllBytes(output)).stream()
                .sorted(Comparator.comparingLong(slice -> slice.id))
                .toList();
    }
}
