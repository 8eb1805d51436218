package dev.probestream.query;

import dev.probestream.query.InputReader.Input;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Creates the table {@code inputs}, which maps captures to paths. */
final class InputTable {
    /** The tables to read captures from: small tables first. */
    private static final List<List<RecordedTable>> SOURCES = List.of(
            List.of(RecordedTable.CAPTURES, RecordedTable.PROBES, RecordedTable.PROCESSES),
            List.of(RecordedTable.EVENTS, RecordedTable.SPANS));

    private final Connection connection;
    private final TableViews tables;

    InputTable(Connection connection, TableViews tables) {
        this.connection = connection;
        this.tables = tables;
    }

    /** @throws QueryException if a capture is in two inputs, because its events would be counted twice */
    void create(List<Input> inputs) throws QueryException, SQLException {
        DuckDbDatabase.execute(connection, "CREATE TABLE inputs (ordinal INTEGER, path VARCHAR, capture_id BIGINT)");
        Map<String, Path> pathByCapture = new HashMap<>();
        for (Input input : inputs) {
            for (String capture : captures(input)) {
                Path other = pathByCapture.putIfAbsent(capture, input.path());
                if (other != null) {
                    throw new QueryException(
                            "cannot read both " + other + " and " + input.path() + ": both hold capture " + capture
                                    + ", so its events would be counted twice; name one of them");
                }
                DuckDbDatabase.execute(
                        connection,
                        "INSERT INTO inputs VALUES (?, ?, ?)",
                        input.ordinal(),
                        input.path().toString(),
                        Long.parseLong(capture));
            }
        }
    }

    private Set<String> captures(Input input) throws SQLException, QueryException {
        Set<String> captures = new TreeSet<>();
        for (List<RecordedTable> sources : SOURCES) {
            List<String> selects = new ArrayList<>();
            for (RecordedTable table : sources) {
                List<Path> files = input.tables().files().getOrDefault(table, List.of());
                selects.add("SELECT capture_id FROM (" + tables.selectReadable(table, files) + ")");
            }
            captures.addAll(DuckDbDatabase.column(
                    connection,
                    "SELECT DISTINCT capture_id FROM (" + String.join(" UNION ALL ", selects)
                            + ") WHERE capture_id IS NOT NULL"));
            if (!captures.isEmpty()) {
                return captures;
            }
        }
        return captures;
    }
}
