package dev.probestream.query.session;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import dev.probestream.query.SqlMessage;
import dev.probestream.query.TimeRange;
import dev.probestream.query.builtin.BuiltInQuery;
import dev.probestream.query.result.ResultWriter;
import dev.probestream.query.result.ResultWriter.ResultColumn;
import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements on recordings one after the other. Results are written while they are computed, so that memory does not
 * grow with them. One thread at a time may run a statement; any thread may {@link #cancel} it.
 */
public final class QuerySession implements AutoCloseable {
    private static final Set<Integer> NUMBERS = Set.of(
            Types.TINYINT,
            Types.SMALLINT,
            Types.INTEGER,
            Types.BIGINT,
            Types.FLOAT,
            Types.DOUBLE,
            Types.REAL,
            Types.DECIMAL,
            Types.NUMERIC);

    private static final String CANCELLED = "cancelled";

    private final Recordings recordings;
    private final Object statementLock = new Object();
    private @Nullable Statement running;
    private volatile boolean isCancelled;
    private boolean isConfined;

    private QuerySession(Recordings recordings) {
        this.recordings = recordings;
    }

    /** Opens recordings as {@link Recordings#open} does. */
    public static QuerySession open(List<Path> paths, TimeRange window, Limits limits, ConversionProgress progress)
            throws QueryException {
        return new QuerySession(Recordings.openStreaming(paths, window, limits, progress));
    }

    /** What was lost, damaged or cut off in the recordings, one sentence each. */
    public List<String> warnings() {
        return recordings.warnings();
    }

    /**
     * From now on, statements can only read the recordings and create views, macros and tables in memory: no other file, no network, no
     * settings.
     *
     * @param output the file that {@link #writeParquet} may write
     */
    public void confine(Optional<Path> output) throws QueryException {
        recordings.confine(output.map(QuerySession::part));
        isConfined = true;
    }

    /** Sets the parameters of a built-in query; its SQL can be run afterwards. */
    public void prepare(BuiltInQuery query, Map<String, String> settings) throws QueryException {
        query.prepare(recordings, settings);
    }

    /**
     * Runs one statement.
     *
     * @param writer not called if the statement has no result, such as SET
     * @return rows written; -1 = there is no result
     * @throws QueryException with DuckDB's message if the statement fails; "cancelled" after {@link #cancel}
     * @throws IOException if the writer cannot write
     */
    public long execute(String sql, ResultWriter writer) throws QueryException, IOException {
        StatementRules.check(sql, isConfined);
        try (Statement statement = recordings.connection().createStatement()) {
            setRunning(statement);
            if (!statement.execute(sql)) {
                return -1;
            }
            try (ResultSet result = statement.getResultSet()) {
                return write(result, writer);
            }
        } catch (SQLException e) {
            throw refusal(e);
        } finally {
            setRunning(null);
        }
    }

    private long write(ResultSet result, ResultWriter writer) throws SQLException, QueryException, IOException {
        List<ResultColumn> columns = columns(result.getMetaData());
        writer.begin(columns);
        @Nullable Object[] values = new @Nullable Object[columns.size()];
        long rows = 0;
        for (; result.next(); rows++) {
            if (isCancelled) {
                throw new QueryException(CANCELLED); // DuckDB does not cancel a result that is being fetched
            }
            for (int i = 0; i < values.length; i++) {
                values[i] = PlainValue.of(result.getObject(i + 1));
            }
            writer.row(values);
        }
        writer.end();
        return rows;
    }

    private static List<ResultColumn> columns(ResultSetMetaData result) throws SQLException {
        List<ResultColumn> columns = new ArrayList<>();
        for (int i = 1; i <= result.getColumnCount(); i++) {
            boolean isLarge = result.getColumnTypeName(i).matches("U?(HUGE|BIG|SMALL|TINY)?INT(EGER)?");
            columns.add(
                    new ResultColumn(result.getColumnName(i), isLarge || NUMBERS.contains(result.getColumnType(i))));
        }
        return columns;
    }

    /**
     * Writes the rows of one query as a Parquet file, which gets its name when it is complete.
     *
     * @return rows written
     */
    public long writeParquet(String sql, Path file) throws QueryException, IOException {
        StatementRules.check(sql, isConfined);
        Path part = part(file);
        // A line feed, because the query may end in a comment.
        String copy = "COPY (" + sql + "\n) TO ? (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)";
        PrivateFiles.replace(part).close(); // DuckDB writes into a file that exists, and keeps its mode
        try (PreparedStatement statement = recordings.connection().prepareStatement(copy)) {
            setRunning(statement);
            statement.setString(1, part.toString());
            long rows = statement.executeLargeUpdate();
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return rows;
        } catch (SQLException e) {
            throw refusal(e);
        } finally {
            setRunning(null);
            Files.deleteIfExists(part);
        }
    }

    private static Path part(Path file) {
        return file.resolveSibling(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    }

    /** Cancels the running statement, if there is one. */
    public void cancel() {
        synchronized (statementLock) {
            if (running != null) {
                isCancelled = true;
                try {
                    running.cancel();
                } catch (SQLException e) {
                    // The statement has just ended.
                }
            }
        }
    }

    private void setRunning(@Nullable Statement statement) {
        synchronized (statementLock) {
            running = statement;
            isCancelled = false;
        }
    }

    private QueryException refusal(SQLException failure) {
        String message = SqlMessage.of(failure);
        return new QueryException(
                message.startsWith("INTERRUPT Error") ? CANCELLED : recordings.explained(message), failure);
    }

    /** All tables and views except DuckDB's own. */
    public List<Relation> relations() throws QueryException {
        return Relation.all(recordings.connection());
    }

    @Override
    public void close() throws QueryException {
        recordings.close();
    }
}
