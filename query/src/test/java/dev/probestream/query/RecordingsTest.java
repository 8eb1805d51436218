package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.convert.ConversionProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be opened, and what is said of what cannot. */
class RecordingsTest {
    @TempDir
    private Path folder;

    private final Limits limits = new Limits(256L << 20, 1);

    RecordingsTest() {
        folder = Path.of("");
    }

    @Test
    void aRecordingIsConvertedAndItsTablesAreDeletedAtTheEnd() throws Exception {
        Path file = AvroRecording.write(folder.resolve("a.avro"), 4);
        Recordings recordings = open(file);
        try (recordings) {
            assertThat(rows(recordings, "SELECT count(*) FROM spans")).containsExactly("4");
            assertThat(rows(recordings, "SELECT path FROM probe_uv_fs_open ORDER BY sequence"))
                    .containsExactly("/file-0", "/file-1", "/file-2", "/file-3");
            assertThat(rows(recordings, "SELECT ordinal || ' ' || path || ' ' || capture_id FROM inputs"))
                    .containsExactly("1 " + file + " 7");
            assertThat(recordings.warnings())
                    .containsExactly("the capture on host-a has no end record: it was cut off, or is still running");
            assertThat(recordings.temporaryFolder()).isDirectory();
        }
        assertThat(recordings.temporaryFolder()).doesNotExist();
    }

    @Test
    void tablesThatNobodyWroteAreThereAndEmpty() throws Exception {
        try (Recordings recordings = open(AvroRecording.write(folder.resolve("a.avro"), 1))) {
            for (RecordedTable table : RecordedTable.values()) {
                List<String> columns = rows(
                        recordings,
                        "SELECT column_name FROM duckdb_columns() WHERE table_name = '" + table.sqlName()
                                + "' ORDER BY column_index");
                assertThat(columns)
                        .containsExactlyElementsOf(table.columns().stream()
                                .map(RecordedTable.Column::name)
                                .toList());
            }
            assertThat(rows(recordings, "SELECT count(*) FROM losses")).containsExactly("0");
        }
    }

    @Test
    void hourFoldersOfASinkAreOneTableWithoutTheirFoldersAsColumns() throws Exception {
        Path sink = tables("sink", 7);
        Path events = sink.resolve("events/rows.parquet");
        for (String hour : List.of("day=2026-11-21/hour=9", "day=2026-11-21/hour=10")) {
            Files.createDirectories(sink.resolve("events").resolve(hour));
            Files.copy(events, sink.resolve("events").resolve(hour).resolve("slice.parquet"));
        }
        Files.move(events, sink.resolve("events/.rows.parquet.1.part"));
        try (Recordings recordings = open(sink)) {
            assertThat(rows(recordings, "SELECT count(*) FROM events")).containsExactly("2");
            assertThat(rows(recordings, "SELECT count(*) FROM duckdb_columns() WHERE column_name = 'hour'"))
                    .containsExactly("0");
        }
    }

    @Test
    void symbolicLinksToTablesAndHoursAreFollowed() throws Exception {
        Path real = tables("real", 7);
        Path linked = Files.createDirectory(folder.resolve("linked"));
        for (String table : List.of("captures", "events")) {
            Files.createSymbolicLink(linked.resolve(table), real.resolve(table));
        }
        Path hour = Files.createDirectory(folder.resolve("hour"));
        Files.copy(real.resolve("events/rows.parquet"), hour.resolve("slice.parquet"));
        Files.createSymbolicLink(real.resolve("events/hour=9"), hour);
        Files.createSymbolicLink(folder.resolve("link"), linked);

        try (Recordings recordings = open(folder.resolve("link"))) {
            assertThat(rows(recordings, "SELECT count(*) FROM events")).containsExactly("2");
        }
    }

    @Test
    void aSymbolicLinkThatLeadsBackIsRefused() throws Exception {
        Path sink = tables("sink", 7);
        Files.createSymbolicLink(sink.resolve("events/all"), sink);

        assertThatThrownBy(() -> open(sink))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining(
                        "a symbolic link leads back to a folder above it: " + sink.resolve("events/all/events"));
    }

