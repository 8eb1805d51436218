package dev.probestream.query;

import dev.probestream.convert.ConversionProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Recordings, opened as one DuckDB database in this process. One thread at a time may use it.
 *
 * <p>All tables of ARCHITECTURE.md are there, with all their columns, also those that no file holds (they are empty then):
 * {@code events}, {@code spans}, {@code requests}, {@code request_events}, {@code stacks}, {@code processes}, {@code
 * threads}, {@code probes}, {@code captures}, {@code losses}. Besides: {@code inputs} ({@code ordinal} from 1, {@code path},
 * {@code capture_id}: which capture came from which path), and a view {@code probe_NAME} for each probe, its arguments under
 * their names ({@code probe_views} lists them).
 */
public final class Recordings implements AutoCloseable {
    private final TemporaryFolder temporaryFolder;
    private final Connection connection;
    private final List<String> remarks = new ArrayList<>();

    private Recordings(TemporaryFolder temporaryFolder, Limits limits, boolean isStreaming) throws SQLException {
        this.temporaryFolder = temporaryFolder;
        this.connection = DuckDbDatabase.open(limits, temporaryFolder.path().resolve("spilled"), isStreaming);
    }

    /**
     * Opens recordings: each path is an .avro recording (converted into a temporary folder, deleted at {@link #close}) or a
     * folder of Parquet tables, of {@code convert} or of a sink.
     *
     * @throws QueryException if a path is neither, or cannot be read, or two paths hold the same capture
     */
    public static Recordings open(List<Path> paths, Limits limits, ConversionProgress progress) throws QueryException {
        return open(paths, TimeWindow.ALL, limits, progress);
    }

    /** As above; of {@code events}, {@code spans}, {@code requests} and {@code losses} only what lies in {@code window}. */
    public static Recordings open(List<Path> paths, TimeWindow window, Limits limits, ConversionProgress progress)
            throws QueryException {
        return open(paths, window, limits, progress, false);
    }

    /**
     * As above, for results of any size: they are computed while they are read, and each statement on the connection ends
     * the result of the one before.
     */
    public static Recordings openStreaming(
            List<Path> paths, TimeWindow window, Limits limits, ConversionProgress progress) throws QueryException {
        return open(paths, window, limits, progress, true);
    }

    private static Recordings open(
            List<Path> paths, TimeWindow window, Limits limits, ConversionProgress progress, boolean isStreaming)
            throws QueryException {
        Recordings opened = openEmpty(limits, isStreaming);
        try {
            opened.fill(paths, window, progress);
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
            folder = TemporaryFolder.create();
        } catch (IOException e) {
            throw new QueryException(
                    "cannot make a temporary folder in " + System.getProperty("java.io.tmpdir") + ": " + e.getMessage(),
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

    private void fill(List<Path> paths, TimeWindow window, ConversionProgress progress) throws QueryException {
        InputReader reader = new InputReader(temporaryFolder.path(), progress);
        for (Path path : paths) {
            reader.read(path);
        }
        remarks.addAll(reader.remarks());
        TableViews tables = new TableViews(connection);
        try {
            new InputTable(connection, tables).create(reader.inputs());
            tables.create(reader.inputs(), window);
            new ProbeViews(connection).create();
            Correlation.install(connection);
        } catch (SQLException e) {
            throw new QueryException("cannot read the tables: " + SqlMessage.of(e), e);
        }
    }

    /** Owned by this object: closed with it. Moments are shown in UTC. */
    public Connection connection() {
        return connection;
    }

    /** What a person should know of the recordings that were converted, one sentence each: what was lost, damaged, cut off. */
    public List<String> remarks() {
        return List.copyOf(remarks);
    }

    /** Gone when this is closed. */
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
