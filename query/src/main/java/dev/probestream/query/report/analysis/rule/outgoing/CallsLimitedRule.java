package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests wait because only so many calls of a peer's route, two or more, are let go at a time: by a limiter or semaphore in JavaScript, or by a
 * pool whose waits are not known. While requests wait, as many calls are under way; each goes on when one of these is answered.
 */
public final class CallsLimitedRule implements Rule {
    private static final String NAME = "calls-limited";

    @Override
    public String remedy() {
        return "Raise the limit if the peer can take more at once, make the calls shorter or fewer, or refuse requests while many wait.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH call AS (
                    SELECT capture_id, pid, tid, peer, operation, parent_request_id, sent_ns, answered_ns, is_open, waited_ns,
                        CASE WHEN caller_package IS NULL THEN caller END AS caller
                    FROM report_sent WHERE NOT is_connect AND peer IS NOT NULL),
                slow AS (
                    SELECT capture_id, pid, tid, peer, operation, avg((is_statement AND theirs_ns >= %10$d)::INT) AS slow_part
                    FROM report_sent WHERE NOT is_connect AND NOT is_open GROUP BY ALL),
                answer AS (SELECT capture_id, pid, tid, peer, operation, answered_ns AS at_ns FROM call WHERE NOT is_open),
                own AS (
                    SELECT r.capture_id, r.pid, r.tid, r.route, c.peer, c.operation, c.caller, r.request_id, r.silent_ns, r.busy_ns, r.resumed_ns,
                        c.sent_ns
                    FROM report_serialized r
                    JOIN call c ON c.capture_id = r.capture_id AND c.parent_request_id = r.request_id AND c.sent_ns >= r.resumed_ns
                    WHERE r.silent_ns >= %1$d AND coalesce(c.waited_ns, 0) <= %2$s * r.silent_ns
                    QUALIFY row_number() OVER (PARTITION BY c.capture_id, c.parent_request_id ORDER BY c.sent_ns) = 1),
                waiting AS (
                    SELECT o.*, o.sent_ns - a.at_ns AS off_ns
                    FROM own o
                    ASOF LEFT JOIN answer a ON a.capture_id = o.capture_id AND a.pid = o.pid AND a.tid = o.tid AND a.peer = o.peer
                        AND a.operation = o.operation AND a.at_ns <= o.sent_ns),
                step AS (
                    SELECT capture_id, pid, tid, peer, operation, sent_ns AS at_ns, 1 AS calls, 0 AS waits FROM call
                    UNION ALL SELECT capture_id, pid, tid, peer, operation, answered_ns, -1, 0 FROM call
                    UNION ALL SELECT capture_id, pid, tid, peer, operation, resumed_ns - silent_ns, 0, 1 FROM own
                    UNION ALL SELECT capture_id, pid, tid, peer, operation, resumed_ns, 0, -1 FROM own),
                level AS (
                    SELECT capture_id, pid, tid, peer, operation, sum(calls) OVER in_order AS calls, sum(waits) OVER in_order AS waits,
                        lead(at_ns) OVER (PARTITION BY capture_id, pid, tid, peer, operation ORDER BY at_ns, calls, waits) - at_ns AS for_ns
                    FROM step
                    WINDOW in_order AS (
                        PARTITION BY capture_id, pid, tid, peer, operation ORDER BY at_ns, calls, waits ROWS UNBOUNDED PRECEDING)),
                level_time AS (
                    SELECT capture_id, pid, tid, peer, operation, calls, sum(for_ns) AS for_ns
                    FROM level WHERE waits > 0 AND for_ns > 0 GROUP BY ALL),
                slots AS (
                    SELECT capture_id, pid, tid, peer, operation, arg_max(calls, for_ns) AS slots, max(for_ns) AS full_ns,
                        sum(for_ns) AS waiting_ns, max(calls) AS most
                    FROM level_time GROUP BY ALL),
                answers AS (
                    SELECT capture_id, pid, tid, peer, operation, (max(at_ns) - min(at_ns)) / nullif(count(*) - 1, 0) AS spacing_ns
                    FROM answer GROUP BY ALL),
                route AS (
                    SELECT capture_id, pid, tid, coalesce(operation, '?') AS route, count(*) AS requests, count(duration_ns) AS ended
                    FROM requests WHERE side = 'SERVER' GROUP BY ALL)
                SELECT w.capture_id, w.pid, w.route, w.peer, w.operation, any_value(r.requests) AS requests, any_value(r.ended) AS ended,
                    any_value(s.slots) AS slots, count(*) AS waiting, avg(w.silent_ns) AS mean_ns, max(w.silent_ns) AS longest_ns,
                    sum(w.silent_ns) AS total_ns, mode(w.caller) AS caller, any_value(l.slow_part) AS slow_part
                FROM waiting w
                JOIN slots s USING (capture_id, pid, tid, peer, operation)
                JOIN answers a USING (capture_id, pid, tid, peer, operation)
                JOIN slow l USING (capture_id, pid, tid, peer, operation)
                JOIN route r USING (capture_id, pid, tid, route)
                GROUP BY w.capture_id, w.pid, w.tid, w.route, w.peer, w.operation
                HAVING any_value(s.slots) >= 2 AND any_value(s.most) = any_value(s.slots)
                    AND any_value(s.full_ns) >= %3$s * any_value(s.waiting_ns)
                    AND waiting >= greatest(%4$d, %5$s * any_value(r.ended))
                    AND sum(w.busy_ns) <= %6$s * sum(w.silent_ns)
                    AND quantile_cont(coalesce(w.off_ns, 1e18), %7$s) <= %8$s * any_value(a.spacing_ns)
                    AND stddev_samp(w.silent_ns) >= %9$s * any_value(a.spacing_ns)
                ORDER BY total_ns DESC, w.route, w.operation LIMIT 3""".formatted(
                        Thresholds.SERIALIZED_WAIT_NS,
                        Thresholds.LIMITED_KNOWN_PART,
                        Thresholds.LIMITED_FULL_PART,
                        Thresholds.SERIALIZED_REQUESTS,
                        Thresholds.SERIALIZED_SHARE,
                        Thresholds.SERIALIZED_BUSY_PART,
                        Thresholds.SERIALIZED_QUANTILE,
                        Thresholds.LIMITED_OFF_PART,
                        Thresholds.LIMITED_WAITS_VARY,
                        Thresholds.SLOW_STATEMENT_NS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        long unanswered = row.count("requests") - row.count("ended");
        String text = row.count("waiting") + " of " + Amounts.count(row.count("ended"), "request")
                + " of this route that were answered waited, at most " + Amounts.ofNs(row.number("longest_ns"))
                + ", while nothing is known to have run, been sent, or been in the thread pool for them, and "
                + row.count("slots") + " calls of " + row.text("operation")
                + " were under way; each went on when one of these was answered, and there were never more."
                + (unanswered == 0
                        ? ""
                        : " " + Amounts.count(unanswered, "request")
                                + " of the route had no answer at the end of the recording.")
                + " A limiter, a semaphore, or a pool of so many connections does this.";
        WeightedFinding finding = WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.SERIALIZED_HIGH_NS,
                row.number("total_ns") / 1e6,
                "Requests of " + row.text("route") + " wait for one of " + row.count("slots") + " calls of "
                        + row.text("operation") + " at " + row.text("peer") + " to end, for "
                        + Amounts.ofNs(row.number("mean_ns")) + " on average: no more are let go at a time"
                        + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.SLOW_REQUESTS, EvidenceLinks.OUTGOING));
        return row.number("slow_part") >= Thresholds.LIMITED_SLOW_PART
                ? finding.asConsequence(
                        " A consequence of how long these statements take (" + SlowStatementRule.NAME + ").")
                : finding;
    }
}
