package dev.probestream.convert;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Somebody else's reader of Parquet. */
final class DuckDb {
    private DuckDb() {}

    /** The result as CSV, a line per row, the names of the columns first; NULL is empty, an empty text is "". */
    static List<String> csv(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("SET TimeZone = 'UTC'");
            try (ResultSet result = statement.executeQuery("SELECT COLUMNS(*)::VARCHAR FROM (" + query + ")")) {
                return lines(result);
            }
        }
    }

    /** The result without the names of the columns. */
    static List<String> rows(String query) throws SQLException {
        List<String> lines = csv(query);
        return lines.subList(1, lines.size());
    }

    /** The rows of a table in a folder of tables, those of all its files. */
    static String table(Path folder, String table) {
        return "read_parquet('" + folder.resolve(table) + "/**/*.parquet')";
    }

    /** The only value of the result. */
    static String value(String query) throws SQLException {
        return rows(query).get(0);
    }

    private static List<String> lines(ResultSet result) throws SQLException {
        int columns = result.getMetaData().getColumnCount();
        List<String> lines = new ArrayList<>();
        List<String> cells = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
            cells.add(result.getMetaData().getColumnName(column));
        }
        lines.add(String.join(",", cells));
        while (result.next()) {
            cells.clear();
            for (int column = 1; column <= columns; column++) {
                cells.add(cell(result.getString(column)));
            }
            lines.add(String.join(",", cells));
        }
        return lines;
    }

    @SuppressWarnings("NullAway") // JDBC's null is SQL's
    private static String cell(String text) {
        if (text == null) {
            return "";
        }
        boolean isPlain = !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n');
        return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
