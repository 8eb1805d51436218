package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link RequestRecording} becomes in tables, as DuckDB reads them. */
class RequestTablesTest {
    @TempDir
    private Path folder;

    private Path recording;
    private Path tables;

    RequestTablesTest() {
        recording = Path.of("");
        tables = Path.of("");
    }

    @BeforeEach
    void record() throws IOException {
        recording = RequestRecording.write(folder.resolve("requests.avro"));
        tables = Files.createDirectory(folder.resolve("tables"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"requests", "request_events"})
    void tableOfRequestsIsAsKept(String table) throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        Golden.assertMatches("tables/" + table + ".csv", lines("SELECT * FROM " + DuckDb.table(tables, table)));
        Golden.assertMatches(
                "tables/" + table + ".types.csv",
                lines("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + DuckDb.table(tables, table)
                        + ")"));
    }

    private static String lines(String query) throws Exception {
        return String.join("\n", DuckDb.csv(query)) + "\n";
    }

    @Test
    void whatARequestDidIsFoundByItsId() throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows("SELECT probe, s0, s.duration_ns FROM " + DuckDb.table(tables, "spans")
                        + " s JOIN " + DuckDb.table(tables, "request_events") + " e USING (capture_id, sequence)"
                        + " JOIN " + DuckDb.table(tables, "requests") + " r USING (capture_id, request_id)"
                        + " WHERE url LIKE '/file%' ORDER BY s.mono_ns"))
                .containsExactly("uv_fs_open,/srv/file.txt,5000", "uv__fs_work,,150000", "uv__fs_done,,80000");
    }

    @Test
    void partsOfATimeSumUpToTheWhole() throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows(
                        "SELECT DISTINCT duration_ns - javascript_ns - coalesce(gc_ns, 0) - coalesce(off_cpu_ns, 0)"
                                + " - loop_wait_ns - pool_queue_ns - pool_run_ns - network_ns - unattributed_ns FROM "
                                + DuckDb.table(tables, "requests") + " WHERE outcome = 'COMPLETE'"))
                .containsExactly("0");
    }

    @Test
    void captureWithoutRolesHasTheTablesWithoutARow() throws Exception {
        Conversion.run(List.of(SampleRecording.write(folder.resolve("sample.avro"))), tables, RecordingRange.ALL);
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(tables, "requests")))
                .isEqualTo("0");
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(tables, "request_events")))
                .isEqualTo("0");
    }

    @Test
    void requestThatCrossesASliceOfASinkIsOpenInTheFirstAndNotInTheSecond() throws Exception {
        addSlice("first", 0, 16);
        addSlice("second", 16, Long.MAX_VALUE);
        String requests = DuckDb.table(tables, "requests");
        assertThat(DuckDb.rows("SELECT url, outcome, end_ts IS NULL FROM " + requests + " ORDER BY mono_ns"))
                .containsExactly("/file?name=***,OPEN,true", "/quick,COMPLETE,false", "/never,OPEN,true");
        assertThat(DuckDb.value("SELECT count(DISTINCT request_id) FROM " + requests))
                .isEqualTo("3");
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(tables, "request_events")
                        + " WHERE request_id NOT IN (SELECT request_id FROM " + requests + ")"))
                .isEqualTo("0");
    }

    @Test
    void filesOfASliceSayTheHourInWhichARequestBegan() throws Exception {
        TableConversion.Outcome outcome =
                TableConversion.addEvents(List.of(recording), tables, "x", Map.of(), ConversionProgress.NONE);
        assertThat(outcome.files())
                .contains(
                        tables.resolve("requests/day=2023-11-14/hour=22/x.parquet"),
                        tables.resolve("request_events/day=2023-11-14/hour=22/x.parquet"));
    }

    @Test
    void firstLineMayStandInTheWriteItself() throws Exception {
        Path file = folder.resolve("write.avro");
        try (TestRecording records = TestRecording.at(file)) {
            records.capture();
            RequestRecording.probes(records);
            records.withRole(Role.STREAM_WRITE)
                    .probe(
                            16,
                            "bytes written",
                            "node-http",
                            EventKind.SPAN,
                            "s32",
                            "bytes",
                            TestRecording.argument("stream", "ptr", ""),
                            TestRecording.argument("line", "str", ""))
                    .withNumbers(0xa00)
                    .withStrings("GET /there HTTP/1.1")
                    .withReturn(80)
                    .span(16, TestRecording.START_NS + 10, TestRecording.START_NS + 20)
                    .end(TestRecording.START_NS + 100, 0);
        }
        Conversion.run(List.of(file), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows("SELECT side, method, url, sent_bytes FROM " + DuckDb.table(tables, "requests")))
                .containsExactly("CLIENT,GET,/there,80");
    }

    /** The slice of those sequences, as a sink has it: what is known of the capture first. */
    private void addSlice(String name, long fromSequence, long toSequence) throws IOException {
        Path metadata = folder.resolve(name + "-metadata.avro");
        try (TestRecording records = TestRecording.at(metadata)) {
            records.capture();
            RequestRecording.probes(records);
        }
        Path slice = folder.resolve(name + ".avro");
        try (RecordingWriter writer = RecordingWriter.create(slice)) {
            RecordingReader.read(recording, new RecordingHandler() {
                @Override
                public void event(EventView event) throws IOException {
                    if (event.sequence() >= fromSequence && event.sequence() < toSequence) {
                        writer.appendEncodedEvent(event.buffer(), event.offset(), event.lengthBytes());
                    }
                }
            });
        }
        TableConversion.addEvents(List.of(metadata, slice), tables, name, Map.of(), ConversionProgress.NONE);
    }
}
