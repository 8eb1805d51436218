package dev.probestream.query;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A file of a table that cannot be read.
 *
 * @param reason what DuckDB said
 */
record DamagedFile(RecordedTable table, Path file, String reason) {
    /** DuckDB's messages about a Parquet file whose pages or footer are damaged; often without the name of the file. */
    private static final Pattern SIGN = Pattern.compile(
            "\\A(?:Invalid|IO|INTERNAL) Error:|[Cc]orrupt|[Pp]arquet|TProtocol|TType|ZSTD|bitpacked|Failed to read file");

    /** The files of {@code files} whose footer cannot be read. */
    static List<DamagedFile> byFooter(Connection connection, RecordedTable table, List<Path> files) {
        return find(connection, table, files, "DESCRIBE SELECT * FROM read_parquet(%s)");
    }

    /** The first file that cannot be read to its end. Reads all files. */
    static List<DamagedFile> byRows(Connection connection, Map<RecordedTable, List<Path>> files) {
        for (Map.Entry<RecordedTable, List<Path>> table : files.entrySet()) {
            for (Path file : table.getValue()) {
                List<DamagedFile> found = find(
                        connection, table.getKey(), List.of(file), "SELECT bit_xor(hash(r)) FROM read_parquet(%s) r");
                if (!found.isEmpty()) {
                    return found;
                }
            }
        }
        return List.of();
    }

    /** Whether an error may come from a damaged file. */
    static boolean isSuspectedIn(String message) {
        return SIGN.matcher(message).find();
    }

    private static List<DamagedFile> find(Connection connection, RecordedTable table, List<Path> files, String sql) {
        List<DamagedFile> found = new ArrayList<>();
        for (Path file : files) {
            if (!Files.exists(file)) {
                found.add(new DamagedFile(table, file, "the file was removed"));
                continue;
            }
            try {
                DuckDbDatabase.column(connection, sql.formatted(Sql.files(List.of(file))));
            } catch (SQLException e) {
                found.add(new DamagedFile(
                        table, file, SqlMessage.of(e).lines().findFirst().orElse("unknown error")));
            }
        }
        return found;
    }

    /** A sentence for the user. {@code files}: how many the table has. */
    String sentence(int damaged, int files) {
        String others = damaged == files
                ? "the other tables can be read"
                : "the other tables can be read, and so can " + (files - damaged) + " of the " + files
                        + " files of this one if the damaged are moved out of the folder";
        return "cannot read the table " + table.sqlName() + ": " + file + " is damaged (" + reason + "); " + others;
    }
}
