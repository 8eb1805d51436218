package dev.probestream.query.session;

import dev.probestream.query.QueryException;
import dev.probestream.query.SqlMessage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table or view, and its columns in order. */
public record Relation(String name, List<String> columns) {
    public Relation {
        columns = List.copyOf(columns);
    }

    static List<Relation> all(Connection connection) throws QueryException {
        Map<String, List<String>> columnsByName = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT table_name, column_name FROM duckdb_columns()"
                        + " WHERE NOT internal AND schema_name = 'main' ORDER BY table_name, column_index")) {
            while (row.next()) {
                columnsByName
                        .computeIfAbsent(row.getString(1), name -> new ArrayList<>())
                        .add(row.getString(2));
            }
        } catch (SQLException e) {
            throw new QueryException("cannot list the tables: " + SqlMessage.of(e), e);
        }
        return columnsByName.entrySet().stream()
                .map(entry -> new Relation(entry.getKey(), entry.getValue()))
                .toList();
    }
}
