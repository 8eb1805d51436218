package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.Conversion;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.RecordingRange;
import dev.probestream.query.TimeRange.Bound;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cut by time holds exactly what it should, and reads little else. */
class TimeRangeTest {
    private static final Limits LIMITS = new Limits(256L << 20, 1);

    @TempDir
    private Path folder;

    TimeRangeTest() {
        folder = Path.of("");
    }

    @Test
    void whatLiesInItIsWhatAPlainComparisonSays() throws Exception {
        Random random = new Random(7);
        Path tables = randomTables(random);
        try (Recordings all = open(tables, TimeRange.ALL)) {
            for (int i = 0; i < 20; i++) {
                long fromMs = random.nextInt(1_000);
                long toMs = fromMs + 1 + random.nextInt(500);
                boolean isRelative = random.nextBoolean();
                TimeRange window =
                        new TimeRange(Optional.of(bound(isRelative, fromMs)), Optional.of(bound(isRelative, toMs)));
                try (Recordings cut = open(tables, window)) {
                    for (String table : List.of("spans", "events")) {
                        assertThat(sequences(cut, table, "true"))
                                .as("%s of %s", table, window)
                                .isEqualTo(sequences(all, table, inWindow(table, isRelative, fromMs, toMs)));
                    }
                }
            }
        }
    }

    /** Two captures, of which the second began 300 ms later by the wall clock and on another machine's monotonic one. */
    private Path randomTables(Random random) throws Exception {
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("SELECT setseed(" + random.nextDouble() + ")");
            tables.execute(
                    "INSERT INTO captures BY NAME FROM (VALUES (7, make_timestamptz(1700000000000000), 5000000000),"
                            + " (8, make_timestamptz(1700000000300000), 90000000000)) AS c(capture_id, ts, mono_ns)");
            tables.execute("INSERT INTO spans BY NAME SELECT capture_id, range AS sequence,"
                    + " c.mono_ns + start AS mono_ns, c.ts + to_microseconds(start // 1000) AS ts,"
                    + " c.ts + to_microseconds((start + duration_ns) // 1000) AS end_ts, duration_ns FROM"
                    + " (SELECT range, 7 + range % 2 AS capture_id, (random() * 1000)::BIGINT * 1000000 AS start,"
                    + " CASE WHEN random() < 0.9 THEN (random() * 300)::BIGINT * 1000000 END AS duration_ns FROM range(400)) s"
                    + " JOIN captures c USING (capture_id)");
            tables.execute("INSERT INTO events BY NAME SELECT capture_id, sequence, mono_ns, ts FROM spans");
            return tables.write(folder.resolve("tables"));
        }
    }

    private static Bound bound(boolean isRelative, long ms) {
        return isRelative
                ? Bound.sinceStart(Duration.ofMillis(ms))
                : Bound.at(Instant.ofEpochMilli(1_700_000_000_000L + ms));
    }

    private static String inWindow(String table, boolean isRelative, long fromMs, long toMs) {
        String began = isRelative
                ? "mono_ns - (SELECT mono_ns FROM captures c WHERE c.capture_id = t.capture_id)"
                : "(epoch_us(ts) - 1700000000000000) * 1000";
        String ended = table.equals("spans") ? began + " + coalesce(duration_ns, 1000000000000)" : began;
        return began + " < " + toMs + " * 1000000 AND " + ended + " >= " + fromMs + " * 1000000";
    }

    @Test
    void rowGroupsOutsideOfItAreNotRead() throws Exception {
        int spans = 500_000; // of 122,880 in each row group
        Path tables = Files.createDirectory(folder.resolve("many"));
        Conversion.run(List.of(AvroRecording.write(folder.resolve("many.avro"), spans)), tables, RecordingRange.ALL);
        Duration at = Duration.ofNanos(AvroRecording.STEP_NS * spans / 2);
        TimeRange window =
                new TimeRange(Optional.of(Bound.sinceStart(at)), Optional.of(Bound.sinceStart(at.plusSeconds(1))));
        try (Recordings all = open(tables, TimeRange.ALL);
                Recordings cut = open(tables, window)) {
            assertThat(DuckDbDatabase.column(cut.connection(), "SELECT count(*) FROM spans"))
                    .containsExactly("100");
            // Of the columns that are asked for one group in five; of those that are compared, more.
            assertThat(bytesRead(cut)).isPositive().isLessThan(bytesRead(all) / 2);
        }
    }

    /** From the file, by DuckDB's own log. */
    private static long bytesRead(Recordings recordings) throws SQLException {
        DuckDbDatabase.execute(recordings.connection(), "CALL enable_logging('FileSystem')");
        DuckDbDatabase.column(recordings.connection(), "SELECT max(s0), max(return_value) FROM spans");
        return Long.parseLong(DuckDbDatabase.column(
                        recordings.connection(),
                        "SELECT sum(regexp_extract(message, 'bytes[^0-9]*([0-9]+)', 1)::BIGINT) FROM duckdb_logs"
                                + " WHERE message LIKE '%READ%'")
                .get(0));
    }

    @Test
    void hoursOutsideOfItAreNotOpened() throws Exception {
        Path sink = folder.resolve("sink");
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("INSERT INTO captures BY NAME SELECT 7 AS capture_id, 0 AS mono_ns,"
                    + " TIMESTAMPTZ '2026-11-21 09:00:00Z' AS ts");
            tables.execute("INSERT INTO events BY NAME SELECT 7 AS capture_id, 3600000000000 AS mono_ns,"
                    + " TIMESTAMPTZ '2026-11-21 10:00:00Z' AS ts");
            tables.write(sink);
        }
        Path hour10 = Files.createDirectories(sink.resolve("events/day=2026-11-21/hour=10"));
        Files.move(sink.resolve("events/rows.parquet"), hour10.resolve("a.parquet"));
        for (int hour : List.of(9, 11)) {
            Path broken = Files.createDirectories(sink.resolve("events/day=2026-11-21/hour=" + hour));
            Files.writeString(broken.resolve("a.parquet"), "whoever opens this fails");
        }
        TimeRange byClock = new TimeRange(
                Optional.of(Bound.at(Instant.parse("2026-11-21T10:00:00Z"))),
                Optional.of(Bound.at(Instant.parse("2026-11-21T10:59:59Z"))));
        try (Recordings cut = open(sink, byClock)) {
            assertThat(sequences(cut, "events", "true")).hasSize(1);
        }
        try (Recordings cut =
                open(sink, new TimeRange(byClock.from(), Optional.of(Bound.sinceStart(Duration.ofMinutes(110)))))) {
            assertThat(sequences(cut, "events", "true")).hasSize(1);
        }
    }

    private static List<String> sequences(Recordings recordings, String table, String condition) throws SQLException {
        return DuckDbDatabase.column(
                recordings.connection(), "SELECT sequence FROM " + table + " t WHERE " + condition + " ORDER BY 1");
    }

    private static Recordings open(Path tables, TimeRange window) throws QueryException {
        return Recordings.open(List.of(tables), window, LIMITS, ConversionProgress.NONE);
    }
}
