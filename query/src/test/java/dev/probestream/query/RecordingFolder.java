package dev.probestream.query;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;

/** Tables in the shape of a recording, filled by SQL and written as a folder of Parquet files. */
public final class RecordingFolder implements AutoCloseable {
    private final Connection connection;

    private RecordingFolder(Connection connection) {
        this.connection = connection;
    }

    /** All tables of a recording, empty. */
    public static RecordingFolder create() throws SQLException {
        RecordingFolder folder = new RecordingFolder(DriverManager.getConnection("jdbc:duckdb:"));
        folder.execute("SET TimeZone = 'UTC'");
        for (RecordedTable table : RecordedTable.values()) {
            String columns = table.columns().stream()
                    .map(column -> Sql.name(column.name()) + " " + column.type())
                    .collect(Collectors.joining(", "));
            folder.execute("CREATE TABLE " + table.sqlName() + " (" + columns + ")");
        }
        return folder;
    }

    /** Owned by this object. */
    public Connection connection() {
        return connection;
    }

    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Those tables that have rows, as {@code FOLDER/TABLE/name.parquet}. */
    public Path write(Path folder) throws SQLException, IOException {
        for (RecordedTable table : RecordedTable.values()) {
            if (!DuckDbDatabase.column(connection, "SELECT 1 FROM " + table.sqlName() + " LIMIT 1")
                    .isEmpty()) {
                Path files = Files.createDirectories(folder.resolve(table.sqlName()));
                execute("COPY " + table.sqlName() + " TO "
                        + Sql.text(files.resolve("rows.parquet").toString()));
            }
        }
        return folder;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
