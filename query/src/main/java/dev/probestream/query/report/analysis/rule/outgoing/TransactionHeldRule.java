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
import java.util.Set;

/** Requests keep a transaction open while they wait for another peer: its locks and its connection are held for that time, too. */
public final class TransactionHeldRule implements Rule {
    static final String NAME = "transaction-held";

    @Override
    public String remedy() {
        return "Make the call before BEGIN or after COMMIT.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // The statements of a request at one peer in their order: where a transaction begins while another of the same
        // request
        // is open, these are on different connections, and neither counts. Calls of one transaction may overlap: the
        // longest
        // is what the transaction waited for at least.
        for (ResultRow row : database.rows("""
                WITH mark AS (
                    SELECT capture_id, pid, database, peer, parent_request_id, parent, caller, sent_ns, answered_ns,
                        regexp_matches(upper(operation), '^(BEGIN|START)') AS is_begin,
                        regexp_matches(upper(operation), '^(BEGIN|START)') OR (regexp_matches(upper(operation), '^(COMMIT|ROLLBACK|END|ABORT)')
                            AND NOT regexp_matches(upper(statement), '^\\s*ROLLBACK\\s.*\\bTO\\b')) AS is_mark
                    FROM report_sent
                    WHERE is_statement AND parent_request_id IS NOT NULL),
                pair AS (
                    SELECT *, lead(is_begin) OVER in_order AS is_next_begin, lag(is_begin) OVER in_order AS is_last_begin,
                        lead(answered_ns) OVER in_order AS until_ns
                    FROM mark WHERE is_mark
                    WINDOW in_order AS (PARTITION BY capture_id, parent_request_id, peer ORDER BY sent_ns)),
                transaction AS (
                    FROM pair WHERE is_begin AND is_next_begin IS FALSE AND is_last_begin IS NOT TRUE),
                held AS (
                    SELECT t.capture_id, t.pid, t.database, t.peer, t.parent, t.parent_request_id, t.sent_ns, any_value(t.caller) AS caller,
                        any_value(t.until_ns - t.sent_ns) AS held_ns, max(o.answered_ns - o.sent_ns) AS call_ns,
                        arg_max(o.peer, o.answered_ns - o.sent_ns) AS called, arg_max(o.operation, o.answered_ns - o.sent_ns) AS call,
                        arg_max(o.caller, o.answered_ns - o.sent_ns) AS call_caller
                    FROM transaction t
                    JOIN report_sent o ON o.capture_id = t.capture_id AND o.parent_request_id = t.parent_request_id
                        AND o.sent_ns >= t.answered_ns AND o.answered_ns <= t.until_ns
                    WHERE NOT o.is_statement AND NOT o.is_connect AND NOT o.is_open
                    GROUP BY t.capture_id, t.pid, t.database, t.peer, t.parent, t.parent_request_id, t.sent_ns),
                queue AS (
                    SELECT s.capture_id, s.pid, s.peer, count(*) AS queued, avg(w.wait_ns) AS queue_mean_ns
                    FROM report_connection_wait w JOIN report_sent s USING (capture_id, request_id)
                    WHERE s.is_statement AND w.wait_ns >= %1$d GROUP BY ALL)
                SELECT h.capture_id, h.pid, h.database, h.peer, h.parent, h.called, mode(h.call) AS call,
                    coalesce(mode(h.call_caller), mode(h.caller)) AS caller, count(*) AS transactions, avg(held_ns) AS held_ns,
                    max(held_ns) AS longest_ns, avg(call_ns) AS call_ns, sum(call_ns) AS total_ns,
                    any_value(coalesce(q.queued, 0)) AS queued, any_value(q.queue_mean_ns) AS queue_mean_ns
                FROM held h LEFT JOIN queue q USING (capture_id, pid, peer)
                WHERE call_ns >= %2$s * held_ns
                GROUP BY h.capture_id, h.pid, h.database, h.peer, h.parent, h.called
                HAVING transactions >= %3$d AND avg(held_ns) >= %4$d
                ORDER BY total_ns DESC, h.parent LIMIT 3""".formatted(
                        Thresholds.CONNECTION_WAIT_NS,
                        Thresholds.HELD_TRANSACTION_PART,
                        Thresholds.HELD_TRANSACTIONS,
                        Thresholds.HELD_TRANSACTION_NS))) {
            found.add(finding(row)
                    .ofProcess(row)
                    .explaining(
                            Set.of(LockWaitsRule.NAME),
                            "the transactions that stay open during a call",
                            "they keep the rows locked until they end"));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String text = Amounts.count(row.count("transactions"), "transaction") + " stayed open for "
                + Amounts.ofNs(row.number("held_ns")) + " on average, at most " + Amounts.ofNs(row.number("longest_ns"))
                + ", of which the call to " + row.text("called") + " took " + Amounts.ofNs(row.number("call_ns"))
                + ". Meanwhile the database holds what the transaction locked, and the connection is used by nothing else."
                + (row.count("queued") == 0
                        ? ""
                        : " " + Amounts.count(row.count("queued"), "statement")
                                + " to the same database waited for a connection, "
                                + Amounts.ofNs(row.number("queue_mean_ns")) + " on average.")
                + " Make the call before BEGIN or after COMMIT.";
        return WeightedFinding.of(
                NAME,
                row.count("queued") >= Thresholds.CONNECTION_WAITS
                        || row.number("held_ns") >= Thresholds.HELD_TRANSACTION_HIGH_NS,
                // Before what waits for the connection or the locks meanwhile.
                (row.number("total_ns") + 1.01 * row.count("queued") * row.number("queue_mean_ns")) / 1e6,
                row.text("parent") + " keeps a transaction at " + Statements.database(row) + " open while it calls "
                        + row.text("called") + " (" + row.text("call") + ")" + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.SLOW_REQUESTS));
    }
}
