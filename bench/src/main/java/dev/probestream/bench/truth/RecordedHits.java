package dev.probestream.bench.truth;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the comparison needs of tables that {@code convert} wrote.
 *
 * @param hits in the order of their begin
 * @param callbacks of the loop
 */
record RecordedHits(List<OwnedHit> hits, List<Callback> callbacks) {
    /** What {@code OrderBook} of server.js makes. */
    private static final String NAME = "n\\d+_[sfo]\\d+";

    private static final List<String> TABLES = List.of("requests", "request_events", "events", "spans");

    /** An event can be of several requests only by a fault: each counts. The sources are columns, or empty texts. */
    private static final String ALL = """
            WITH servers AS (
              SELECT capture_id, request_id, url, mono_ns AS begin_ns, mono_ns + duration_ns AS end_ns
              FROM requests WHERE side = 'SERVER'),
            opened AS (
              SELECT capture_id, sequence, mono_ns, probe || ' ' || s0 AS what, regexp_extract(s0, 'NAME') AS name
              FROM events WHERE category = 'node-fs'
              UNION ALL
              SELECT capture_id, sequence, mono_ns, probe || ' ' || s0, regexp_extract(s0, 'NAME')
              FROM spans WHERE category = 'node-fs')
            SELECT name, what, mono_ns, sequence, EVENT_SOURCE AS source, begin_ns, end_ns, url, NULL AS waited_ns
            FROM opened LEFT JOIN request_events AS owned USING (capture_id, sequence) LEFT JOIN servers USING (capture_id, request_id)
            WHERE name <> ''
            UNION ALL
            SELECT regexp_extract(coalesce(c.statement, c.url), 'NAME') AS name, coalesce(c.statement, c.url), c.mono_ns, c.request_id,
              REQUEST_SOURCE, begin_ns, end_ns, s.url, c.waited_ns
            FROM requests c LEFT JOIN servers s ON c.capture_id = s.capture_id AND c.parent_request_id = s.request_id
            WHERE c.side = 'CLIENT' AND name <> ''
            ORDER BY mono_ns
            """;

    /** The phases of the loop, which contain callbacks, are left out. */
    private static final String CALLBACKS = """
            SELECT mono_ns, mono_ns + duration_ns AS end_ns FROM spans
            WHERE category = 'node-loop' AND probe IN ('stream I/O', 'pool completions', 'JS timers', 'JS immediates', 'microtasks')
            """;

    static RecordedHits read(Path tables) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute(
                        "CREATE VIEW " + table + " AS FROM read_parquet('" + tables.resolve(table) + "/**/*.parquet')");
            }
            String query = ALL.replace("NAME", NAME)
                    .replace("REQUEST_SOURCE", source(statement, "requests", "c.parent_source"))
                    .replace("EVENT_SOURCE", source(statement, "request_events", "owned.source"));
            List<OwnedHit> hits = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(query)) {
                while (row.next()) {
                    hits.add(hit(row));
                }
            }
            List<Callback> callbacks = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(CALLBACKS)) {
                while (row.next()) {
                    callbacks.add(new Callback(row.getLong("mono_ns"), row.getLong("end_ns")));
                }
            }
            return new RecordedHits(hits, callbacks);
        }
    }

    private static OwnedHit hit(ResultSet row) throws SQLException {
        Long beginNs = number(row, "begin_ns");
        OwnedHit.Owner owner =
                beginNs == null ? null : new OwnedHit.Owner(row.getString("url"), beginNs, row.getLong("end_ns"));
        String source = row.getString("source");
        return new OwnedHit(
                row.getString("name"),
                row.getString("what"),
                row.getLong("mono_ns"),
                row.getLong("sequence"),
                source == null ? "" : source,
                owner,
                number(row, "waited_ns"));
    }

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    /** A column, or an empty text if the table is of a version that does not have it. */
    private static String source(Statement statement, String table, String column) throws SQLException {
        try (ResultSet columns = statement.executeQuery("DESCRIBE " + table)) {
            while (columns.next()) {
                if (column.endsWith("." + columns.getString("column_name"))) {
                    return column;
                }
            }
            return "''";
        }
    }
}
