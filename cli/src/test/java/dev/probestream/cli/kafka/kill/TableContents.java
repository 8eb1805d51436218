package dev.probestream.cli.kafka.kill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All events in the Parquet files below a folder, read by DuckDB. */
final class TableContents {
    private static final int MAX_FAULTS = 20;

    private final Map<Long, Numbers> identities = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();

    private TableContents() {}

    /** Opens every file of every table. */
    static TableContents read(Path folder) throws SQLException, IOException {
        TableContents contents = new TableContents();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE identities (capture BIGINT, sequence BIGINT, n BIGINT, is_span BOOLEAN)");
            for (Path table : tables(folder)) {
                try (ResultSet count = statement.executeQuery("SELECT count(*) FROM " + files(table))) {
                    count.next();
                }
            }
            for (String table : List.of("events", "spans")) {
                if (Files.exists(folder.resolve(table))) {
                    statement.execute("INSERT INTO identities SELECT capture_id, sequence, a0, '" + table
                            + "' = 'spans' FROM " + files(folder.resolve(table)));
                }
            }
            contents.readEvents(statement);
        }
        return contents;
    }

    private static List<Path> tables(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(child -> !child.getFileName().toString().startsWith("."))
                    .toList();
        }
    }

    private static String files(Path table) {
        return "read_parquet('" + table + "/**/*.parquet', hive_partitioning = true)";
    }

    private void readEvents(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT * FROM identities ORDER BY capture, sequence")) {
            while (rows.next()) {
                Numbers known = identities.computeIfAbsent(rows.getLong(1), id -> new Numbers());
                if (rows.getLong(2) != known.size() && faults.size() < MAX_FAULTS) {
                    faults.add("capture " + rows.getLong(1) + ": sequence " + rows.getLong(2) + " where " + known.size()
                            + " was expected");
                }
                known.add(Beats.identity(rows.getBoolean(4), rows.getLong(3)));
            }
        }
    }

    /** What is wrong with the sequence numbers: each capture must have 0, 1, 2 ... */
    List<String> faults() {
        return faults;
    }

    /** {@link Beats#identity} of each event, in the order of sequence numbers, by capture. */
    Map<Long, Numbers> identities() {
        return identities;
    }
}