    @Test
    void columnsThatAnEarlierVersionDidNotHaveAreNull() throws Exception {
        Path older = folder.resolve("older");
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("INSERT INTO captures BY NAME SELECT 8 AS capture_id");
            tables.execute("ALTER TABLE events DROP COLUMN stack_id");
            tables.execute("ALTER TABLE events DROP COLUMN host");
            tables.execute("ALTER TABLE events ALTER COLUMN pid TYPE BIGINT");
            tables.execute("INSERT INTO events BY NAME SELECT 8 AS capture_id, 100 AS pid, 5 AS mono_ns");
            tables.write(older);
        }
        try (Recordings recordings = open(tables("newer", 7), older)) {
            assertThat(rows(
                            recordings,
                            "SELECT capture_id || ' ' || pid || ' ' || coalesce(stack_id, -1) || ' ' || typeof(pid)"
                                    + " || ' ' || coalesce(host, 'none')"
                                    + " FROM events ORDER BY capture_id"))
                    .containsExactly("7 100 3 INTEGER host-a", "8 100 -1 INTEGER none");
        }
    }

    /** Tables and recordings were made before requests had a protocol and what follows it. */
    @Test
    void requestsOfAnEarlierVersionStandBesideNewOnes() throws Exception {
        Path older = folder.resolve("older");
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("INSERT INTO captures BY NAME SELECT 8 AS capture_id");
            List<String> names = RecordedTable.REQUESTS.columns().stream()
                    .map(RecordedTable.Column::name)
                    .toList();
            for (String name : names.subList(names.indexOf("protocol"), names.size())) {
                tables.execute("ALTER TABLE requests DROP COLUMN " + name);
            }
            tables.execute("INSERT INTO requests BY NAME SELECT 8 AS capture_id, 1 AS request_id, 'GET' AS method");
            tables.write(older);
        }
        Path newer = folder.resolve("newer");
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("INSERT INTO captures BY NAME SELECT 7 AS capture_id");
            tables.execute("INSERT INTO requests BY NAME SELECT 7 AS capture_id, 1 AS request_id, 3 AS rows,"
                    + " 'SELECT users' AS operation, 'pg' AS caller_package");
            tables.write(newer);
        }
        try (Recordings recordings = open(newer, older)) {
            assertThat(rows(
                            recordings,
                            "SELECT capture_id || ' ' || coalesce(method, 'none') || ' ' || coalesce(operation, 'none')"
                                    + " || ' ' || coalesce(rows, -1) || ' ' || coalesce(caller_package, 'none') ||"
                                    + " typeof(waited_ns) FROM requests ORDER BY capture_id"))
                    .containsExactly("7 none SELECT users 3 pgBIGINT", "8 GET none -1 noneBIGINT");
        }
    }

    @Test
    void aPathMayHaveTheSignsOfAPattern() throws Exception {
        Path odd = tables("it's [a] *?", 7);
        tables("it's [a] ab", 8);
        try (Recordings recordings = open(odd)) {
            assertThat(rows(recordings, "SELECT capture_id FROM events")).containsExactly("7");
        }
    }

    @Test
    void aCaptureThatIsGivenTwiceIsRefused() throws Exception {
        Path tables = tables("tables", 7);
        Path file = AvroRecording.write(folder.resolve("a.avro"), 1);
        assertRefused(
                "cannot read both " + tables + " and " + file
                        + ": both hold capture 7, so its events would be counted twice; name one of them",
                tables,
                file);
    }

    @Test
    void whatIsNoRecordingIsRefusedWithWhatToNameInstead() throws Exception {
        Path outer = folder.resolve("outer");
        Path tables = tables("outer/tables", 7);
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path text = Files.writeString(folder.resolve("notes.txt"), "hello");
        Path trace = Files.writeString(folder.resolve("a.pftrace"), "hello");
        Path missing = folder.resolve("missing.avro");
        assertRefused("cannot read " + missing + ": there is no such file or folder", missing);
        assertRefused(
                "cannot read " + text + ": it is neither an .avro recording nor a folder of Parquet tables", text);
        assertRefused(
                "cannot read " + trace
                        + ": it is a trace for a viewer; pass the .avro recording, or the tables written by 'convert -o DIR/'",
                trace);
        assertRefused(
                "cannot read " + empty + ": it contains no tables, such as events/*.parquet; pass the folder that"
                        + " 'convert -o DIR/' or 'sink parquet -o DIR' wrote, or an .avro recording",
                empty);
        assertRefused("cannot read " + outer + ": the tables are in a subfolder; pass that: " + tables, outer);
        Path events = tables.resolve("events");
        assertRefused(
                "cannot read " + events + ": it is one table of a folder of tables; pass that folder: " + tables,
                events);
        Path file = events.resolve("rows.parquet");
        assertRefused(
                "cannot read " + file + ": it is a file of one table; pass the folder that contains the tables", file);
        AvroRecording.write(empty.resolve("a.avro"), 1);
        assertRefused(
                "cannot read " + empty + ": it contains no tables but 1 recordings; pass those: "
                        + empty.resolve("*.avro"),
                empty);
    }

    @Test
    void aDamagedRecordingIsRefusedWithWhatToDoAboutTheOthers() throws Exception {
        Path whole = AvroRecording.write(folder.resolve("whole.avro"), 1);
        Path damaged = folder.resolve("damaged.avro");
        Files.write(damaged, Arrays.copyOf(Files.readAllBytes(whole), 20));
        String advice = "; answers without it would be incomplete: to query the others, leave it out";
        for (List<Path> paths : List.of(List.of(whole, damaged), List.of(damaged, whole))) {
            assertThatThrownBy(() -> open(paths.toArray(Path[]::new)))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining(damaged.toString())
                    .hasMessageEndingWith(advice);
        }
        assertThatThrownBy(() -> open(damaged))
                .hasMessageContaining(damaged.toString())
                .hasMessageNotContaining(advice);
    }

    @Test
    void hostOfAnEventMayBeReadBesideThatOfItsCapture() throws Exception {
        try (Recordings recordings = open(tables("tables", 7))) {
            assertThat(rows(recordings, "SELECT e.host FROM events e JOIN captures c USING (capture_id)"))
                    .containsExactly("host-a");
        }
    }

    /** One event. */
    private Path tables(String name, int capture) throws SQLException, IOException {
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("INSERT INTO captures BY NAME SELECT " + capture + " AS capture_id");
            tables.execute("INSERT INTO events BY NAME SELECT " + capture
                    + " AS capture_id, 100 AS pid, 5 AS mono_ns, 3 AS stack_id, 'host-a' AS host");
            return tables.write(folder.resolve(name));
        }
    }

    private Recordings open(Path... paths) throws QueryException {
        return Recordings.open(List.of(paths), limits, ConversionProgress.NONE);
    }

    private void assertRefused(String message, Path... paths) {
        assertThatThrownBy(() -> open(paths)).isInstanceOf(QueryException.class).hasMessage(message);
    }

    private static List<String> rows(Recordings recordings, String sql) throws SQLException {
        return DuckDbDatabase.column(recordings.connection(), sql);
    }
}
