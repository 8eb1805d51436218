package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Mark;
import dev.probestream.query.report.ReportPart.Shape;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests over time, and the distribution of their latency. */
public final class RequestsChapter implements Chapter {
    public static final String ID = "requests";

    /** Edges of the histogram grow by 10^(1/10). */
    private static final int EDGES_PER_DECADE = 10;

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        Optional<String> side = side(database);
        if (side.isEmpty()) {
            return Optional.empty();
        }
        String where = "WHERE r.side = '" + side.get() + "'";
        List<ReportPart> parts = new ArrayList<>();
        parts.add(rate(database, axis, where));
        parts.add(latency(database, axis, where));
        histogram(database, where).ifPresent(parts::add);
        parts.add(byRoute(database, where));
        String who =
                side.get().equals("SERVER") ? "Requests that the process served" : "Requests that the process sent";
        return Optional.of(new Section(
                ID, "Requests", who + ". Requests in progress at the end of the recording have no duration.", parts));
    }

    /** The side of the requests in the report: those served if there are any, else those sent. */
    static Optional<String> side(RecordingDatabase database) throws QueryException {
        for (String side : List.of("SERVER", "CLIENT")) {
            if (database.has("requests WHERE side = '" + side + "'")) {
                return Optional.of(side);
            }
        }
        return Optional.empty();
    }

    private static ReportPart rate(RecordingDatabase database, TimeAxis axis, String where) throws QueryException {
        String step = axis.stepOf("r.mono_ns + c.unix_minus_mono_ns");
        List<ResultRow> rows = database.rows("""
                SELECT step, %s AS good, %s AS refused, %s AS failed, %s AS unanswered FROM (
                    SELECT %s AS step,
                        sum(weight) FILTER (coalesce(status, 0) < 400 AND outcome IN ('COMPLETE', 'UPGRADED')) AS good,
                        sum(weight) FILTER (status BETWEEN 400 AND 499) AS refused,
                        sum(weight) FILTER (status >= 500) AS failed,
                        sum(weight) FILTER (outcome IN ('ABORTED', 'OPEN') AND coalesce(status, 0) < 400) AS unanswered
                    FROM report_request r JOIN report_capture c USING (capture_id) %s GROUP BY 1)
                ORDER BY step""".formatted(
                        axis.perSecond("good", "step"),
                        axis.perSecond("refused", "step"),
                        axis.perSecond("failed", "step"),
                        axis.perSecond("unanswered", "step"),
                        step,
                        where));
        return axis.series(
                "Requests by their beginning",
                "requests/s",
                rows,
                List.of(
                        LineOf.counts("good", "answered", Shape.AREA),
                        LineOf.counts("refused", "status 4xx", Shape.AREA),
                        LineOf.counts("failed", "status 5xx", Shape.AREA),
                        LineOf.counts("unanswered", "without an answer", Shape.AREA)));
    }

    private static ReportPart latency(RecordingDatabase database, TimeAxis axis, String where) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT %s AS step, quantile_cont(duration_ns, 0.5) / 1e6 AS p50, quantile_cont(duration_ns, 0.99) / 1e6 AS p99,
                    max(duration_ns) / 1e6 AS longest
                FROM requests r JOIN report_capture c USING (capture_id) %s AND duration_ns IS NOT NULL
                GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("r.mono_ns + c.unix_minus_mono_ns"), where));
        return axis.series(
                "Latency by the beginning of the request",
                "ms",
                rows,
                List.of(
                        LineOf.values("p50", "p50"),
                        LineOf.values("p99", "p99"),
                        new LineOf("longest", "longest", Shape.POINTS, false)));
    }

    private static Optional<ReportPart> histogram(RecordingDatabase database, String where) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT floor(log10(greatest(duration_ns, 1000) / 1e6) * %d)::INTEGER AS edge, count(*) AS requests
                FROM requests r %s AND duration_ns IS NOT NULL GROUP BY 1 ORDER BY 1""".formatted(EDGES_PER_DECADE, where));
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        int first = (int) rows.get(0).count("edge");
        int last = (int) rows.get(rows.size() - 1).count("edge");
        List<Double> edges = new ArrayList<>();
        List<Long> counts = new ArrayList<>();
        for (int edge = first; edge <= last + 1; edge++) {
            edges.add(Amounts.rounded(Math.pow(10, edge / (double) EDGES_PER_DECADE)));
            if (edge <= last) {
                counts.add(0L);
            }
        }
        rows.forEach(row -> counts.set((int) row.count("edge") - first, row.count("requests")));
        ResultRow quantiles = database.row("""
                SELECT quantile_cont(duration_ns, 0.5) / 1e6 AS p50, quantile_cont(duration_ns, 0.9) / 1e6 AS p90,
                    quantile_cont(duration_ns, 0.99) / 1e6 AS p99
                FROM requests r %s AND duration_ns IS NOT NULL""".formatted(where));
        List<Mark> marks = new ArrayList<>();
        for (String quantile : List.of("p50", "p90", "p99")) {
            marks.add(new Mark(quantile, Amounts.rounded(quantiles.number(quantile))));
        }
        return Optional.of(new ReportPart.Histogram("How long requests took", "ms", edges, counts, marks));
    }

    private static ReportPart byRoute(RecordingDatabase database, String where) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT coalesce(operation, '?') AS request, count(*) AS requests, sum(weight) AS about_requests,
                    count(*) FILTER (is_failed_request(status, outcome, error_code)) AS failed,
                    coalesce(sum(weight) FILTER (is_failed_request(status, outcome, error_code)), 0) AS about_failed,
                    quantile_cont(duration_ns, 0.5) / 1e6 AS p50, quantile_cont(duration_ns, 0.99) / 1e6 AS p99,
                    max(duration_ns) / 1e6 AS longest, sum(duration_ns) / 1e6 AS total
                FROM report_request r %s GROUP BY 1 ORDER BY total DESC NULLS LAST, requests DESC, request LIMIT %d""".formatted(where, Tables.MOST_ROWS));
        return Tables.of(
                "By route",
                rows,
                List.of(
                        From.text("request", "request"),
                        From.scaled("requests", "about_requests", "requests"),
                        From.scaled("failed", "about_failed", "failed"),
                        From.ms("p50", "p50"),
                        From.ms("p99", "p99"),
                        From.ms("longest", "longest"),
                        From.ms("total", "all together")));
    }
}
