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

/** A statement takes a database long, without the time of this process: which one, at which database, and for whom. */
public final class SlowStatementRule implements Rule {
    static final String NAME = "slow-statement";

    private static final int MOST = 3;

    @Override
    public String remedy() {
        return "Look at the statement's plan in the database (EXPLAIN), and at locks it waits for.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Left out are commands that wait by their meaning until there is something to return, and those that
        // costly-commands reports.
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, database, peer, statement, count(*) AS sent,
                    count(*) FILTER (theirs_ns >= %1$d) AS slow, avg(theirs_ns) AS mean_ns, max(theirs_ns) AS longest_ns,
                    sum(theirs_ns) AS total_ns, sum(ours_ns) AS ours_ns, sum(coalesce(waited_ns, 0)) AS waited_ns,
                    max(wire_ns) AS wire_ns, mode(caller) AS caller, count(*) FILTER (is_open) AS unanswered,
                    count(DISTINCT parent_request_id) FILTER (theirs_ns >= %1$d) AS parents,
                    mode(parent) FILTER (theirs_ns >= %1$d) AS parent
                FROM report_sent
                WHERE is_statement AND split_part(upper(operation), ' ', 1) NOT IN ('BLPOP', 'BRPOP', 'BLMOVE', 'BRPOPLPUSH', 'BLMPOP',
                    'BZPOPMIN', 'BZPOPMAX', 'BZMPOP', 'XREAD', 'XREADGROUP', 'SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE',
                    'MONITOR', 'WAIT', 'WAITAOF', 'LISTEN')
                    AND NOT (%6$s AND theirs_ns - coalesce(wire_ns, 0) >= %7$d)
                GROUP BY capture_id, pid, database, peer, statement
                HAVING (slow >= %2$d AND slow >= %3$s * count(*)) OR longest_ns >= %4$d
                ORDER BY total_ns DESC, statement LIMIT %5$d""".formatted(
                        Thresholds.SLOW_STATEMENT_NS,
                        Thresholds.SLOW_STATEMENTS,
                        Thresholds.SLOW_STATEMENT_SHARE,
                        Thresholds.SLOW_STATEMENT_ONCE_NS,
                        MOST,
                        CostlyCommandsRule.COSTLY,
                        Thresholds.COSTLY_COMMAND_NS))) {
            found.add(finding(row, behindCostly(database, row), behindLocks(database, row))
                    .ofProcess(row));
        }
        return found;
    }

    /** How many of the slow ones were sent while Redis ran a costly command that this process had sent, which took as long. */
    private static long behindCostly(RecordingDatabase database, ResultRow row) throws QueryException {
        return database.row(
                        """
                        SELECT count(*) AS behind
                        FROM report_sent s
                        ASOF JOIN (FROM report_sent WHERE %1$s AND theirs_ns >= %2$d) k
                            ON k.capture_id = s.capture_id AND k.pid = s.pid AND k.peer = s.peer AND k.sent_ns <= s.sent_ns
                        WHERE s.capture_id = %3$d AND s.pid = %4$d AND s.peer = ? AND s.statement = ? AND s.theirs_ns >= %2$d
                            AND k.answered_ns > s.sent_ns""".formatted(
                                        CostlyCommandsRule.COSTLY,
                                        Thresholds.SLOW_STATEMENT_NS,
                                        row.count("capture_id"),
                                        row.count("pid")),
                        row.text("peer"),
                        row.text("statement"))
                .count("behind");
    }

    /** How many of the slow ones waited for rows that another transaction had locked. */
    private static long behindLocks(RecordingDatabase database, ResultRow row) throws QueryException {
        return database.row(
                        """
                        SELECT count(*) AS behind FROM report_sent s
                        JOIN %s w ON w.capture_id = s.capture_id AND w.request_id = s.request_id
                        WHERE s.capture_id = %d AND s.pid = %d AND s.peer = ? AND s.statement = ? AND s.theirs_ns >= %d""".formatted(
                                        LockWaitsRule.WAITS,
                                        row.count("capture_id"),
                                        row.count("pid"),
                                        Thresholds.SLOW_STATEMENT_NS),
                        row.text("peer"),
                        row.text("statement"))
                .count("behind");
    }

    private static WeightedFinding finding(ResultRow row, long behind, long behindLocks) {
        String took = row.count("sent") == 1
                ? "takes " + Amounts.ofNs(row.number("longest_ns"))
                : "takes " + Amounts.ofNs(row.number("mean_ns")) + " on average";
        String text = row.count("slow") + " of " + Amounts.count(row.count("sent"), "statement") + " took longer than "
                + Amounts.ofNs(Thresholds.SLOW_STATEMENT_NS) + " without the time of this process, the longest "
                + Amounts.ofNs(row.number("longest_ns")) + "."
                + (row.count("unanswered") > 0
                        ? " " + row.count("unanswered") + " had no answer when the recording ended."
                        : "")
                + (behind == 0
                        ? ""
                        : " " + behind
                                + " of them were sent while Redis ran a command for all of its keys or elements: a"
                                + " consequence of that.")
                + WhoseTime.of(row, "database") + Ordered.byRequests(row, "waited for such statements");
        String locks = behindLocks == 0
                ? ""
                : " " + behindLocks + " of them waited for rows that another transaction had locked: a consequence of"
                        + " that (" + LockWaitsRule.NAME + ").";
        boolean isOfLocks = behindLocks > 0 && behindLocks >= row.number("slow") / 2;
        WeightedFinding finding = WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.SLOW_STATEMENT_HIGH_NS && behind < row.number("slow") / 2,
                row.number("total_ns") / 1e6,
                "The statement " + Statements.quoted(row) + " " + took + " at " + Statements.database(row)
                        + Ordered.from(row) + ".",
                isOfLocks ? text : text + locks,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.SLOW_REQUESTS));
        return isOfLocks ? finding.asConsequence(locks) : finding;
    }
}
