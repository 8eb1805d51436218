package dev.probestream.query.report.analysis.fact;

import dev.probestream.query.QueryException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs the SQL of chapters and rules on a recording. Does not close the connection. */
public final class RecordingDatabase {
    /** In this order, because later ones read the tables of earlier ones. */
    private static final List<String> FACTS = List.of(
            "01-hits",
            "02-stacks",
            "03-turns",
            "04-off-cpu",
            "05-samples",
            "06-fs",
            "07-pool",
            "08-dns",
            "09-connections",
            "10-stalls",
            "11-rest",
            "12-ends",
            "13-watched",
            "14-outgoing",
            "15-sent",
            "16-counters",
            "17-tls",
            "18-throttled",
            "19-connections-held",
            "20-pressure",
            "21-programs",
            "22-lock-waits",
            "23-serialized",
            "24-statement-cpu",
            "25-slow-turns",
            "26-workers");

    private final Connection connection;

    private RecordingDatabase(Connection connection) {
        this.connection = connection;
    }

    /** Creates the temporary tables {@code report_...}, which chapters and rules read. */
    public static RecordingDatabase prepare(Connection connection) throws QueryException {
        RecordingDatabase database = new RecordingDatabase(connection);
        database.run("SET VARIABLE stall_ns = " + Thresholds.LONG_TURN_NS);
        database.run("SET VARIABLE slow_turn_ns = " + Thresholds.SLOW_TURN_NS);
        database.run("SET VARIABLE unmeasured_margin = " + Thresholds.UNMEASURED_MARGIN);
        database.run("SET VARIABLE starved_share = " + Thresholds.STARVED_SHARE);
        database.run("SET VARIABLE starved_wall_share = " + Thresholds.STARVED_WALL_SHARE);
        database.run("SET VARIABLE worker_share = " + Thresholds.WORKER_SHARE);
        database.run("SET VARIABLE workers_share = " + Thresholds.WORKERS_SHARE);
        database.run("SET VARIABLE workers_samples = " + Thresholds.WORKERS_SAMPLES);
        for (String name : FACTS) {
            database.prepareAlso(name);
        }
        return database;
    }

    /** Creates the tables of a resource in {@code report/facts} that only some reports need. */
    public void prepareAlso(String name) throws QueryException {
        run(resource("/dev/probestream/query/report/facts/" + name + ".sql"));
    }

    /**
     * All rows of a query whose result is small.
     *
     * @param values of the {@code ?} in {@code sql}
     */
    public List<ResultRow> rows(String sql, Object... values) throws QueryException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return rows(statement);
        } catch (SQLException e) {
            throw failure(sql, e);
        }
    }

    private static List<ResultRow> rows(PreparedStatement statement) throws SQLException {
        try (ResultSet result = statement.executeQuery()) {
            ResultSetMetaData columns = result.getMetaData();
            List<ResultRow> rows = new ArrayList<>();
            while (result.next()) {
                Map<String, @Nullable Object> values = new LinkedHashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    values.put(columns.getColumnLabel(i), result.getObject(i));
                }
                rows.add(new ResultRow(values));
            }
            return rows;
        }
    }

    /** The only row of an aggregate. */
    public ResultRow row(String sql, Object... values) throws QueryException {
        return rows(sql, values).get(0);
    }

    /** Whether there is any such row. */
    public boolean has(String fromAndWhere) throws QueryException {
        return !rows("SELECT 1 FROM " + fromAndWhere + " LIMIT 1").isEmpty();
    }

    private void run(String sql) throws QueryException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw failure(sql, e);
        }
    }

    private static QueryException failure(String sql, SQLException e) {
        String first = sql.strip().lines().findFirst().orElse("");
        return new QueryException("cannot make the report: the query '" + first + "' failed: " + e.getMessage(), e);
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(RecordingDatabase.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + name, e);
        }
    }
}
