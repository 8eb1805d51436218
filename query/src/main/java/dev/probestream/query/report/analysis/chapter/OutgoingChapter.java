package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Shape;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the process asked of others: requests, statements and connections that failed, by peer and operation. */
public final class OutgoingChapter implements Chapter {
    static final String ID = "outgoing";

    private static final int MOST_LINES = 5;
    private static final int MOST_SLOWEST = 15;

    /** The sets that see what goes out. */
    private static final String IS_WATCHED =
            "probes WHERE category IN ('node-http', 'node-requests', 'node-http2', 'node-net', 'node-db', 'node-statements')";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ReportPart> parts = new ArrayList<>();
        if (database.has("report_outgoing")) {
            parts.add(rates(database, axis));
            parts.add(latencies(database, axis));
            errors(database, axis).ifPresent(parts::add);
            parts.add(operations(database));
            unordered(database).ifPresent(parts::add);
            parts.add(slowest(database, axis));
        } else if (database.has(IS_WATCHED)) {
            parts.add(new ReportPart.Words(
                    "", "Nothing went out: no request, statement or failed connection of this process was recorded."));
        } else {
            return Optional.empty();
        }
        return Optional.of(new Section(
                ID,
                "Outgoing",
                "What the process asked of others: requests, statements, and connections that failed. A wait is that for a"
                        + " free connection of a pool or an agent. Ordered by: the served request that led to it.",
                parts));
    }

    private static ReportPart rates(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ResultRow> peers = ranked(database, "peer");
        List<LineOf> lines = lines(peers, "peer", Shape.AREA);
        return axis.series("Requests by peer", "requests/s", perStep(database, axis, "peer_rank"), lines);
    }

    private static Optional<ReportPart> errors(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ResultRow> errors = ranked(database, "error");
        if (errors.isEmpty()) {
            return Optional.empty();
        }
        List<LineOf> lines = lines(errors, "error", Shape.AREA);
        return Optional.of(axis.series("Errors", "errors/s", perStep(database, axis, "error_rank"), lines));
    }

    private static ReportPart latencies(RecordingDatabase database, TimeAxis axis) throws QueryException {
        StringBuilder columns = new StringBuilder();
        for (int rank = 1; rank <= MOST_LINES; rank++) {
            columns.append(
                    ", quantile_cont(duration_ns, 0.99) FILTER (peer_rank = %1$d) / 1e6 AS r%1$d".formatted(rank));
        }
        List<ResultRow> rows = database.rows("""
                SELECT %s AS step%s FROM report_outgoing o JOIN report_capture c USING (capture_id)
                WHERE duration_ns IS NOT NULL GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("o.mono_ns + c.unix_minus_mono_ns"), columns));
        List<ResultRow> peers = ranked(database, "peer");
        return axis.series(
                "Latency by peer (p99)",
                "ms",
                rows,
                lines(peers.subList(0, Math.min(MOST_LINES, peers.size())), "peer", Shape.LINE));
    }

    /** Names in the order of their ranks; one more than has a line of its own, if there are as many. */
    private static List<ResultRow> ranked(RecordingDatabase database, String name) throws QueryException {
        return database.rows("SELECT DISTINCT %1$s, %1$s_rank FROM report_outgoing WHERE %1$s_rank <= %2$d ORDER BY 2"
                .formatted(name, MOST_LINES + 1));
    }

    /** Hits per second by rank: columns r1, r2 ... and the others together. */
    private static List<ResultRow> perStep(RecordingDatabase database, TimeAxis axis, String rank)
            throws QueryException {
        StringBuilder outer = new StringBuilder();
        StringBuilder inner = new StringBuilder();
        for (int i = 1; i <= MOST_LINES + 1; i++) {
            outer.append(", ")
                    .append(axis.perSecond("r" + i, "step"))
                    .append(" AS r")
                    .append(i);
            inner.append(", sum(weight) FILTER (%s %s %d) AS r%d".formatted(rank, i > MOST_LINES ? ">=" : "=", i, i));
        }
        return database.rows("""
                SELECT step%s FROM (
                    SELECT %s AS step%s FROM report_outgoing o JOIN report_capture c USING (capture_id) GROUP BY 1)
                ORDER BY step""".formatted(outer, axis.stepOf("o.mono_ns + c.unix_minus_mono_ns"), inner));
    }

    private static List<LineOf> lines(List<ResultRow> ranked, String name, Shape shape) {
        List<LineOf> lines = new ArrayList<>();
        for (int i = 0; i < ranked.size(); i++) {
            String text = i < MOST_LINES ? ranked.get(i).text(name) : "others";
            lines.add(new LineOf("r" + (i + 1), text, shape, shape == Shape.AREA));
        }
        return lines;
    }

    private static ReportPart operations(RecordingDatabase database) throws QueryException {
        List<From> columns = new ArrayList<>(common());
        columns.add(From.text("ordered_by", "ordered by"));
        columns.add(From.text("caller", "from"));
        return Tables.of("By peer and operation", rows(database, "TRUE"), columns);
    }

    private static Optional<ReportPart> unordered(RecordingDatabase database) throws QueryException {
        if (!database.has("report_outgoing WHERE parent_request_id IS NULL")) {
            return Optional.empty();
        }
        List<From> columns = new ArrayList<>(common());
        columns.add(From.text("caller", "from"));
        columns.add(From.text("caller_package", "package"));
        return Optional.of(Tables.of("Ordered by no request", rows(database, "FALSE"), columns));
    }

    private static List<From> common() {
        return List.of(
                From.text("pid", "process"),
                From.text("peer", "peer"),
                From.text("protocol", "protocol"),
                From.text("operation", "operation"),
                From.scaled("count", "about_count", "count"),
                From.count("per_s", "per second"),
                From.ms("p50", "p50"),
                From.ms("p99", "p99"),
                From.text("errors", "errors"),
                From.count("waited", "waited"),
                From.ms("waited_p99", "wait (p99)"),
                From.bytes("received", "received"),
                From.bytes("sent", "sent"));
    }

    /** By process, peer, protocol and operation; what no request ordered also by its caller. */
    private static List<ResultRow> rows(RecordingDatabase database, String isOrdered) throws QueryException {
        return database.rows("""
                WITH sent AS (
                    SELECT *, CASE WHEN %1$s THEN '' ELSE coalesce(caller, '') || '/' || coalesce(caller_package, '') END AS who
                    FROM report_outgoing WHERE (parent_request_id IS NOT NULL) = %1$s),
                reason AS (
                    SELECT pid, peer, protocol, operation, who, error, count(*) AS n FROM sent WHERE error IS NOT NULL GROUP BY ALL),
                reasons AS (
                    SELECT pid, peer, protocol, operation, who, string_agg(error || ' ' || n, ', ' ORDER BY n DESC, error) AS errors
                    FROM reason GROUP BY ALL),
                orderer AS (
                    SELECT pid, peer, protocol, operation, ordered_by, count(*) AS n FROM sent WHERE ordered_by IS NOT NULL GROUP BY ALL),
                orderers AS (
                    SELECT pid, peer, protocol, operation, arg_max(ordered_by, n) || ' (' || max(n) || ')'
                        || CASE WHEN count(*) > 1 THEN ', ' || (count(*) - 1) || ' more' ELSE '' END AS ordered_by
                    FROM orderer GROUP BY ALL)
                SELECT s.pid, s.peer, s.protocol, s.operation, count(*) AS count, sum(weight) AS about_count,
                    sum(weight) / (SELECT greatest(sum(last_ns - first_ns), 1) / 1e9 FROM report_capture) AS per_s,
                    quantile_cont(duration_ns, 0.5) / 1e6 AS p50, quantile_cont(duration_ns, 0.99) / 1e6 AS p99,
                    any_value(e.errors) AS errors, count(*) FILTER (waited_ns > 0) AS waited,
                    quantile_cont(waited_ns, 0.99) FILTER (waited_ns > 0) / 1e6 AS waited_p99,
                    sum(received_bytes) AS received, sum(sent_bytes) AS sent, any_value(o.ordered_by) AS ordered_by,
                    mode(caller) AS caller, arg_min(caller_package, mono_ns) AS caller_package, sum(duration_ns) AS total
                FROM sent s
                LEFT JOIN reasons e USING (pid, peer, protocol, operation, who)
                LEFT JOIN orderers o USING (pid, peer, protocol, operation)
                GROUP BY s.pid, s.peer, s.protocol, s.operation, who
                ORDER BY total DESC NULLS LAST, count DESC, s.peer, s.operation, who LIMIT %2$d""".formatted(isOrdered, Tables.MOST_ROWS));
    }

    private static ReportPart slowest(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT peer, operation, (o.mono_ns + c.unix_minus_mono_ns) / 1e6 - %d AS at_ms, duration_ns / 1e6 AS took,
                    waited_ns / 1e6 AS waited, error, coalesce(ordered_by, 'no request') AS ordered_by, statement, request_id
                FROM report_outgoing o JOIN report_capture c USING (capture_id)
                WHERE duration_ns IS NOT NULL ORDER BY duration_ns DESC, o.capture_id, request_id LIMIT %d""".formatted(axis.startMs(), MOST_SLOWEST));
        return Tables.of(
                "The slowest",
                rows,
                List.of(
                        From.text("peer", "peer"),
                        From.text("operation", "operation"),
                        From.ms("at_ms", "began after"),
                        From.ms("took", "took"),
                        From.ms("waited", "waited"),
                        From.text("error", "error"),
                        From.text("ordered_by", "ordered by"),
                        From.text("statement", "statement"),
                        From.count("request_id", "request_id")));
    }
}
