package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart.Shape;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/** Work on the thread pool: what ran and what waited. */
public final class PoolChapter implements Chapter {
    static final String ID = "pool";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_work") && !database.has("report_unfinished_work")) {
            return Optional.empty();
        }
        List<ResultRow> overTime = database.rows("""
                SELECT %s AS step, max(wait_ns) / 1e6 AS waited, max(run_ns) / 1e6 AS ran
                FROM report_work w JOIN report_capture c USING (capture_id) GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("w.start_ns + c.unix_minus_mono_ns")));
        List<ResultRow> works = database.rows("""
                WITH work AS (
                    SELECT what, run_ns, wait_ns, blocked_ns, NULL AS is_begun FROM report_work
                    UNION ALL
                    SELECT what, end_ns - started_ns, coalesce(started_ns, end_ns) - queued_ns, 0, started_ns IS NOT NULL
                    FROM report_unfinished_work)
                SELECT what, count(*) AS works, coalesce(sum(run_ns), 0) / 1e6 AS ran, max(run_ns) / 1e6 AS longest,
                    avg(wait_ns) / 1e6 AS waited, max(wait_ns) / 1e6 AS longest_wait,
                    count(*) FILTER (blocked_ns > 0) AS blocked, count(*) FILTER (is_begun) AS running,
                    count(*) FILTER (NOT is_begun) AS never
                FROM work GROUP BY what ORDER BY ran DESC, what LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Optional.of(new Section(
                ID,
                "Thread pool",
                "Node has few threads (four, unless UV_THREADPOOL_SIZE is set) for the file system, lookups of names,"
                        + " crypto and compression: work waits until one is free.",
                List.of(
                        axis.series(
                                "Longest wait and longest work",
                                "ms",
                                overTime,
                                List.of(
                                        new LineOf("waited", "waited", Shape.POINTS, false),
                                        new LineOf("ran", "ran", Shape.POINTS, false))),
                        Tables.of(
                                "Kinds of work",
                                works,
                                List.of(
                                        From.text("what", "work"),
                                        From.count("works", "times"),
                                        From.ms("ran", "ran"),
                                        From.ms("longest", "longest"),
                                        From.ms("waited", "mean wait"),
                                        From.ms("longest_wait", "longest wait"),
                                        From.count("blocked", "found all threads busy"),
                                        From.count("running", "not finished"),
                                        From.count("never", "never begun"))))));
    }
}
