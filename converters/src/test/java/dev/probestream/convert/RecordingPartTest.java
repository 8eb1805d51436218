package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.EventView;
import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of recordings of 300 s, in which a Keyframe stands every 10 s. */
class RecordingPartTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int SECONDS = 300;
    private static final long ALL_SIZES = 0;
    /** Of the other host's clock, which started later. */
    private static final long OTHER_START_NS = START_NS + 5_000 * SECOND_NS;

    @TempDir
    private Path folder;

    private Path recording;
    private Path ofOtherHost;

    @BeforeEach
    void record() throws IOException {
        recording = record("a.avro", 7, "boot-a", START_NS);
        ofOtherHost = record("b.avro", 8, "boot-b", OTHER_START_NS);
    }

    private Path record(String name, long captureId, String bootId, long startNs) throws IOException {
        Path file = folder.resolve(name);
        Capture capture = new Capture(
                captureId,
                "host",
                bootId,
                "Linux",
                "6.18.0",
                "#1",
                "x86_64",
                2,
                "0.1.0",
                List.of(),
                startNs,
                1_700_000_000_000_000_000L,
                startNs);
        Probe probe = new Probe(
                captureId,
                1,
                "span:f",
                "f",
                "test",
                EventKind.SPAN,
                "/usr/bin/node",
                List.of(argument("id", "s64", "")),
                "",
                "",
                "",
                false);
        Process process = new Process(captureId, 100, 1, 0, "node", "/usr/bin/node", List.of(), startNs, -1L, -1);
        Thread thread = new Thread(captureId, 100, 100, "node", startNs, -1L);
        Stack stack = new Stack(captureId, 5L, List.of(Frames.of("open", "/usr/bin/node", 64, FrameKind.NATIVE)));
        try (TestRecording written = TestRecording.at(file)) {
            written.inCapture(captureId)
                    .record(capture)
                    .record(probe)
                    .record(process)
                    .record(thread)
                    .record(stack);
            for (int second = 0; second < SECONDS; second++) {
                long atNs = startNs + second * SECOND_NS;
                if (second > 0 && second % 10 == 0) {
                    written.record(new Keyframe(
                                    captureId,
                                    (long) second,
                                    0L,
                                    new Clock(captureId, atNs, atNs, atNs),
                                    capture,
                                    List.of(probe),
                                    List.of(process),
                                    List.of(thread)))
                            .record(stack);
                }
                written.on(100, 100).withNumbers(second).withStack(5).span(1, atNs, atNs + SECOND_NS / 2);
            }
            written.end(startNs + SECONDS * SECOND_NS, 0);
        }
        return file;
    }

    @Test
    void aMinuteBeforeTheRangeIsReadToo() throws IOException {
        RecordingPart part =
                RecordingPart.of(List.of(recording), from(155), true, ALL_SIZES).get(0);

        assertThat(firstNumber(part)).isEqualTo(90);
    }

    @Test
    void anotherHostHasItsOwnClock() throws IOException {
        List<Path> files = List.of(recording, ofOtherHost);

        assertThat(RecordingPart.of(files, from(155), true, ALL_SIZES))
                .extracting(RecordingPartTest::firstNumber)
                .containsExactly(90L, 90L);
        assertThat(RecordingPart.of(List.of(ofOtherHost), from(5_155), false, ALL_SIZES))
                .extracting(RecordingPartTest::firstNumber)
                .containsExactly(90L);
    }

    @Test
    void aSmallFileAndOneThatIsWantedFromItsStartAreReadWhole() throws IOException {
        RecordingPart whole = RecordingPart.whole(recording);

        assertThat(RecordingPart.of(List.of(recording), from(155), true, RecordingPart.MIN_CUT_BYTES))
                .containsExactly(whole);
        assertThat(RecordingPart.of(List.of(recording), Window.ALL, true, ALL_SIZES))
                .containsExactly(whole);
        assertThat(firstNumber(whole)).isZero();
    }

    @Test
    void theTablesOfTheRangeAreTheSame() throws IOException {
        Window window = from(200);
        EventCounts ofWhole = tables("whole", RecordingPart.whole(recording), window);
        EventCounts ofPart = tables(
                "part",
                RecordingPart.of(List.of(recording), window, false, ALL_SIZES).get(0),
                window);

        assertThat(ofPart.written()).isEqualTo(ofWhole.written()).isEqualTo(SECONDS - 200);
        assertThat(ofPart.ofUnknownProbe()).isZero();
        assertThat(ofPart.withUnknownStack()).isZero();
        assertThat(ofWhole.read()).isEqualTo(SECONDS);
        assertThat(ofPart.read()).isEqualTo(SECONDS - 140);
    }

    private EventCounts tables(String name, RecordingPart part, Window window) throws IOException {
        Path output = Files.createDirectory(folder.resolve(name));
        try (ParquetTables tables = ParquetTables.all(output, window)) {
            return TableConversion.write(tables, List.of(part), ConversionProgress.NONE)
                    .events();
        }
    }

    private static Window from(int seconds) {
        return new Window(START_NS + seconds * SECOND_NS, Long.MAX_VALUE, Set.of());
    }

    private static long firstNumber(RecordingPart part) {
        List<Long> numbers = new ArrayList<>();
        List<Capture> captures = new ArrayList<>();
        try {
            ReadOutcome outcome = part.read(new RecordingHandler() {
                @Override
                public void event(EventView event) {
                    numbers.add(event.number(0));
                }

                @Override
                public void capture(Capture capture) {
                    captures.add(capture);
                }
            });
            assertThat(outcome.events()).isEqualTo(numbers.size());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertThat(captures).hasSize(1);
        return numbers.get(0);
    }
}
