package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.format.FormatStamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sample recording as tables, as DuckDB reads them. */
class TableGoldenTest {
    @TempDir
    private Path folder;

    private Path tables;
    private Path recording;

    TableGoldenTest() {
        tables = Path.of("");
        recording = Path.of("");
    }

    @BeforeEach
    void record() throws IOException {
        recording = SampleRecording.write(folder.resolve("sample.avro"));
        tables = Files.createDirectory(folder.resolve("tables"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "events",
                "spans",
                "stacks",
                "processes",
                "threads",
                "probes",
                "captures",
                "losses",
                "hit_summaries",
                "gaps",
                "costs"
            })
    void tableOfTheSampleIsAsKept(String table) throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        List<String> lines = DuckDb.csv("SELECT * FROM '" + tables + "/" + table + "/7.parquet'");
        Golden.assertMatches("tables/" + table + ".csv", String.join("\n", lines) + "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "events",
                "spans",
                "stacks",
                "processes",
                "threads",
                "probes",
                "captures",
                "losses",
                "hit_summaries",
                "gaps",
                "costs"
            })
    void columnsAndTypesAreAsKept(String table) throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        List<String> lines = DuckDb.csv("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '" + tables + "/"
                + table + "/7.parquet')");
        Golden.assertMatches("tables/" + table + ".types.csv", String.join("\n", lines) + "\n");
    }

    /** DuckDB 1.5 reads them as TIMESTAMP WITH TIME ZONE, cut to microseconds; the file holds nanoseconds. */
    @Test
    void momentsAreInUtcAndHaveNanoseconds() throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows("SELECT DISTINCT type, logical_type FROM parquet_schema('" + tables
                        + "/*/7.parquet') WHERE name = 'ts' OR name LIKE '%@_ts' ESCAPE '@'"))
                .containsExactly("INT64,\"TimestampType(isAdjustedToUTC=1, unit=TimeUnit(MILLIS=<null>, MICROS=<null>,"
                        + " NANOS=NanoSeconds()))\"");
    }

    @Test
    void everyEventOfTheSampleIsAccountedFor() throws Exception {
        ConversionOutcome outcome = Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(outcome.events().read()).isEqualTo(SampleRecording.EVENTS);
        assertThat(outcome.events().written()).isEqualTo(SampleRecording.EVENTS);
        assertThat(outcome.warnings())
                .containsExactly(
                        "3 events were lost while recording; the table losses has their times",
                        "2 spans have no end; their duration_ns is NULL",
                        "1 events are of probes that the recording does not describe",
                        "1 events have stacks that the recording does not hold");
        assertThat(DuckDb.value("SELECT (SELECT count(*) FROM " + DuckDb.table(tables, "events")
                        + ") + (SELECT count(*) FROM " + DuckDb.table(tables, "spans") + ")"))
                .isEqualTo(Integer.toString(SampleRecording.EVENTS));
    }

    /** Readers rule out row groups by them; a long text is noted by its beginning. */
    @Test
    void textsHaveBoundsOfAtMost32Bytes() throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        String file = tables + "/spans/7.parquet";
        assertThat(DuckDb.rows("SELECT DISTINCT path_in_schema FROM parquet_metadata('" + file
                        + "') WHERE type = 'BYTE_ARRAY' AND num_values > stats_null_count"
                        + " AND (stats_min_value IS NULL OR stats_max_value IS NULL"
                        + " OR strlen(stats_min_value) > 32 OR strlen(stats_max_value) > 32)"))
                .isEmpty();
        assertThat(DuckDb.value("SELECT count(*) FROM parquet_metadata('" + file
                        + "') WHERE path_in_schema = 'probe' AND stats_max_value >= stats_min_value"))
                .isNotEqualTo("0");
        // A reader must not take the bounds for values.
        for (String aggregate : List.of("max", "min")) {
            assertThat(DuckDb.value("SELECT " + aggregate + "(s0) FROM '" + file + "'"))
                    .isEqualTo(DuckDb.value("SELECT " + aggregate + "(s0 || '') FROM '" + file + "'"));
        }
    }

    @Test
    void footersSayTheCaptureAndItsSequences() throws Exception {
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows("SELECT decode(key), decode(value) FROM parquet_kv_metadata('" + tables
                        + "/spans/7.parquet') ORDER BY ALL"))
                .containsExactly(
                        "probestream.capture,7",
                        "probestream.first_sequence,0",
                        "probestream.format,3.0",
                        "probestream.last_sequence,20",
                        "probestream.program," + FormatStamp.OWN.program(),
                        "probestream.tool_version,0.1.0");
    }
}
