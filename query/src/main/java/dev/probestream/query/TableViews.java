package dev.probestream.query;

import dev.probestream.query.InputReader.Input;
import dev.probestream.query.RecordedTable.Column;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Creates one view over all files of a table. Columns that a file does not have (tables of an earlier version) are NULL in
 * its rows.
 */
final class TableViews {
    private final Connection connection;
    private final Map<RecordedTable, String> damages = new EnumMap<>(RecordedTable.class);

    TableViews(Connection connection) {
        this.connection = connection;
    }

    /** Creates all views over the rows of {@code inputs} in {@code timeRange}. */
    void create(List<Input> inputs, TimeRange timeRange) throws QueryException {
        create(RecordedTable.CAPTURES, inputs, new TimeRangeFilter(TimeRange.ALL, List.of()));
        String damage = damages.get(RecordedTable.CAPTURES);
        if (damage != null && timeRange.isRelative()) {
            throw new QueryException(
                    damage + "; --from and --to can be timestamps only, because it has the start of each capture");
        }
        TimeRangeFilter filter = new TimeRangeFilter(timeRange, starts());
        for (RecordedTable table : RecordedTable.values()) {
            if (table != RecordedTable.CAPTURES) {
                create(table, inputs, filter);
            }
        }
    }

    private void create(RecordedTable table, List<Input> inputs, TimeRangeFilter timeRange) throws QueryException {
        List<Path> files = inputs.stream()
                .flatMap(input -> input.tables().files().getOrDefault(table, List.of()).stream())
                .filter(file -> HourFolder.canHold(file, table, timeRange))
                .toList();
        String rows = select(table, files);
        String inTimeRange = timeRange
                .condition(table)
                .map(condition -> "SELECT * FROM (" + rows + ") WHERE " + condition)
                .orElse(rows);
        try {
            DuckDbDatabase.execute(connection, "CREATE VIEW " + table.sqlName() + " AS " + inTimeRange);
        } catch (SQLException e) {
            throw unreadable(table, e);
        }
    }

    /** The tables of which a file is damaged, with a sentence for each; a query of such a table fails with it. */
    Map<RecordedTable, String> damages() {
        return Map.copyOf(damages);
    }

    private List<CaptureStartTime> starts() throws QueryException {
        if (damages.containsKey(RecordedTable.CAPTURES)) {
            return List.of();
        }
        try {
            return CaptureStartTime.all(connection);
        } catch (SQLException e) {
            throw unreadable(RecordedTable.CAPTURES, e);
        }
    }

    /** A query with all columns of the table, whichever the files have; it fails with a sentence if one of them is damaged. */
    String select(RecordedTable table, List<Path> files) throws QueryException {
        List<DamagedFile> damaged = new ArrayList<>();
        String select = select(table, files, damaged);
        if (damaged.isEmpty()) {
            return select;
        }
        String sentence = damaged.get(0).sentence(damaged.size(), files.size());
        damages.put(table, sentence);
        return "SELECT " + columns(table, Map.of()) + " FROM (SELECT error(" + Sql.text(sentence)
                + ") AS failure) WHERE failure IS NOT NULL";
    }

    /** As above, without the damaged files. */
    String selectReadable(RecordedTable table, List<Path> files) throws QueryException {
        return select(table, files, new ArrayList<>());
    }

    private String select(RecordedTable table, List<Path> files, List<DamagedFile> damaged) throws QueryException {
        if (files.isEmpty()) {
            return "SELECT " + columns(table, Map.of()) + " WHERE false";
        }
        try {
            boolean isOfOneKind = files.size() == 1 || haveSameColumns(files);
            String source = "read_parquet(" + Sql.files(files) + ", hive_partitioning = false, union_by_name = "
                    + !isOfOneKind + ")";
            return "SELECT " + columns(table, typesByName(source)) + " FROM " + source;
        } catch (SQLException e) {
            damaged.addAll(DamagedFile.byFooter(connection, table, files));
            if (damaged.isEmpty()) {
                throw unreadable(table, e);
            }
            Set<Path> left = new LinkedHashSet<>(files);
            damaged.forEach(one -> left.remove(one.file()));
            return select(table, List.copyOf(left), new ArrayList<>());
        }
    }

    private static QueryException unreadable(RecordedTable table, SQLException cause) {
        return new QueryException(
                "cannot read the table " + table.sqlName() + ": " + SqlMessage.of(cause)
                        + "; if a file is truncated, copy it again or move it out of the folder",
                cause);
    }

    private static String columns(RecordedTable table, Map<String, String> typesByName) {
        List<String> columns = new ArrayList<>();
        for (Column column : table.columns()) {
            String name = Sql.name(column.name());
            if (!typesByName.containsKey(column.name())) {
                columns.add("NULL::" + column.type() + " AS " + name);
            } else {
                // Casts only if the type differs, so that filters can use the files' statistics.
                boolean isWantedType = isSameType(typesByName.get(column.name()), column.type());
                columns.add(isWantedType ? name : name + "::" + column.type() + " AS " + name);
            }
        }
        return String.join(", ", columns);
    }

    private static boolean isSameType(String inFile, String wanted) {
        return plain(inFile).equals(plain(wanted));
    }

    private static String plain(String type) {
        return type.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
                .replaceAll("[\\s\"]", "")
                .toUpperCase(Locale.ROOT);
    }

    private boolean haveSameColumns(List<Path> files) throws SQLException {
        return DuckDbDatabase.column(
                                connection,
                                "SELECT DISTINCT columns FROM (SELECT file_name, string_agg(name || ' ' ||"
                                        + " coalesce(type, '') || ' ' || coalesce(logical_type, ''), ',' ORDER BY name)"
                                        + " AS columns FROM parquet_schema(" + Sql.files(files)
                                        + ") GROUP BY file_name) LIMIT 2")
                        .size()
                == 1;
    }

    private Map<String, String> typesByName(String source) throws SQLException {
        Map<String, String> types = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + source + ")")) {
            while (result.next()) {
                types.put(result.getString(1), result.getString(2));
            }
        }
        return types;
    }
}
