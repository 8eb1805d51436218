package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.RequestsSerializedRule;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What is to be sent waits because all connections to the peer are in use: of an http.Agent, or of a pool of a database. */
public final class ConnectionsExhaustedRule implements Rule {
    static final String NAME = "connections-exhausted";

    /** With one connection, what waits for it goes on in an order. */
    private static final Set<String> ORDERED = Set.of(RequestsSerializedRule.NAME);

    private static final String MEANWHILE = "what waits for it goes on one after the other";

    @Override
    public String remedy() {
        return "Return connections earlier, shorten what is done while one is held, or raise the limit of the"
                + " agent or pool.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH step AS (
                    SELECT capture_id, pid, peer, sent_ns AS at_ns, 1 AS step FROM report_sent
                    UNION ALL
                    SELECT capture_id, pid, peer, answered_ns, -1 FROM report_sent),
                under_way AS (
                    SELECT capture_id, pid, peer, sum(step) OVER (
                        PARTITION BY capture_id, pid, peer ORDER BY at_ns, step ROWS UNBOUNDED PRECEDING) AS n
                    FROM step),
                most AS (SELECT capture_id, pid, peer, max(n) AS most FROM under_way GROUP BY ALL)
                SELECT o.capture_id, o.pid, o.peer, any_value(m.most) AS most, count(*) AS sent,
                    count(*) FILTER (w.wait_ns >= %1$d) AS waiting, avg(w.wait_ns) FILTER (w.wait_ns >= %1$d) AS mean_ns,
                    max(w.wait_ns) AS longest_ns, sum(w.wait_ns) AS total_ns, avg(o.theirs_ns + o.ours_ns) AS held_ns,
                    sum(l.theirs_ns) AS locked_ns, sum(o.theirs_ns + o.ours_ns) AS sent_ns,
                    mode(o.caller) FILTER (w.wait_ns >= %1$d) AS caller,
                    count(DISTINCT o.parent_request_id) FILTER (w.wait_ns >= %1$d) AS parents,
                    mode(o.parent) FILTER (w.wait_ns >= %1$d) AS parent
                FROM report_sent o
                JOIN most m ON m.capture_id = o.capture_id AND m.pid = o.pid AND m.peer = o.peer
                LEFT JOIN report_connection_wait w ON w.capture_id = o.capture_id AND w.request_id = o.request_id
                LEFT JOIN %4$s l ON l.capture_id = o.capture_id AND l.request_id = o.request_id
                WHERE NOT o.is_connect
                GROUP BY o.capture_id, o.pid, o.peer
                HAVING waiting >= %2$d AND waiting >= %3$s * count(*)
                ORDER BY total_ns DESC LIMIT 3""".formatted(
                        Thresholds.CONNECTION_WAIT_NS,
                        Thresholds.CONNECTION_WAITS,
                        Thresholds.CONNECTION_WAITS_SHARE,
                        LockWaitsRule.WAITS))) {
            WeightedFinding finding = finding(row).ofProcess(row);
            found.add(row.count("most") == 1 ? finding.explaining(ORDERED, "the only connection", MEANWHILE) : finding);
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        boolean isOfLocks = row.number("locked_ns") >= Thresholds.LOCK_WAITS_OF_PEER * row.number("sent_ns")
                && row.number("locked_ns") > 0;
        String text = row.count("waiting") + " of " + row.count("sent") + " to it waited longer than "
                + Amounts.ofNs(Thresholds.CONNECTION_WAIT_NS) + " for a connection that was in use, "
                + Amounts.ofNs(row.number("mean_ns")) + " on average, at most "
                + Amounts.ofNs(row.number("longest_ns")) + ". At most " + row.count("most")
                + " were under way at the same time, each for " + Amounts.ofNs(row.number("held_ns")) + " on average."
                + Ordered.byRequests(row, "of this server waited")
                + " The limit is maxSockets of the agent, or the size of the pool.";
        WeightedFinding finding = WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.CONNECTION_WAIT_HIGH_NS,
                row.number("total_ns") / 1e6,
                (row.count("most") == 1 ? "The only connection to " : "All " + row.count("most") + " connections to ")
                        + row.text("peer") + (row.count("most") == 1 ? " is" : " are")
                        + " in use: what is sent to it waits for "
                        + Amounts.ofNs(row.number("mean_ns")) + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.CONNECTIONS, EvidenceLinks.SLOW_REQUESTS));
        return isOfLocks
                ? finding.asConsequence(" " + Amounts.share(row.number("locked_ns"), row.number("sent_ns"))
                        + " of the time of what was under way was waiting for rows that another transaction had locked: a"
                        + " consequence of that (" + LockWaitsRule.NAME + ").")
                : finding;
    }
}
