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
 * A peer is quick as a rule and late for a part of the calls of one operation, in both halves of the calls, and the requests of this process
 * that are slow are those that wait for such a call. A peer that is late for many calls is one of {@link SlowPeerRule}.
 */
public final class PeerTailRule implements Rule {
    static final String NAME = "peer-tail";

    @Override
    public String remedy() {
        return "Set a time limit for these calls, well above the median, and ask again behind it where that is harmless (or send a second"
                + " call when the first one is late). Look at the peer for what it does at these times.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH sent AS (
                    SELECT *,
                        2 * row_number() OVER (PARTITION BY capture_id, pid, peer, operation ORDER BY sent_ns) > count(*) OVER same AS is_second_half,
                        count(*) FILTER (theirs_ns >= %3$d) OVER of_peer >= greatest(%4$d, %5$s * count(*) OVER of_peer) AS is_slow_peer
                    FROM report_sent
                    WHERE %6$s
                    WINDOW same AS (PARTITION BY capture_id, pid, peer, operation), of_peer AS (PARTITION BY capture_id, pid, peer)),
                usual AS (
                    SELECT capture_id, pid, peer, operation, greatest(%1$s * quantile_cont(theirs_ns, 0.5), %2$d) AS late_from_ns
                    FROM sent GROUP BY ALL),
                call AS (FROM sent JOIN usual USING (capture_id, pid, peer, operation)),
                tail AS (
                    SELECT capture_id, pid, peer, operation, count(*) AS sent, any_value(late_from_ns) AS late_from_ns,
                        quantile_cont(theirs_ns, 0.5) AS median_ns, count(*) FILTER (theirs_ns >= late_from_ns) AS late,
                        quantile_cont(theirs_ns, 0.5) FILTER (theirs_ns >= late_from_ns) AS late_ns, max(theirs_ns) AS longest_ns,
                        mode(caller) FILTER (theirs_ns >= late_from_ns) AS caller,
                        sum(theirs_ns) FILTER (theirs_ns >= late_from_ns) AS total_ns,
                        count(*) FILTER (theirs_ns >= late_from_ns AND is_second_half) AS late_of_second_half
                    FROM call WHERE NOT is_slow_peer
                    GROUP BY capture_id, pid, peer, operation
                    HAVING late >= greatest(%7$d, %8$s * count(*)) AND late_of_second_half BETWEEN %9$s * late AND (1 - %9$s) * late),
                waited AS (
                    SELECT capture_id, pid, peer, operation, parent_request_id AS request_id, sum(theirs_ns) AS waited_ns
                    FROM call WHERE theirs_ns >= late_from_ns AND parent_request_id IS NOT NULL GROUP BY ALL),
                served AS (
                    SELECT t.capture_id, t.pid, t.peer, t.operation, coalesce(r.operation, '?') AS route, count(*) AS requests,
                        sum(r.duration_ns) AS served_ns,
                        coalesce(sum(least(w.waited_ns, r.duration_ns)) FILTER (w.waited_ns IS NOT NULL), 0) AS waited_ns,
                        count(*) FILTER (r.duration_ns >= t.late_from_ns) AS slow,
                        count(*) FILTER (r.duration_ns >= t.late_from_ns AND w.waited_ns >= %10$s * r.duration_ns) AS explained
                    FROM tail t JOIN requests r ON r.capture_id = t.capture_id AND r.pid = t.pid
                    LEFT JOIN waited w ON w.capture_id = t.capture_id AND w.pid = t.pid AND w.peer = t.peer AND w.operation = t.operation
                        AND w.request_id = r.request_id
                    WHERE r.side = 'SERVER' AND r.duration_ns IS NOT NULL
                    GROUP BY ALL
                    HAVING explained >= %4$d AND explained >= %10$s * slow)
                SELECT t.*, s.* EXCLUDE (capture_id, pid, peer, operation)
                FROM tail t JOIN served s USING (capture_id, pid, peer, operation)
                QUALIFY row_number() OVER (PARTITION BY t.capture_id, t.pid, t.peer, t.operation ORDER BY s.explained DESC, s.route) = 1
                ORDER BY total_ns DESC, operation LIMIT 3""".formatted(
                        Thresholds.TAIL_TIMES,
                        Thresholds.TAIL_NS,
                        Thresholds.SLOW_PEER_NS,
                        Thresholds.SLOW_PEER_REQUESTS,
                        Thresholds.SLOW_PEER_SHARE,
                        SlowPeerRule.OF_PEERS,
                        Thresholds.TAIL_CALLS,
                        Thresholds.TAIL_SHARE,
                        Thresholds.TAIL_HALF_SHARE,
                        Thresholds.TAIL_EXPLAINED_PART))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String text = row.count("late") + " of " + Amounts.count(row.count("sent"), "call") + " took longer than "
                + Amounts.ofNs(row.number("late_from_ns")) + " for the network and the response, the longest "
                + Amounts.ofNs(row.number("longest_ns")) + ". Of " + Amounts.count(row.count("slow"), "request")
                + " of "
                + row.text("route") + " that took as long, " + row.count("explained") + " waited for such a call: "
                + Amounts.share(row.number("waited_ns"), row.number("served_ns")) + " of the time of all "
                + Amounts.count(row.count("requests"), "request") + " of the route.";
        boolean isHigh = row.number("late_ns") >= Thresholds.SLOW_PEER_NS
                && row.number("waited_ns") >= Thresholds.TAIL_SHARE_HIGH * row.number("served_ns");
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("total_ns") / 1e6,
                "The peer " + row.text("peer") + " responds late now and then: "
                        + Amounts.share(row.number("late"), row.number("sent")) + " of the calls of "
                        + row.text("operation") + " take " + Amounts.ofNs(row.number("late_ns")) + ", the median is "
                        + Amounts.ofNs(row.number("median_ns")) + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.SLOW_REQUESTS));
    }
}
