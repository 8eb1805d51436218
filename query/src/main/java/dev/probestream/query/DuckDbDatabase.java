package dev.probestream.query;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.duckdb.DuckDBDriver;

/** Opens DuckDB: in memory, within limits, in UTC, and without fetching extensions from the network. */
final class DuckDbDatabase {
    private DuckDbDatabase() {}

    /**
     * @param spillFolder the folder for data that exceeds the memory limit; created when needed
     * @param isStreaming results are computed while they are read, and each statement ends the previous result
     */
    static Connection open(Limits limits, Path spillFolder, boolean isStreaming) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("memory_limit", limits.memoryBytes() + "B");
        properties.setProperty("threads", String.valueOf(limits.threads()));
        properties.setProperty("temp_directory", spillFolder.toString());
        properties.setProperty("autoinstall_known_extensions", "false");
        properties.setProperty("autoload_known_extensions", "false");
        properties.setProperty("allow_community_extensions", "false");
        properties.setProperty("jdbc_stream_results", String.valueOf(isStreaming));
        // Not DriverManager: without DuckDB on the class path, this gives a NoClassDefFoundError that names it.
        Connection connection = new DuckDBDriver().connect("jdbc:duckdb:", properties);
        try {
            // Options of DuckDB's built-in extensions can only be set after it has started.
            execute(connection, "SET GLOBAL TimeZone = 'UTC'");
            execute(connection, "SET GLOBAL parquet_metadata_cache = true");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Denies all files but these, the network and settings. DuckDB's own temporary folder stays allowed. */
    static void confine(Connection connection, Set<String> paths) throws SQLException {
        execute(connection, "SET GLOBAL allowed_paths = " + list(paths));
        execute(connection, "SET GLOBAL enable_external_access = false");
        execute(connection, "SET GLOBAL lock_configuration = true");
    }

    private static String list(Set<String> texts) {
        return texts.stream().map(Sql::text).collect(Collectors.joining(", ", "[", "]::VARCHAR[]"));
    }

    /** @param values of the {@code ?} in {@code sql} */
    static void execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
        }
    }

    /** The first column of all rows; SQL's NULL is the text "NULL". */
    static List<String> column(Connection connection, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                values.add(String.valueOf(result.getString(1)));
            }
        }
        return values;
    }
}
