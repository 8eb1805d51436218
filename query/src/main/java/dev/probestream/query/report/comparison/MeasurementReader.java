package dev.probestream.query.report.comparison;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.comparison.Measured.Metric;
import dev.probestream.query.report.comparison.Measured.MetricKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads from a recording what is compared. */
final class MeasurementReader {
    /** Blocks of a capture, as in {@code facts/compared.sql}. */
    private static final int BLOCKS = 32;

    private static final int MOST_SUBJECTS = 200;
    private static final double NS_PER_MS = 1e6;

    /** A change of CPU time matters from this part of a CPU on. */
    private static final double LEAST_MS_PER_S = 20;

    private final RecordingDatabase database;
    private final Map<MetricKey, Metric> metrics = new TreeMap<>();
    private final Set<Area> truncated = EnumSet.noneOf(Area.class);
    private final double[] seconds;
    private final double[] served;

    private MeasurementReader(RecordingDatabase database) throws QueryException {
        this.database = database;
        List<ResultRow> captures = database.rows("SELECT took_ns FROM report_block ORDER BY ordinal");
        this.seconds = new double[captures.size() * BLOCKS];
        this.served = new double[seconds.length];
        for (int block = 0; block < seconds.length; block++) {
            seconds[block] = captures.get(block / BLOCKS).number("took_ns") / 1e9 / BLOCKS;
        }
        for (ResultRow row : database.rows("SELECT block, sum(weight) AS n FROM report_compared_request GROUP BY 1")) {
            served[(int) row.count("block")] = row.number("n");
        }
    }

    /** Reads all of it; the database has its facts. */
    static Measured read(RecordingDatabase database) throws QueryException {
        database.prepareAlso("compared");
        MeasurementReader reader = new MeasurementReader(database);
        reader.readAll();
        RecordedConditions conditions = new RecordedConditions(database);
        return new Measured(
                conditions.path(),
                conditions.programs(),
                conditions.times(),
                conditions.machine(),
                reader.metrics,
                reader.truncated,
                reader.statementsByOperation(),
                reader.seconds,
                reader.served,
                RouteStacks.read(database));
    }

    private void readAll() throws QueryException {
        requests(Area.REQUESTS, "report_compared_request");
        quantiles(Area.REQUESTS, "report_compared_request", "own_ns", Measure.P95, 0.95, 0.5);
        quantiles(Area.REQUESTS, "report_compared_request", "cpu_ns", Measure.CPU_MEDIAN, 0.5, 0.2);
        requests(Area.OUTGOING, "report_compared_outgoing");
        requests(
                Area.STATEMENTS,
                "(SELECT statement AS subject, block, weight, own_ns, is_failed FROM report_compared_outgoing"
                        + " WHERE statement IS NOT NULL)");
        quantiles(Area.POOL, "report_compared_work", "own_ns", Measure.MEDIAN, 0.5, 0.5);
        quantiles(
                Area.POOL,
                "(SELECT 'waiting for a thread' AS subject, * EXCLUDE (subject) FROM report_compared_work)",
                "blocked_ns",
                Measure.P99,
                0.99,
                2);
        times(
                Area.CPU,
                "SELECT subject, block, count(*) AS n, sum(weight_ms) AS ms FROM report_compared_sample GROUP BY ALL");
        times(
                Area.CPU,
                "SELECT 'all functions' AS subject, block, count(*) AS n, sum(weight_ms) AS ms"
                        + " FROM report_compared_sample GROUP BY ALL");
        times(Area.GC, """
                SELECT 'pauses' AS subject, block_of(g.start_ns, b.first_ns, b.took_ns, b.ordinal) AS block, count(*) AS n,
                    sum(own_ns) / 1e6 AS ms
                FROM report_gc g JOIN report_block b USING (capture_id) GROUP BY ALL""");
        String turns = "(SELECT 'turns' AS subject, t.own_ns,"
                + " block_of(t.start_ns, b.first_ns, b.took_ns, b.ordinal) AS block"
                + " FROM report_turn t JOIN report_block b USING (capture_id))";
        quantiles(Area.LOOP, turns, "own_ns", Measure.P99, 0.99, 3);
        times(
                Area.LOOP,
                "SELECT 'busy' AS subject, block, count(*) AS n, sum(own_ns) / 1e6 AS ms FROM " + turns
                        + " GROUP BY ALL");
    }

