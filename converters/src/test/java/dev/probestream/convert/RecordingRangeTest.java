package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.RecordingRange.Bound;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten spans of 1,000 ns each, one after the other, on two processes by turns; and one around them all. */
class RecordingRangeTest {
    @TempDir
    private Path folder;

    private Path recording;

    RecordingRangeTest() {
        folder = Path.of("");
        recording = Path.of("");
    }

    @BeforeEach
    void record() throws IOException {
        recording = folder.resolve("ten.avro");
        try (TestRecording ten = TestRecording.at(recording)) {
            ten.capture().probe(1, "span", "test", EventKind.SPAN, argument("id", "s64", ""));
            for (int i = 0; i < 10; i++) {
                int pid = i % 2 == 0 ? 100 : 200;
                ten.on(pid, pid).withNumbers(i).span(1, START_NS + i * 1_000L, START_NS + i * 1_000L + 1_000);
            }
            ten.on(100, 101).withNumbers(10).span(1, START_NS, START_NS + 10_000);
            ten.loss(1, 0, START_NS + 500, START_NS + 600, 5).loss(1, 0, START_NS + 8_500, START_NS + 8_600, 7);
            ten.end(START_NS + 10_000, 12);
        }
    }

    @Test
    void everythingIsKeptWithoutBounds() throws IOException {
        assertThat(idsIn(RecordingRange.ALL)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    }

    @Test
    void timesCountFromTheStartOfTheCapture() throws IOException {
        RecordingRange slice = new RecordingRange(
                Optional.of(Bound.sinceStart(3_500)), Optional.of(Bound.sinceStart(5_000)), Set.of());
        assertThat(idsIn(slice)).containsExactly(3L, 4L, 10L);
    }

    @Test
    void timesAreMonotonicIfAsked() throws IOException {
        RecordingRange slice = new RecordingRange(
                Optional.of(Bound.monotonic(START_NS + 3_500)), Optional.of(Bound.sinceStart(5_000)), Set.of());
        assertThat(idsIn(slice)).containsExactly(3L, 4L, 10L);
    }

    @Test
    void onlyTheWantedProcessesAreShown() throws IOException {
        assertThat(idsIn(new RecordingRange(Optional.empty(), Optional.empty(), Set.of(200))))
                .containsExactly(1L, 3L, 5L, 7L, 9L);
    }

    @Test
    void spansThatReachOverAnEdgeAreKeptWholeAndCounted() throws IOException {
        Path output = folder.resolve("cut.pftrace");
        RecordingRange slice = new RecordingRange(
                Optional.of(Bound.sinceStart(3_500)), Optional.of(Bound.sinceStart(4_500)), Set.of());
        ConversionOutcome outcome = Conversion.run(List.of(recording), output, slice);
        assertThat(outcome.events().read()).isEqualTo(11);
        assertThat(outcome.events().written()).isEqualTo(3);
        assertThat(outcome.events().outsideRange()).isEqualTo(8);
        assertThat(outcome.events().keptWhole()).isEqualTo(3);
        assertThat(Slices.of(Files.readAllBytes(output))).allMatch(span -> span.endNs - span.startNs >= 1_000);
    }

    @Test
    void onlyTheLossesOfTheSliceAreCounted() throws IOException {
        RecordingRange slice = new RecordingRange(Optional.of(Bound.sinceStart(8_000)), Optional.empty(), Set.of());
        ConversionOutcome outcome = Conversion.run(List.of(recording), folder.resolve("late.json"), slice);
        assertThat(outcome.events().lost()).isEqualTo(7);
        assertThat(Files.readString(outcome.output())).contains("lost 7 events").doesNotContain("lost 5 events");
    }

    private Set<Long> idsIn(RecordingRange slice) throws IOException {
        Path output = folder.resolve("slice.pftrace");
        Conversion.run(List.of(recording), output, slice);
        Set<Long> ids = new TreeSet<>();
        Slices.of(Files.readAllBytes(output)).forEach(span -> ids.add(span.id));
        return ids;
    }
}
