package dev.probestream.bench.query;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.ChildRuns;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.WorkTime;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.Recordings;
import dev.probestream.query.TimeRange;
import dev.probestream.query.TimeRange.Bound;
import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.builtin.BuiltInQuery;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers questions about a folder of tables in a JVM of its own: through our relations, or by SQL over its files as a person
 * would write it. Each question is asked of a database that has just been opened; the answer counts its rows.
 */
final class QueryChild {
    private final Path folder;
    private final Limits limits;

    private QueryChild(Path folder, Limits limits) {
        this.folder = folder;
        this.limits = limits;
    }

    /** Takes the folder, the bytes of memory and the threads; lines are {@code OURS|BY_HAND QUESTION}, or {@code memory}. */
    public static void main(String[] arguments) throws Exception {
        QueryChild child = new QueryChild(
                Path.of(arguments[0]), new Limits(Long.parseLong(arguments[1]), Integer.parseInt(arguments[2])));
        ChildJvm.Work.serve(
                line -> line.equals("memory") ? new WorkTime(ChildRuns.peakMemoryBytes(), 0, 0) : child.answer(line));
    }

    private WorkTime answer(String line) throws Exception {
        String[] words = line.split(" ");
        QueryQuestion question = QueryQuestion.valueOf(words[1]);
        long cpuNs = CpuClock.processNs();
        long startNs = System.nanoTime();
        long rows = words[0].equals("OURS") ? ours(question) : byHand(question);
        return new WorkTime(rows, CpuClock.processNs() - cpuNs, System.nanoTime() - startNs);
    }

    private long ours(QueryQuestion question) throws Exception {
        TimeRange window = question.isOfOneMinute() ? oneMinute() : TimeRange.ALL;
        try (Recordings recordings = Recordings.open(List.of(folder), window, limits, ConversionProgress.NONE)) {
            String sql = question.ours();
            if (sql.startsWith("view ")) {
                BuiltInQuery view = BuiltInQueries.load().named(sql.substring("view ".length()));
                view.prepare(recordings, Map.of());
                sql = view.sql();
            }
            return rows(recordings.connection(), sql);
        }
    }

    private static TimeRange oneMinute() {
        return new TimeRange(
                Optional.of(Bound.sinceStart(Duration.ofMinutes(10))),
                Optional.of(Bound.sinceStart(Duration.ofMinutes(11))));
    }

    private long byHand(QueryQuestion question) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("SET memory_limit = '" + limits.memoryBytes() + "B'");
            statement.execute("SET threads = " + limits.threads());
            statement.execute("SET temp_directory = '" + folder + ".spilled'");
            return rows(connection, question.byHand().replace("$FOLDER", folder.toString()));
        }
    }

    private static long rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            long rows = 0;
            while (result.next()) {
                rows++;
            }
            return rows;
        }
    }
}
