package dev.probestream.query;

import dev.probestream.schema.format.FormatStamp;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Refuses tables of a newer format, whose columns may mean something else. */
final class TableFormat {
    private final Connection connection;

    TableFormat(Connection connection) {
        this.connection = connection;
    }

    /**
     * Checks the footers of the table {@code captures}, of which every conversion writes a file. Files that cannot be read
     * are passed over: {@link DamagedFile} reports them.
     */
    void requireReadable(List<Path> captureFiles) throws QueryException {
        for (Map.Entry<String, Map<String, String>> file : footers(captureFiles).entrySet()) {
            FormatStamp stamp = FormatStamp.of(file.getValue()::get);
            if (!stamp.isReadable()) {
                throw new QueryException("cannot read " + file.getKey() + ": " + stamp.refusal());
            }
        }
    }

    /** Our entries, by file. */
    private Map<String, Map<String, String>> footers(List<Path> files) {
        if (files.isEmpty()) {
            return Map.of();
        }
        try {
            return read(files);
        } catch (SQLException e) {
            Map<String, Map<String, String>> readable = new TreeMap<>();
            if (files.size() > 1) {
                files.forEach(file -> readable.putAll(footers(List.of(file))));
            }
            return readable;
        }
    }

    private Map<String, Map<String, String>> read(List<Path> files) throws SQLException {
        Map<String, Map<String, String>> footers = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet entries = statement.executeQuery(
                        "SELECT file_name, decode(key), decode(value) FROM parquet_kv_metadata(" + Sql.files(files)
                                + ") WHERE decode(key) IN ('" + FormatStamp.FORMAT_KEY + "', '"
                                + FormatStamp.PROGRAM_KEY + "')")) {
            while (entries.next()) {
                footers.computeIfAbsent(entries.getString(1), file -> new HashMap<>())
                        .put(entries.getString(2), entries.getString(3));
            }
        }
        return footers;
    }
}
