package dev.probestream.query;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.duckdb.DuckDBDriver;

/** How DuckDB is set up: in memory, within limits, in UTC, and without fetching extensions from the network. */
final class DuckDbDatabase {
    private DuckDbDatabase() {}

    /**
     * @param spillFolder where goes what exceeds the memory; made when it is needed
     * @param isStreaming results are computed while they are read, and a statement ends the result of the one before
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
        // Not by DriverManager: a class path without DuckDB is to end in a NoClassDefFoundError that names it.
        Connection connection = new DuckDBDriver().connect("jdbc:duckdb:", properties);
        try {
            // Options of DuckDB's built-in extensions are not known before it runs.
            execute(connection, "SET GLOBAL TimeZone = 'UTC'");
            execute(connection, "SET GLOBAL parquet_metadata_cache = true");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
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
