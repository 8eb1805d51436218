package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.ConversionProgress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The views with named arguments. */
class ProbeViewsTest {
    @TempDir
    private Path folder;

    ProbeViewsTest() {
        folder = Path.of("");
    }

    @Test
    void argumentsHaveTheirNamesAndLabels() throws Exception {
        try (RecordingFolder tables = RecordingFolder.create()) {
            probe(
                    tables,
                    7,
                    1,
                    "GC",
                    "INSTANT",
                    argument("type", "s32", "a0", "MAP {'1': 'scavenge', '2': 'it''s'}"),
                    argument("forced", "bool", "a1", "MAP {}"),
                    argument("why", "str", "s0", "MAP {}"));
            tables.execute("INSERT INTO events BY NAME SELECT 7 AS capture_id, unnest([1, 2, 3, NULL]) AS a0, 1 AS a1,"
                    + " 'x' AS s0, 'GC' AS probe, 1 AS probe_id");
            assertThat(rows(
                            tables,
                            "SELECT coalesce(type, '-') || ' ' || forced || ' ' || why FROM probe_gc ORDER BY type"))
                    .containsExactly("3 true x", "it's true x", "scavenge true x", "- true x");
        }
    }

    @Test
    void probesOfOneNameWithOtherArgumentsAreUnitedByName() throws Exception {
        try (RecordingFolder tables = RecordingFolder.create()) {
            probe(tables, 7, 1, "open", "SPAN", argument("path", "str", "s0", "MAP {}"));
            probe(
                    tables,
                    8,
                    4,
                    "open",
                    "SPAN",
                    argument("fd", "s32", "a0", "MAP {}"),
                    argument("path", "str", "s0", "MAP {}"));
            probe(tables, 8, 5, "open", "INSTANT", argument("more", "s64", "more_numbers[2]", "MAP {}"));
            tables.execute(
                    "INSERT INTO spans BY NAME SELECT 7 AS capture_id, 1 AS probe_id, 'open' AS probe, 'a' AS s0");
            tables.execute(
                    "INSERT INTO spans BY NAME SELECT 8 AS capture_id, 4 AS probe_id, 'open' AS probe, 'b' AS s0, 3 AS a0");
            tables.execute("INSERT INTO events BY NAME SELECT 8 AS capture_id, 5 AS probe_id, 'open' AS probe,"
                    + " [10, 20] AS more_numbers");
            assertThat(
                            rows(
                                    tables,
                                    "SELECT concat_ws(' ', capture_id, path, 'fd', fd, 'more', more) FROM probe_open ORDER BY ALL"))
                    .containsExactly("7 a fd more", "8 b fd 3 more", "8 fd more 20");
        }
    }

    @Test
    void oddNamesAreMadeTypableAndStayApart() throws Exception {
        try (RecordingFolder tables = RecordingFolder.create()) {
            probe(
                    tables,
                    7,
                    1,
                    "gc.start",
                    "INSTANT",
                    argument("pid", "s32", "a0", "MAP {}"),
                    argument("odd \"name\"", "s32", "a1", "MAP {}"),
                    argument("", "s32", "a2", "MAP {}"));
            probe(
                    tables,
                    7,
                    2,
                    "GC start",
                    "INSTANT",
                    argument("x", "s32", "a0", "MAP {}"),
                    argument("X", "s32", "a1", "MAP {}"));
            probe(tables, 7, 3, "'; DROP TABLE inputs; --", "INSTANT", argument("a", "s32", "a0); DROP", "MAP {}"));
            assertThat(rows(tables, "SELECT name || ' = ' || probe FROM probe_views ORDER BY name"))
                    .containsExactly(
                            "probe__drop_table_inputs_ = '; DROP TABLE inputs; --",
                            "probe_gc_start = GC start",
                            "probe_gc_start_2 = gc.start");
            assertThat(rows(
                            tables,
                            "SELECT string_agg(column_name, ' ' ORDER BY column_index) FROM duckdb_columns()"
                                    + " WHERE table_name LIKE 'probe_gc%' GROUP BY table_name ORDER BY table_name"))
                    .containsExactly(
                            "ts mono_ns capture_id sequence pid tid cpu kind x X_2 return_value stack_id",
                            "ts mono_ns capture_id sequence pid tid cpu kind arg_pid odd \"name\" arg return_value stack_id");
        }
    }

    private static String argument(String name, String type, String column, String labels) {
        return "{name: " + Sql.text(name) + ", type: '" + type + "', unit: '', flow: 'NONE', \"column\": '" + column
                + "', labels: " + labels + "::MAP(VARCHAR, VARCHAR)}";
    }

    private static void probe(
            RecordingFolder tables, int capture, int id, String name, String kind, String... arguments)
            throws SQLException {
        tables.execute("INSERT INTO probes BY NAME SELECT " + capture + " AS capture_id, " + id + " AS probe_id, "
                + Sql.text(name) + " AS probe, '" + kind + "' AS kind, [" + String.join(", ", arguments)
                + "] AS arguments");
    }

    private List<String> rows(RecordingFolder tables, String sql) throws Exception {
        Path written = tables.write(folder.resolve("tables"));
        try (Recordings recordings =
                Recordings.open(List.of(written), new Limits(256L << 20, 1), ConversionProgress.NONE)) {
            return DuckDbDatabase.column(recordings.connection(), sql);
        }
    }
}
