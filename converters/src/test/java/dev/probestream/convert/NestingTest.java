package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.SpanTree.Span;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spans come in the order of their ends and must stand as slices in slices; read back by an independent reader. */
class NestingTest {
    @TempDir
    private Path folder;

    NestingTest() {
        folder = Path.of("");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everySpanIsASliceInItsParent(long seed) throws IOException {
        List<List<Span>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(SpanTree.grow(seed * 10 + thread, 100 + thread, thread * 1_000_000L, 500, START_NS + thread));
        }
        assertSlicesAre(SpanTree.merged(threads));
    }

    @Test
    void spansThatOutlastWhatIsHeldBackStillComeBeforeTheirChildren() throws IOException {
        List<Span> spans = new ArrayList<>();
        long lastNs = START_NS + 1_000_000_000_000L;
        // On the main thread a loop that lasts all the time, and in it calls that each last for half of the small ones.
        List<Span> small = SpanTree.grow(11, 101, 0, 300_000, START_NS);
        long endNs = small.get(small.size() - 1).endNs();
        long middleNs = small.get(small.size() / 2).endNs();
        spans.add(new Span(9_000_001, 100, START_NS, middleNs, 9_000_000));
        spans.add(new Span(9_000_002, 100, middleNs, endNs, 9_000_000));
        spans.add(new Span(9_000_003, 101, START_NS - 5, lastNs, -1));
        spans.add(new Span(9_000_000, 100, START_NS, lastNs, -1));
        List<Span> all = new ArrayList<>();
        small.forEach(span -> all.add(
                span.parentId() == -1 ? new Span(span.id(), 101, span.startNs(), span.endNs(), 9_000_003) : span));
        all.addAll(spans);
        all.sort(Comparator.comparingLong(Span::endNs));
        assertSlicesAre(all);
    }

    private void assertSlicesAre(List<Span> spans) throws IOException {
        Path recording = folder.resolve("spans.avro");
        write(recording, spans);
        Path output = folder.resolve("spans.pftrace");
        ConversionOutcome outcome = Conversion.run(List.of(recording), output, RecordingRange.ALL);

        assertThat(outcome.events().written()).isEqualTo(spans.size());
        assertThat(outcome.events().overlapping()).isZero();
        Map<Long, Slices.Slice> byId = new HashMap<>();
        for (Slices.Slice slice : Slices.of(Files.readAllBytes(output))) {
            byId.put(slice.id, slice);
        }
        for (Span span : spans) {
            Slices.Slice slice = byId.get(span.id());
            assertThat(slice).as("slice of %s", span).isNotNull();
            assertThat(List.of(
                            slice.startNs,
                            slice.endNs,
                            slice.parentId(),
                            slice.track.getThread().getTid()))
                    .as("%s", span)
                    .isEqualTo(List.of(span.startNs(), span.endNs(), span.parentId(), span.tid()));
        }
        assertThat(byId).hasSize(spans.size());
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24})
    void spansThatOverlapStillMakeAValidTrace(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long startNs = START_NS + random.nextLong(50_000);
            spans.add(new Span(i, 100, startNs, startNs + random.nextLong(200), -1));
        }
        Path recording = folder.resolve("hostile.avro");
        write(recording, spans);
        Path output = folder.resolve("hostile.pftrace");
        ConversionOutcome outcome = Conversion.run(List.of(recording), output, RecordingRange.ALL);

        assertThat(outcome.events().written()).isEqualTo(2_000);
        assertThat(outcome.events().overlapping()).isPositive();
        List<Slices.Slice> slices = Slices.of(Files.readAllBytes(output));
        assertThat(slices).hasSize(2_000);
        for (Slices.Slice slice : slices) {
            Span span = spans.get((int) slice.id);
            assertThat(slice.startNs).isEqualTo(span.startNs());
            assertThat(slice.endNs).isEqualTo(span.endNs());
        }
        long onThread = slices.stream().filter(slice -> slice.track.hasThread()).count();
        assertThat(outcome.events().overlapping()).isEqualTo(2_000 - onThread);
    }

    @Test
    void whatIsNestedTooDeepOrOverlapsTooOftenIsCounted() throws IOException {
        List<Span> spans = new ArrayList<>();
        for (int depth = 599; depth >= 0; depth--) {
            spans.add(new Span(depth, 100, START_NS + depth, START_NS + 10_000 - depth, depth - 1));
        }
        for (int i = 0; i < 100; i++) { // a staircase: each overlaps all others
            spans.add(new Span(1_000 + i, 200, START_NS + i, START_NS + 20_000 + i, -1));
        }
        Path recording = folder.resolve("deep.avro");
        write(recording, spans);
        Path output = folder.resolve("deep.pftrace");
        ConversionOutcome outcome = Conversion.run(List.of(recording), output, RecordingRange.ALL);

        assertThat(outcome.events().read()).isEqualTo(700);
        assertThat(outcome.events().written()).isEqualTo(512 + 64);
        assertThat(outcome.events().notShown()).isEqualTo(88 + 36);
        assertThat(outcome.warnings()).anyMatch(warning -> warning.startsWith("124 events cannot be shown"));
        assertThat(Slices.of(Files.readAllBytes(output))).hasSize(512 + 64).allMatch(slice -> slice.depth < 512);
    }

    private static void write(Path file, List<Span> spans) throws IOException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture().probe(1, "span", "test", EventKind.SPAN, argument("id", "s64", ""));
            for (Span span : spans) {
                recording.on(100, span.tid()).withNumbers(span.id()).span(1, span.startNs(), span.endNs());
            }
            recording.end(spans.get(spans.size() - 1).endNs(), 0);
        }
    }
}
