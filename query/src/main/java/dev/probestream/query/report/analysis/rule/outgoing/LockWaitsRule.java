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
 * Statements wait for rows that a transaction of another connection of the same process has locked: of which table, whose statements, whose
 * transactions, and for which call these kept the locks.
 */
public final class LockWaitsRule implements Rule {
    static final String NAME = "lock-waits";

    /** SQL: statements that waited for rows (rows of report_lock_wait), of those tables of which enough did. */
    static final String WAITS = """
            (SELECT w.* FROM (
                SELECT w.*,
                    count(*) FILTER (is_at_end) OVER of_table AS at_end, count(*) OVER of_table AS slow,
                    sum(by_chance) OVER of_table AS expected, sum(by_chance * (1 - by_chance)) OVER of_table AS variance
                FROM report_lock_wait w
                LEFT JOIN (
                    SELECT capture_id, pid, peer, avg((begin_ns >= %1$d)::INT) AS late_share
                    FROM report_step WHERE step = 'begin' GROUP BY ALL) b
                    ON b.capture_id = w.capture_id AND b.pid = w.pid AND b.peer = w.peer
                WHERE w.theirs_ns >= %1$d AND (w.is_in_transaction OR coalesce(b.late_share, 0) < %5$s)
                WINDOW of_table AS (PARTITION BY w.capture_id, w.pid, w.peer, w.locked)) w
            WHERE w.is_at_end AND w.at_end >= greatest(%2$d, %3$s * w.slow, w.expected + %4$s * sqrt(w.variance)))""".formatted(
                    Thresholds.LOCK_WAIT_NS,
                    Thresholds.LOCK_WAITS,
                    Thresholds.LOCK_WAITS_SHARE,
                    Thresholds.LOCK_WAITS_DEVIATIONS,
                    Thresholds.LOCK_WAITS_LATE_BEGINS_SHARE);

    @Override
    public String remedy() {
        return "Shorten the transaction between its first change and COMMIT: make calls before it, change the rows that many requests"
                + " need last, or split the row.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH wait AS (FROM %1$s),
                holder AS (
                    SELECT DISTINCT capture_id, pid, peer, locked, holder_port, locked_ns, ended_ns, holder, holder_caller,
                        holder_request_id
                    FROM wait),
                call AS (
                    SELECT h.capture_id, h.pid, h.peer, h.locked, h.holder_port, h.ended_ns, max(o.answered_ns - o.sent_ns) AS call_ns,
                        arg_max(o.operation, o.answered_ns - o.sent_ns) AS call, arg_max(o.peer, o.answered_ns - o.sent_ns) AS called
                    FROM holder h
                    JOIN report_sent o ON o.capture_id = h.capture_id AND o.parent_request_id = h.holder_request_id
                        AND o.sent_ns >= h.locked_ns AND o.answered_ns <= h.ended_ns
                    WHERE NOT o.is_connect AND NOT o.is_open
                    GROUP BY ALL),
                held AS (
                    SELECT h.capture_id, h.pid, h.peer, h.locked, avg(h.ended_ns - h.locked_ns) AS held_ns, mode(h.holder) AS holder,
                        mode(h.holder_caller) AS holder_caller, mode(c.call) AS call, mode(c.called) AS called, avg(c.call_ns) AS call_ns,
                        count(c.call_ns) AS calls, count(*) AS transactions
                    FROM holder h LEFT JOIN call c USING (capture_id, pid, peer, locked, holder_port, ended_ns)
                    GROUP BY ALL)
                SELECT w.capture_id, w.pid, w.database, w.peer, w.locked, count(*) AS waits, avg(w.theirs_ns) AS mean_ns,
                    max(w.theirs_ns) AS longest_ns, sum(w.theirs_ns) AS total_ns, mode(w.caller) AS caller,
                    count(DISTINCT w.parent_request_id) AS parents, mode(w.parent) AS parent,
                    any_value(w.slow) AS slow,
                    any_value(h.held_ns) AS held_ns, any_value(h.holder) AS holder, any_value(h.holder_caller) AS holder_caller,
                    any_value(h.call) AS call, any_value(h.called) AS called, any_value(h.call_ns) AS call_ns,
                    any_value(h.calls) AS calls, any_value(h.transactions) AS transactions
                FROM wait w JOIN held h USING (capture_id, pid, peer, locked)
                GROUP BY w.capture_id, w.pid, w.database, w.peer, w.locked
                ORDER BY total_ns DESC, w.locked LIMIT 3""".formatted(WAITS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String title = "Statements wait for rows of " + row.text("locked") + " that another transaction has locked, at "
                + Statements.database(row) + ": for " + Amounts.ofNs(row.number("mean_ns")) + " on average"
                + Ordered.from(row) + ".";
        String text = row.count("waits") + " of " + Amounts.count(row.count("slow"), "statement") + " that took "
                + Amounts.ofNs(Thresholds.LOCK_WAIT_NS)
                + " and more to change or lock rows of this table had their answer when a"
                + " transaction of another connection ended that had locked rows of it; the longest waited for "
                + Amounts.ofNs(row.number("longest_ns")) + "." + Ordered.byRequests(row, "waited")
                + " The transactions kept the rows for " + Amounts.ofNs(row.number("held_ns")) + " on average"
                + (row.text("holder").isEmpty() ? "" : ", most often those of " + row.text("holder"))
                + (row.text("holder_caller").isEmpty() ? "" : " (" + row.text("holder_caller") + ")") + "."
                + call(row)
                + " The database does not say why a statement takes long: this is known from the order in which statements began and"
                + " ended. Locks of other processes are known to the database only (pg_locks, performance_schema.data_locks).";
        return WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.LOCK_WAIT_HIGH_NS,
                // Before the statements that take long by it.
                1.01 * row.number("total_ns") / 1e6,
                title,
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.SLOW_REQUESTS));
    }

    /** What the transactions waited for meanwhile, if that is known of most of them. */
    private static String call(ResultRow row) {
        if (2 * row.count("calls") < row.count("transactions") || 2 * row.number("call_ns") < row.number("held_ns")) {
            return "";
        }
        return " For most of this time they waited for " + row.text("called") + " (" + row.text("call") + "), "
                + Amounts.ofNs(row.number("call_ns")) + " on average.";
    }
}
