package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.EventKind;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole recordings into a folder of tables. */
class TablesTest {
    @TempDir
    private Path folder;

    private Path tables;

    TablesTest() {
        tables = Path.of("");
    }

    @BeforeEach
    void createFolder() throws IOException {
        tables = Files.createDirectory(folder.resolve("tables"));
    }

    @Test
    void everyTableIsThereEvenWithoutRows() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording empty = TestRecording.at(recording)) {
            empty.capture();
        }
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        for (String table : List.of(
                "events",
                "spans",
                "stacks",
                "processes",
                "threads",
                "probes",
                "losses",
                "hit_summaries",
                "gaps",
                "costs")) {
            assertThat(DuckDb.value("SELECT count(*) FROM '" + tables + "/" + table + "/7.parquet'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void eachCaptureHasFilesOfItsOwnAndOnlyTheyAreReplaced() throws Exception {
        Path both = folder.resolve("both.avro");
        try (TestRecording recording = TestRecording.at(both)) {
            recording
                    .capture(7, "host-a", "boot-a", START_NS, 1_700_000_000_000_000_000L)
                    .instant(1, START_NS);
            recording
                    .capture(8, "host-b", "boot-b", 50, 1_700_000_001_000_000_000L)
                    .instant(1, 50);
        }
        Path again = folder.resolve("again.avro");
        try (TestRecording recording = TestRecording.at(again)) {
            recording
                    .capture(8, "host-b", "boot-b", 50, 1_700_000_001_000_000_000L)
                    .instant(1, 50)
                    .instant(1, 51);
        }
        Files.writeString(tables.resolve("notes.txt"), "mine");
        Conversion.run(List.of(both), tables, RecordingRange.ALL);
        Conversion.run(List.of(again), tables, RecordingRange.ALL);

        assertThat(DuckDb.rows("SELECT capture_id, ts, count(*) OVER (PARTITION BY capture_id) FROM "
                        + DuckDb.table(tables, "events") + " ORDER BY ALL"))
                .containsExactly(
                        "7,2023-11-14 22:13:20+00,1", "8,2023-11-14 22:13:21+00,2", "8,2023-11-14 22:13:21+00,2");
        assertThat(tables.resolve("notes.txt")).hasContent("mine");
    }

    /** One name in a dictionary: as good as no space for the rows. */
    @Test
    void eventsAndSpansHaveTheHostOfTheirCapture() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            for (int id = 7; id <= 8; id++) {
                events.capture(id, "host-" + id, "boot", START_NS, 1_700_000_000_000_000_000L);
                for (int i = 0; i < 1_000; i++) {
                    events.instant(1, START_NS + i).span(2, START_NS + i, START_NS + i + 1);
                }
            }
            events.inCapture(9).instant(1, START_NS).span(2, START_NS, START_NS + 1);
        }
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        for (String table : List.of("events", "spans")) {
            assertThat(DuckDb.rows("SELECT capture_id, host, count(*) FROM " + DuckDb.table(tables, table)
                            + " GROUP BY ALL ORDER BY ALL"))
                    .containsExactly("7,host-7,1000", "8,host-8,1000", "9,,1");
            assertThat(DuckDb.rows("SELECT encodings LIKE '%RLE_DICTIONARY%', total_uncompressed_size < 200"
                            + " FROM parquet_metadata('" + tables + "/" + table
                            + "/7.parquet') WHERE path_in_schema = 'host'"))
                    .containsExactly("true,true");
        }
    }

    @Test
    void aFileSaysThatItIsInTheOrderOfTimeOnlyIfItIs() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            events.capture().instant(1, START_NS).instant(1, START_NS).instant(1, START_NS + 1);
            events.span(2, START_NS + 10, START_NS + 20).span(2, START_NS + 5, START_NS + 30);
            events.inCapture(8).instant(1, START_NS).instant(1, START_NS + 2).instant(1, START_NS + 1);
        }
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows("SELECT file_name[" + (tables.toString().length() + 2)
                        + ":], decode(value) FROM parquet_kv_metadata('" + tables
                        + "/*/*.parquet') WHERE decode(key) = 'probestream.sorted_by'"))
                .containsExactly("events/7.parquet,mono_ns");
    }

    @Test
    void capturesThatTakeTurnsAreAllThereAndReplacedToo() throws Exception {
        Path mixed = folder.resolve("mixed.avro");
        Path again = folder.resolve("again.avro");
        try (TestRecording recording = TestRecording.at(mixed)) {
            for (int i = 0; i < 30; i++) {
                recording.inCapture(i % 10).instant(1, START_NS + i);
            }
        }
        try (TestRecording recording = TestRecording.at(again)) {
            recording.inCapture(3).instant(1, START_NS);
        }
        Conversion.run(List.of(mixed), tables, RecordingRange.ALL);
        assertThat(DuckDb.value("SELECT count(DISTINCT sequence) FROM " + DuckDb.table(tables, "events")))
                .isEqualTo("30");

        Conversion.run(List.of(again), tables, RecordingRange.ALL);
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(tables, "events")))
                .isEqualTo("28");
    }

    @Test
    void aSliceKeepsSpansWhole() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording events = TestRecording.at(recording)) {
            events.capture().process(100, "node", 0).process(200, "other", 0).on(100, 100);
            events.instant(1, START_NS + 10).instant(1, START_NS + 50).instant(1, START_NS + 100);
            events.span(2, START_NS + 5, START_NS + 60).span(2, START_NS + 5, START_NS + 20);
            events.on(200, 200).instant(1, START_NS + 50);
        }
        ConversionOutcome outcome = Conversion.run(
                List.of(recording),
                tables,
                new RecordingRange(
                        Optional.of(RecordingRange.Bound.sinceStart(40)),
                        Optional.of(RecordingRange.Bound.sinceStart(100)),
                        Set.of(100)));
        assertThat(DuckDb.rows("SELECT sequence FROM " + DuckDb.table(tables, "events")))
                .containsExactly("1");
        assertThat(DuckDb.rows("SELECT sequence, duration_ns FROM " + DuckDb.table(tables, "spans")))
                .containsExactly("3,55");
        assertThat(DuckDb.rows("SELECT pid FROM " + DuckDb.table(tables, "processes")))
                .containsExactly("100");
        assertThat(outcome.events().outsideRange()).isEqualTo(4);
        assertThat(outcome.warnings()).contains("1 spans reach over an edge of the time range and were kept whole");
    }

    @Test
    void rowGroupsAreAsLargeAsDuckDbLikesThem() throws Exception {
        Path recording = folder.resolve("a.avro");
        int events = 300_000;
        try (TestRecording many = TestRecording.at(recording)) {
            many.capture();
            for (int i = 0; i < events; i++) {
                many.withNumbers(i * 7919L).instant(1, START_NS + i * 1_000L);
            }
        }
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows("SELECT row_group_num_rows, compression, stats_min FROM parquet_metadata('" + tables
                        + "/events/7.parquet') WHERE path_in_schema = 'mono_ns' ORDER BY row_group_id"))
                .containsExactly(
                        "122880,ZSTD," + START_NS,
                        "122880,ZSTD," + (START_NS + 122_880 * 1_000L),
                        "54240,ZSTD," + (START_NS + 2 * 122_880 * 1_000L));
    }

    @Test
    void whatCanBeReadOfATornRecordingIsConverted() throws Exception {
        Path recording = folder.resolve("a.avro");
        try (TestRecording many = TestRecording.at(recording)) {
            many.capture().probe(1, "instant", "test", EventKind.INSTANT);
            for (int i = 0; i < 100_000; i++) {
                many.withNumbers(i * 7919L * 104_729L).instant(1, START_NS + i);
            }
        }
        byte[] bytes = Files.readAllBytes(recording);
        Files.write(recording, Arrays.copyOf(bytes, bytes.length - 100));
        ConversionOutcome outcome = Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(outcome.events().written()).isBetween(50_000L, 99_999L);
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(tables, "events")))
                .isEqualTo(Long.toString(outcome.events().written()));
        assertThat(DuckDb.value("SELECT is_complete FROM " + DuckDb.table(tables, "captures")))
                .isEqualTo("false");
        assertThat(outcome.warnings())
                .anyMatch(warning -> warning.contains("a.avro is damaged at byte "))
                .contains("the capture on host-a has no end record: it was cut off, or is still running");
    }

    @Test
    void hadoopIsNotNeeded() throws Exception {
        Path recording = SampleRecording.write(folder.resolve("a.avro"));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String withoutHadoop = Stream.of(classPath.split(File.pathSeparator))
                .filter(entry -> !entry.contains("hadoop-common"))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(withoutHadoop).isNotEqualTo(classPath);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        withoutHadoop,
                        Convert.class.getName(),
                        recording.toString(),
                        tables.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(DuckDb.value("SELECT count(*) FROM " + DuckDb.table(tables, "spans")))
                .isEqualTo("9");
    }

    /** Runs in a JVM of its own. */
    static final class Convert {
        private Convert() {}

        public static void main(String[] arguments) throws IOException {
            Conversion.run(List.of(Path.of(arguments[0])), Path.of(arguments[1]), RecordingRange.ALL);
        }
    }
}
