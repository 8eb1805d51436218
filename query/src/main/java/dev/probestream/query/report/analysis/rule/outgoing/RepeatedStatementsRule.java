package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.CpuBurntRule;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Requests send the same statement many times where one would do: the N + 1 queries of an object mapper, for example. */
public final class RepeatedStatementsRule implements Rule {
    static final String NAME = "statements-repeated";

    private static final int MOST = 3;

    @Override
    public String remedy() {
        return "Ask for all rows with one statement (IN, a join), or load them in batches.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH of_request AS (
                    SELECT capture_id, pid, database, statement, parent, parent_request_id, any_value(parent_ns) AS parent_ns,
                        mode(peer) AS peer, mode(caller) AS caller, count(*) AS n, sum(theirs_ns) AS theirs_ns,
                        count(*) - count(theirs_ns) AS unknown
                    FROM report_statement WHERE parent_request_id IS NOT NULL AND parent IS NOT NULL
                    GROUP BY ALL)
                SELECT capture_id, pid, database, statement, parent, mode(peer) AS peer, count(*) AS senders,
                    mode(caller) FILTER (n >= %1$d) AS caller, count(*) FILTER (n >= %1$d) AS repeating,
                    avg(n) FILTER (n >= %1$d) AS mean, max(n) AS most, sum(n) AS sent,
                    coalesce(sum(unknown) FILTER (n >= %1$d), 0) AS unknown,
                    coalesce(sum(theirs_ns) FILTER (n >= %1$d AND parent_ns IS NOT NULL), 0) AS theirs_ns,
                    coalesce(sum(parent_ns) FILTER (n >= %1$d), 0) AS parent_ns,
                    coalesce(avg(parent_ns) FILTER (n >= %1$d), 0) AS parent_mean_ns
                FROM of_request GROUP BY capture_id, pid, database, statement, parent
                HAVING repeating >= %2$d AND repeating >= %3$s * senders
                ORDER BY sent DESC, statement LIMIT %4$d""".formatted(
                        Thresholds.REPEATED_STATEMENTS,
                        Thresholds.REPEATED_REQUESTS,
                        Thresholds.REPEATED_REQUESTS_SHARE,
                        MOST))) {
            found.add(explained(database, row, finding(row).ofProcess(row)));
        }
        return found.isEmpty() ? onAverage(database) : found;
    }

    /**
     * Where it is not known which request ordered most of them: so many for each request of the routes that may have ordered
     * them, and nearly all while one of these was served.
     */
    private static List<WeightedFinding> onAverage(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH often AS (
                    SELECT capture_id, pid, database, statement, mode(peer) AS peer, mode(caller) AS caller, count(*) AS sent,
                        coalesce(sum(theirs_ns), 0) AS theirs_ns, count(*) - count(theirs_ns) AS unknown
                    FROM report_statement
                    GROUP BY capture_id, pid, database, statement
                    HAVING sent >= %1$d * %2$d AND count(parent_request_id) < sent / 2
                    ORDER BY sent DESC, statement LIMIT %3$d),
                one AS (SELECT capture_id, pid, statement, sent_ns FROM report_statement),
                during AS (
                    SELECT s.*, o.statement, q.sent_ns IS NOT NULL AND q.sent_ns >= s.from_ns AS has_any
                    FROM report_serving s
                    JOIN often o ON o.capture_id = s.capture_id AND o.pid = s.pid
                    ASOF LEFT JOIN one q
                        ON q.capture_id = s.capture_id AND q.pid = s.pid AND q.statement = o.statement AND q.sent_ns <= s.until_ns),
                ordering AS (
                    SELECT capture_id, pid, statement, route, count(*) AS requests FROM during
                    GROUP BY ALL HAVING count(*) FILTER (has_any) >= %4$s * count(*)),
                reach AS (
                    SELECT d.capture_id, d.pid, d.statement, d.from_ns, max(d.until_ns) OVER (
                        PARTITION BY d.capture_id, d.pid, d.statement ORDER BY d.from_ns ROWS UNBOUNDED PRECEDING) AS reach_ns
                    FROM during d JOIN ordering USING (capture_id, pid, statement, route)),
                within AS (
                    SELECT q.capture_id, q.pid, q.statement, count(*) FILTER (r.reach_ns >= q.sent_ns) AS within
                    FROM one q ASOF JOIN reach r
                        ON r.capture_id = q.capture_id AND r.pid = q.pid AND r.statement = q.statement AND r.from_ns <= q.sent_ns
                    GROUP BY ALL),
                total AS (
                    SELECT capture_id, pid, statement, sum(requests) AS requests, count(*) AS routes, any_value(route) AS route
                    FROM ordering GROUP BY ALL)
                SELECT * FROM often o JOIN total USING (capture_id, pid, statement) JOIN within USING (capture_id, pid, statement)
                WHERE o.sent >= %1$d * requests AND requests >= %2$d AND within >= %4$s * o.sent
                ORDER BY o.sent DESC, statement""".formatted(
                        Thresholds.REPEATED_STATEMENTS,
                        Thresholds.REPEATED_REQUESTS,
                        MOST,
                        Thresholds.REPEATED_DURING_SHARE))) {
            found.add(explained(database, row, averageFinding(row).ofProcess(row)));
        }
        return found;
    }

    /** The loop is busy with sending statements, most of which are this one: that it is busy follows. */
    private static WeightedFinding explained(RecordingDatabase database, ResultRow row, WeightedFinding finding)
            throws QueryException {
        List<ResultRow> sending = database.rows("""
                SELECT c.samples, c.sending,
                    (SELECT string_agg(package, ', ' ORDER BY package) FROM report_statement_package p
                        WHERE p.capture_id = c.capture_id AND p.pid = c.pid) AS packages
                FROM report_statement_cpu c JOIN report_loop_thread USING (capture_id, pid, tid)
                WHERE c.capture_id = %1$d AND c.pid = %2$d AND c.samples >= %3$d AND c.sending >= %4$s * c.samples
                    AND (SELECT count(*) FROM report_loop_thread l WHERE l.capture_id = %1$d AND l.pid = %2$d) = 1
                    AND %5$d >= %4$s * (SELECT count(*) FROM report_statement s
                        WHERE s.capture_id = %1$d AND s.pid = %2$d)""".formatted(
                        row.count("capture_id"),
                        row.count("pid"),
                        Thresholds.SENDING_SAMPLES,
                        Thresholds.SENDING_SHARE,
                        row.count("sent")));
        if (sending.isEmpty()) {
            return finding;
        }
        ResultRow cpu = sending.get(0);
        return finding.explaining(
                Set.of(CpuBurntRule.NAME),
                "the repeated statement",
                Amounts.share(cpu.number("sending"), cpu.number("samples"))
                        + " of the loop's CPU samples are in the packages that send it (" + cpu.text("packages") + ")");
    }

    private static String unknown(ResultRow row) {
        return "How long " + row.count("unknown") + " of them took is not known. ";
    }

    private static WeightedFinding averageFinding(ResultRow row) {
        boolean isOneRoute = row.count("routes") == 1;
        String requests =
                Amounts.count(row.count("requests"), "request") + (isOneRoute ? " of " + row.text("route") : "");
        String text = "It was sent " + Amounts.count(row.count("sent"), "time") + " to " + Statements.database(row)
                + " while "
                + requests + " were served; which of them ordered it is not known of most. "
                + (row.count("unknown") > 0
                        ? unknown(row)
                        : "It took " + Amounts.ofNs(row.number("theirs_ns")) + " altogether. ")
                + "One statement for all of the values needs one round trip.";
        return WeightedFinding.of(
                NAME,
                false,
                row.number("theirs_ns") / 1e6,
                "The statement " + Statements.quoted(row) + " is sent "
                        + Amounts.count(Math.round(row.number("sent") / row.number("requests")), "time")
                        + " per request"
                        + (isOneRoute ? " of " + row.text("route") : "") + " on average" + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.REQUESTS));
    }

    private static WeightedFinding finding(ResultRow row) {
        String text = row.count("repeating") + " of " + Amounts.count(row.count("senders"), "request")
                + " that sent it did so " + Thresholds.REPEATED_STATEMENTS + " times or more, at most "
                + Amounts.count(row.count("most"), "time") + ", to " + Statements.database(row) + ". "
                + (row.count("unknown") > 0
                        ? unknown(row)
                        : Amounts.share(row.number("theirs_ns"), row.number("parent_ns"))
                                + " of the time of these requests was the database's time for them. ")
                + "One statement for all of the values needs one round trip.";
        boolean isHigh = row.number("theirs_ns") >= Thresholds.REPEATED_SHARE_HIGH * row.number("parent_ns")
                && row.number("parent_mean_ns") >= Thresholds.REPEATED_REQUEST_HIGH_NS;
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("theirs_ns") / 1e6,
                row.text("parent") + " sends the statement " + Statements.quoted(row) + " "
                        + Amounts.count(Math.round(row.number("mean")), "time") + " per request" + Ordered.from(row)
                        + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.REQUESTS));
    }
}
