package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.GapReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies on both sides of a time in which probes were not watched is not taken for one thing. */
class GapTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void requestThatAGapCutsHasNoEndAndTheAnswerAfterItIsNotItsOwn() throws Exception {
        Path recording = RequestRecording.writeWithGap(folder.resolve("a.avro"));
        Path tables = Files.createDirectory(folder.resolve("tables"));

        Conversion.run(List.of(recording), tables, RecordingRange.ALL);

        assertThat(DuckDb.rows(
                        "SELECT url, outcome, status, (mono_ns - " + START_NS + ") // 1000, duration_ns // 1000 FROM "
                                + DuckDb.table(tables, "requests") + " ORDER BY mono_ns"))
                .containsExactly("/before,UNOBSERVED,,102,", "/closing,UNOBSERVED,,207,", "/after,COMPLETE,204,802,99");
    }

    /** What was not written, and another request with an answer, may have been lost. */
    @Test
    void answerIsCutIfNoHitWasLost() throws Exception {
        assertThat(outcome(RequestRecording.writeCut(folder.resolve("whole.avro"), 0)))
                .isEqualTo("ABORTED");
        assertThat(outcome(RequestRecording.writeCut(folder.resolve("lossy.avro"), 1)))
                .isEqualTo("UNKNOWN");
    }

    private String outcome(Path recording) throws Exception {
        Path tables = Files.createDirectory(folder.resolve(recording.getFileName() + ".tables"));
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        return DuckDb.rows("SELECT outcome FROM " + DuckDb.table(tables, "requests"))
                .get(0);
    }

    @Test
    void requestsOfATraceAreThoseOfTheTables() throws Exception {
        Path trace = folder.resolve("a.json");

        Conversion.run(List.of(RequestRecording.writeWithGap(folder.resolve("a.avro"))), trace, RecordingRange.ALL);

        assertThat(JsonEvents.of(trace).stream()
                        .filter(event -> event.path("args").has("outcome"))
                        .map(event -> event.path("name").asText() + " "
                                + event.path("args").path("outcome").asText()))
                .containsExactly("GET /before UNOBSERVED", "GET /closing UNOBSERVED", "GET /after COMPLETE");
    }

    @Test
    void spanThatAGapCutsEndsWhereTheGapBegins() throws Exception {
        Path trace = folder.resolve("a.json");

        Conversion.run(List.of(RequestRecording.writeWithGap(folder.resolve("a.avro"))), trace, RecordingRange.ALL);

        ObjectNode cut = JsonEvents.of(trace).stream()
                .filter(event -> event.path("name").asText().equals("poll"))
                .findFirst()
                .orElseThrow();
        assertThat(cut.path("dur").asDouble()).isEqualTo(180);
        assertThat(cut.path("args").path("incomplete").asText())
                .isEqualTo("was not watched to its end; it is drawn up to where the gap begins");
    }

    @Test
    void gapIsDrawnInTheTimeRangeOnly() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            events.capture().probe(1, "x", "test", EventKind.INSTANT).thread(100, 100, "node");
            for (int ms = 0; ms < 100; ms += 10) {
                events.instant(1, START_NS + ms * 1_000_000L);
            }
            events.gap("test", 0, START_NS + 5_000_000, START_NS + 45_000_000, GapReason.BUDGET);
            events.gap("test", 0, START_NS + 80_000_000, START_NS + 90_000_000, GapReason.BUDGET);
        }
        assertThat(gaps(recording, 20, 60)).containsExactly("b 1020000", "e 1045000");
        assertThat(gaps(recording, 0, 200)).containsExactly("b 1005000", "e 1045000", "b 1080000", "e 1090000");
    }

    private List<String> gaps(Path recording, int fromMs, int toMs) throws IOException {
        Path trace = folder.resolve("slice.json");
        Conversion.run(
                List.of(recording),
                trace,
                new RecordingRange(
                        Optional.of(RecordingRange.Bound.sinceStart(fromMs * 1_000_000L)),
                        Optional.of(RecordingRange.Bound.sinceStart(toMs * 1_000_000L)),
                        Set.of()));
        return JsonEvents.of(trace).stream()
                .filter(event -> event.path("name").asText().equals("test not watched"))
                .map(event -> event.path("ph").asText() + " "
                        + event.path("ts").decimalValue().toPlainString())
                .toList();
    }
}
