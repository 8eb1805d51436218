package dev.probestream.cli.endtoend;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Somebody else's reader of Parquet. */
final class DuckDb {
    private DuckDb() {}

    /** The only number of the result. */
    static long number(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }

    /** All rows of the result, each with its values by the columns' names; what is NULL is not there. */
    static List<Map<String, Object>> rows(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            List<Map<String, Object>> rows = new ArrayList<>();
            while (result.next()) {
                Map<String, Object> row = new HashMap<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    Object value = result.getObject(i);
                    if (value != null) {
                        row.put(result.getMetaData().getColumnName(i), value);
                    }
                }
                rows.add(row);
            }
            return rows;
        }
    }
}
