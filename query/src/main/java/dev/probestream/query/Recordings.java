package dev.probestream.query;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.schema.file.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Recordings opened as one DuckDB database in this process. One thread at a time may use it.
 *
 * <p>It has all tables of a recording with all their columns; a table without files is empty:
 * {@code events}, {@code spans}, {@code requests}, {@code request_events}, {@code stacks}, {@code processes}, {@code
 * threads}, {@code probes}, {@code captures}, {@code losses}, {@code hit_summaries}, {@code gaps}, {@code costs}. It also has {@code inputs} ({@code ordinal} from 1, {@code path},
 * {@code capture_id}: the captures of each path), and a view {@code probe_NAME} for each probe, with its arguments as named
 * columns ({@code probe_views} lists them).
 */
public final class Recordings implements AutoCloseable {
    private final TemporaryFolder temporaryFolder;
    private final Connection connection;
    private final List<String> warnings = new ArrayList<>();
    private final Map<RecordedTable, List<Path>> files = new EnumMap<>(RecordedTable.class);

    private Recordings(TemporaryFolder temporaryFolder, Limits limits, boolean isStreaming) throws SQLException {
        this.temporaryFolder = temporaryFolder;
        this.connection = DuckDbDatabase.open(limits, temporaryFolder.path().resolve("spilled"), isStreaming);
    }

    /**
     * Opens recordings: each path is an .avro recording (converted into a temporary folder, deleted at {@link #close}) or a
     * folder of Parquet tables, of {@code convert} or of a sink.
     *
     * @throws QueryException if a path is neither, or cannot be read, or is of a newer format, or two paths hold the same capture
     */
    public static Recordings open(List<Path> paths, Limits limits, ConversionProgress progress) throws QueryException {
        return open(paths, TimeRange.ALL, limits, progress);
    }

    /** As above; of {@code events}, {@code spans}, {@code requests}, {@code losses}, {@code hit_summaries}, {@code gaps} and {@code costs} only rows in {@code timeRange}. */
    public static Recordings open(List<Path> paths, TimeRange timeRange, Limits limits, ConversionProgress progress)
            throws QueryException {
        return open(paths, timeRange, limits, progress, false);
    }

    /**
     * As above, for results of any size: they are computed while they are read, and each statement on the connection ends
     * the previous result.
     */
    public static Recordings openStreaming(
            List<Path> paths, TimeRange timeRange, Limits limits, ConversionProgress progress) throws QueryException {
        return open(paths, timeRange, limits, progress, true);
    }

    private static Recordings open(
            List<Path> paths, TimeRange timeRange, Limits limits, ConversionProgress progress, boolean isStreaming)
            throws QueryException {
        Recordings opened = openEmpty(limits, isStreaming);
        try {
            opened.fill(paths, timeRange, progress);
            return opened;
        } catch (QueryException | RuntimeException e) {
            try {
                opened.close();
            } catch (QueryException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static Recordings openEmpty(Limits limits, boolean isStreaming) throws QueryException {
        TemporaryFolder folder;
        try {
            folder = TemporaryFolder.create("probestream-query-");
        } catch (IOException e) {
            throw new QueryException(
                    "cannot create a temporary folder in " + System.getProperty("java.io.tmpdir") + ": "
                            + e.getMessage(),
                    e);
        }
        try {
            return new Recordings(folder, limits, isStreaming);
        } catch (SQLException e) {
            try {
                folder.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw new QueryException("cannot start DuckDB: " + SqlMessage.of(e), e);
        }
    }

    private void fill(List<Path> paths, TimeRange timeRange, ConversionProgress progress) throws QueryException {
        InputReader reader = new InputReader(temporaryFolder.path(), progress, paths.size() == 1);
        for (Path path : paths) {
            reader.read(path);
        }
        warnings.addAll(reader.warnings());
        reader.inputs()
                .forEach(input -> input.tables()
                        .files()
                        .forEach((table, ofTable) -> files.computeIfAbsent(table, key -> new ArrayList<>())
                                .addAll(ofTable)));
        new TableFormat(connection).requireReadable(files.getOrDefault(RecordedTable.CAPTURES, List.of()));
        TableViews tables = new TableViews(connection);
        try {
            new InputTable(connection, tables).create(reader.inputs());
            tables.create(reader.inputs(), timeRange);
            new ProbeViews(connection).create(!tables.damages().containsKey(RecordedTable.PROBES));
            Correlation.install(connection);
            tables.damages().values().stream()
                    .sorted()
                    .map(sentence -> "warning: " + sentence)
                    .forEach(warnings::add);
        } catch (SQLException e) {
            throw new QueryException("cannot read the tables: " + SqlMessage.of(e), e);
        }
    }

    /**
     * From now on, statements can access only the files of the recordings and the temporary folder, and cannot change settings.
     *
     * @param written a file that may be written
     */
    public void confine(Optional<Path> written) throws QueryException {
        Set<String> paths = new TreeSet<>();
        files.values().stream().flatMap(List::stream).forEach(file -> {
            paths.add(file.toString());
            paths.add(Sql.pattern(file)); // as views have it
        });
        written.ifPresent(file -> paths.add(file.toString()));
        try {
            DuckDbDatabase.confine(connection, paths);
        } catch (SQLException e) {
            throw new QueryException("cannot confine DuckDB: " + SqlMessage.of(e), e);
        }
    }

    /** The message of a failure with the name of the damaged file if there is one; reads the files if one is suspected. */
    public String explained(String message) {
        if (!DamagedFile.isSuspectedIn(message)) {
            return message;
        }
        return DamagedFile.byRows(connection, files).stream()
                .findFirst()
                .map(damaged -> damaged.sentence(
                        1, files.getOrDefault(damaged.table(), List.of()).size()))
                .orElse(message);
    }

    /** The connection, which {@link #close} closes. Its time zone is UTC. */
    public Connection connection() {
        return connection;
    }

    /** What was lost, damaged or cut off in the converted recordings, one sentence each. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Deleted by {@link #close}. */
    Path temporaryFolder() {
        return temporaryFolder.path();
    }

    @Override
    public void close() throws QueryException {
        try (temporaryFolder) {
            connection.close();
        } catch (SQLException e) {
            throw new QueryException("cannot close the database: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new QueryException("cannot delete " + temporaryFolder.path() + ": " + e.getMessage(), e);
        }
    }
}
