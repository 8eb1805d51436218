package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables in a folder that grows, as sinks write them. */
class TableConversionTest {
    private static final long HOUR_NS = 3_600_000_000_000L;

    /** START_NS of the recordings is 2023-11-14 22:13:20 UTC. */
    private static final String FIRST_HOUR = "day=2023-11-14/hour=22/";

    @TempDir
    private Path folder;

    TableConversionTest() {
        folder = Path.of("");
    }

    @Test
    void eventsGoToTheFolderOfTheirHour() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            events.capture()
                    .probe(1, "instant", "test", EventKind.INSTANT)
                    .probe(2, "span", "test", EventKind.SPAN)
                    .instant(1, START_NS)
                    .instant(1, START_NS + 2 * HOUR_NS)
                    .span(2, START_NS, START_NS + 2 * HOUR_NS);
        }
        Path out = folder.resolve("tables");
        TableConversion.Outcome outcome = add(recording, out, "slice");

        assertThat(outcome.files())
                .containsExactlyInAnyOrder(
                        out.resolve("events/" + FIRST_HOUR + "slice.parquet"),
                        out.resolve("events/day=2023-11-15/hour=0/slice.parquet"),
                        out.resolve("spans/" + FIRST_HOUR + "slice.parquet"));
        assertThat(DuckDb.rows("SELECT sequence, day, hour, typeof(day), typeof(hour) FROM read_parquet('" + out
                        + "/events/**/*.parquet', hive_partitioning = true) ORDER BY ALL"))
                .containsExactly("0,2023-11-14,22,DATE,BIGINT", "1,2023-11-15,0,DATE,BIGINT");
    }

    @Test
    void slicesOfACaptureLieSideBySide() throws Exception {
        Path recording = SampleRecording.write(folder.resolve("a.avro"));
        Path out = folder.resolve("tables");
        add(recording, out, "first");
        add(recording, out, "second");
        add(recording, out, "second");
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(out, "spans")))
                .isEqualTo("18");
    }

    @Test
    void whatTheCallerSaysIsInTheFooter() throws Exception {
        Path recording = SampleRecording.write(folder.resolve("a.avro"));
        Path out = folder.resolve("tables");
        TableConversion.addEvents(
                List.of(recording), out, "x", Map.of("probestream.offsets", "5-9"), ConversionProgress.NONE);
        assertThat(DuckDb.value("SELECT decode(value) FROM parquet_kv_metadata('" + out
                        + "/events/**/*.parquet') WHERE decode(key) = 'probestream.offsets'"))
                .isEqualTo("5-9");
    }

    @Test
    void metadataComesFirstAndFromAFileOfItsOwn() throws Exception {
        Path metadata = folder.resolve("metadata.avro");
        Path spool = folder.resolve("spool.avro");
        try (TestRecording records = TestRecording.at(metadata)) {
            records.capture().probe(1, "instant", "test", EventKind.INSTANT);
        }
        try (TestRecording records = TestRecording.at(spool)) {
            records.instant(1, START_NS);
        }
        Path out = folder.resolve("tables");
        TableConversion.addEvents(List.of(metadata, spool), out, "x", Map.of(), ConversionProgress.NONE);
        assertThat(DuckDb.rows("SELECT ts, probe, host FROM " + DuckDb.table(out, "events")))
                .containsExactly("2023-11-14 22:13:20+00,instant,host-a");
    }

    @Test
    void metadataIsReplacedAsItGrows() throws Exception {
        Path out = folder.resolve("tables");
        for (int processes = 1; processes <= 2; processes++) {
            Path metadata = folder.resolve("metadata.avro");
            try (TestRecording records = TestRecording.at(metadata)) {
                records.capture();
                for (int pid = 1; pid <= processes; pid++) {
                    records.process(pid, "node", START_NS);
                }
            }
            TableConversion.Outcome outcome =
                    TableConversion.replaceMetadata(List.of(metadata), out, Map.of(), ConversionProgress.NONE);
            assertThat(outcome.files())
                    .contains(out.resolve("processes/7.parquet"), out.resolve("losses/7.parquet"))
                    .hasSize(9);
            assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(out, "processes")))
                    .isEqualTo(Integer.toString(processes));
        }
    }

    @Test
    void theLastRecordOfAProcessCountsUnlessItsPidIsUsedAgain() throws Exception {
        Path metadata = folder.resolve("metadata.avro");
        try (TestRecording records = TestRecording.at(metadata)) {
            records.capture()
                    .process(1, "sh", START_NS)
                    .process(1, "node", START_NS)
                    .process(1, "later", START_NS + 5)
                    .thread(1, 2, "worker")
                    .thread(1, 2, "renamed")
                    .thread(1, 3, "other");
        }
        Path out = folder.resolve("tables");
        TableConversion.replaceMetadata(List.of(metadata), out, Map.of(), ConversionProgress.NONE);
        assertThat(DuckDb.rows("SELECT name FROM " + DuckDb.table(out, "processes")))
                .containsExactly("node", "later");
        assertThat(DuckDb.rows("SELECT name FROM " + DuckDb.table(out, "threads")))
                .containsExactly("renamed", "other");
    }

    @Test
    void manyHoursNeedNoMoreThanAFewOpenFiles() throws Exception {
        Path recording = folder.resolve("a.avro");
        int hours = 30;
        try (TestRecording events = TestRecording.at(recording)) {
            events.capture();
            for (int round = 0; round < 3; round++) {
                for (int hour = 0; hour < hours; hour++) {
                    events.instant(1, START_NS + hour * HOUR_NS);
                }
            }
        }
        Path out = folder.resolve("tables");
        TableConversion.Outcome outcome = add(recording, out, "x");
        assertThat(outcome.files())
                .hasSize(3 * hours)
                .contains(
                        out.resolve("events/" + FIRST_HOUR + "x.parquet"),
                        out.resolve("events/" + FIRST_HOUR + "x.2.parquet"),
                        out.resolve("events/" + FIRST_HOUR + "x.3.parquet"));
        assertThat(DuckDb.value("SELECT count(DISTINCT sequence) FROM " + DuckDb.table(out, "events")))
                .isEqualTo(Integer.toString(3 * hours));
    }

    @Test
    void eventsWithoutACaptureHaveNoTimeOfDay() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            events.withNumbers(0, 5)
                    .withStrings("")
                    .withUnavailable(1)
                    .withReturn(0)
                    .span(1, 10, 30);
        }
        Path out = folder.resolve("tables");
        TableConversion.Outcome outcome = add(recording, out, "x");
        assertThat(outcome.files())
                .containsExactly(out.resolve(
                        "spans/day=__HIVE_DEFAULT_PARTITION__/hour=__HIVE_DEFAULT_PARTITION__" + "/x.parquet"));
        assertThat(DuckDb.rows(
                        "SELECT ts, end_ts, mono_ns, duration_ns, probe, a0, a1, s0, return_value, host, day, hour"
                                + " FROM read_parquet('" + out + "/spans/**/*.parquet', hive_partitioning = true)"))
                .containsExactly(",,10,20,,,5,,,,,");
    }

    @Test
    void aBrokenOffConversionLeavesNothing() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            events.capture();
            for (int i = 0; i < 70_000; i++) {
                events.instant(1, START_NS + i);
            }
        }
        Path out = folder.resolve("tables");
        assertThatThrownBy(() -> TableConversion.addEvents(List.of(recording), out, "x", Map.of(), (pass, events) -> {
                    throw new IllegalStateException("stopped");
                }))
                .hasMessage("stopped");
        try (Stream<Path> files = Files.walk(out)) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed() throws Exception {
        Path recording = SampleRecording.write(folder.resolve("a.avro"));
        Path out = Files.createDirectory(folder.resolve("tables"));
        Files.writeString(out.resolve("spans"), "in the way");
        assertThatThrownBy(() -> add(recording, out, "x"))
                .isInstanceOf(ConversionException.class)
                .hasMessageStartingWith("cannot write " + out.resolve("spans/" + FIRST_HOUR + "x.parquet") + ": ");
        try (Stream<Path> files = Files.walk(out)) {
            assertThat(files.filter(Files::isRegularFile)).containsExactly(out.resolve("spans"));
        }
    }

    private static TableConversion.Outcome add(Path recording, Path out, String name) throws IOException {
        return TableConversion.addEvents(List.of(recording), out, name, Map.of(), ConversionProgress.NONE);
    }
}