    /** Counts, errors and durations by subject. */
    private void requests(Area area, String from) throws QueryException {
        Map<String, double[]> counts = new LinkedHashMap<>();
        Map<String, double[]> failed = new LinkedHashMap<>();
        for (ResultRow row : bySubject(
                area, from, "true", "sum(weight) AS n, coalesce(sum(weight) FILTER (is_failed), 0) AS failed", "")) {
            counts.computeIfAbsent(row.text("subject"), key -> new double[seconds.length])[(int) row.count("block")] =
                    row.number("n");
            failed.computeIfAbsent(row.text("subject"), key -> new double[seconds.length])[(int) row.count("block")] =
                    row.number("failed");
        }
        counts.forEach((subject, count) -> {
            double[] failures = failed.getOrDefault(subject, new double[seconds.length]);
            put(area, subject, Measure.RATE, new Metric(ratio(count, seconds, 0.5), 1, 0.5, 20));
            if (area != Area.REQUESTS) {
                put(area, subject, Measure.CALLS, new Metric(ratio(count, served, 0.5), 1, 0.1, 20));
            }
            if (sum(count) >= 30) {
                put(area, subject, Measure.ERRORS, new Metric(ratio(failures, count, 0.5), 100, 1, 5));
            }
        });
        quantiles(area, from, "own_ns", Measure.MEDIAN, 0.5, 0.2);
        quantiles(area, from, "own_ns", Measure.P99, 0.99, 1);
    }

    private void quantiles(Area area, String from, String column, Measure measure, double quantile, double leastMs)
            throws QueryException {
        Map<String, List<Map<Integer, Integer>>> blocks = new LinkedHashMap<>();
        for (ResultRow row : bySubject(
                area,
                from,
                column + " IS NOT NULL",
                "bucket_of(" + column + ") AS bucket, count(*) AS n",
                ", bucket")) {
            List<Map<Integer, Integer>> own = blocks.computeIfAbsent(row.text("subject"), key -> emptyBlocks());
            own.get((int) row.count("block")).put((int) row.count("bucket"), (int) row.count("n"));
        }
        // Of few durations the rare ones are not known.
        long least = Math.round(Math.max(30, 3 / (1 - quantile)));
        blocks.forEach((subject, own) -> put(
                area, subject, measure, new Metric(new BlockQuantile(quantile, own), 1 / NS_PER_MS, leastMs, least)));
    }

    private List<Map<Integer, Integer>> emptyBlocks() {
        List<Map<Integer, Integer>> blocks = new ArrayList<>();
        for (int block = 0; block < seconds.length; block++) {
            blocks.add(new HashMap<>());
        }
        return blocks;
    }

    /** Sums of time by subject; {@code sql} has subject, block, n and ms. */
    private void times(Area area, String sql) throws QueryException {
        Map<String, double[]> sums = new LinkedHashMap<>();
        Map<String, Long> observations = new HashMap<>();
        for (ResultRow row : database.rows(sql)) {
            sums.computeIfAbsent(row.text("subject"), key -> new double[seconds.length])[(int) row.count("block")] =
                    row.number("ms");
            observations.merge(row.text("subject"), row.count("n"), Long::sum);
        }
        double leastPerRequest = LEAST_MS_PER_S * sum(seconds) / Math.max(1, sum(served));
        sums.forEach((subject, ms) -> {
            long n = observations.getOrDefault(subject, 0L);
            double prior = n == 0 ? 0 : 0.5 * sum(ms) / n;
            put(
                    area,
                    subject,
                    Measure.TIME_PER_SECOND,
                    new Metric(new BlockRatio(ms, seconds, n, prior), 1, LEAST_MS_PER_S, 30));
            put(
                    area,
                    subject,
                    Measure.TIME_PER_REQUEST,
                    new Metric(new BlockRatio(ms, served, n, prior), 1, leastPerRequest, 30));
        });
    }

    /**
     * Of the most frequent subjects, by block.
     *
     * @param condition which rows count
     */
    private List<ResultRow> bySubject(Area area, String from, String condition, String columns, String group)
            throws QueryException {
        String rows = " FROM " + from + " WHERE " + condition;
        if (database.row("SELECT count(DISTINCT subject) AS n" + rows).count("n") > MOST_SUBJECTS) {
            truncated.add(area);
        }
        return database.rows("SELECT subject, block, " + columns + rows + " AND subject IN (SELECT subject" + rows
                + " GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT " + MOST_SUBJECTS + ") GROUP BY subject, block" + group
                + " ORDER BY subject, block");
    }

    private static BlockRatio ratio(double[] count, double[] of, double prior) {
        return new BlockRatio(count, of, Math.round(sum(count)), prior);
    }

    private void put(Area area, String subject, Measure measure, Metric metric) {
        metrics.put(new MetricKey(area, subject, measure), metric);
    }

    private Map<String, Set<String>> statementsByOperation() throws QueryException {
        Map<String, Set<String>> statements = new HashMap<>();
        for (ResultRow row : database.rows(
                "SELECT DISTINCT operation, statement FROM report_compared_outgoing WHERE statement IS NOT NULL")) {
            statements
                    .computeIfAbsent(row.text("operation"), key -> new HashSet<>())
                    .add(row.text("statement"));
        }
        return statements;
    }

    private static double sum(double[] values) {
        return Arrays.stream(values).sum();
    }
}
