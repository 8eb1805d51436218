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

/** A peer responds late to requests of this process: which address and request. */
public final class SlowPeerRule implements Rule {
    static final String NAME = "slow-peer";

    /**
     * SQL for rows of report_sent. Requests whose peer is unknown (connected before the recording) are left out: they may have gone to several
     * peers. So are statements, which have a rule of their own, what is to stay open, and what this process serves itself.
     */
    static final String OF_PEERS = "NOT is_statement AND NOT is_open AND NOT is_to_itself AND address IS NOT NULL"
            + " AND protocol <> 'websocket' AND outcome <> 'UPGRADED'";

    @Override
    public String remedy() {
        return "Look at the peer: the time was spent there. Set a time limit for these calls.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, peer, arg_max(operation, theirs_ns) AS request, count(*) AS sent,
                    count(*) FILTER (theirs_ns >= %1$d) AS slow, avg(theirs_ns) AS mean_ns, max(theirs_ns) AS longest_ns,
                    sum(theirs_ns) AS total_ns, sum(ours_ns) AS ours_ns, sum(coalesce(waited_ns, 0)) AS waited_ns,
                    max(wire_ns) AS wire_ns, mode(caller) AS caller, avg(head_ns) AS head_ns,
                    avg(duration_ns - head_ns) AS body_ns, count(*) FILTER (is_connect) AS connects,
                    count(DISTINCT parent_request_id) FILTER (theirs_ns >= %1$d) AS parents,
                    mode(parent) FILTER (theirs_ns >= %1$d) AS parent
                FROM report_sent
                WHERE %4$s
                GROUP BY capture_id, pid, peer
                HAVING slow >= %2$d AND slow >= %3$s * count(*) ORDER BY total_ns DESC LIMIT 3""".formatted(
                Thresholds.SLOW_PEER_NS, Thresholds.SLOW_PEER_REQUESTS, Thresholds.SLOW_PEER_SHARE, OF_PEERS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String text = row.count("slow") + " of " + Amounts.count(row.count("sent"), "request")
                + " to it waited longer than "
                + Amounts.ofNs(Thresholds.SLOW_PEER_NS) + " for the network and the response, the longest "
                + Amounts.ofNs(row.number("longest_ns")) + " (" + row.text("request") + ")."
                + WhoseTime.of(row, "peer")
                + (row.isNull("head_ns")
                        ? ""
                        : " A response began after " + Amounts.ofNs(row.number("head_ns")) + " on average and took "
                                + Amounts.ofNs(row.number("body_ns")) + " from there to its end.")
                + (row.count("connects") > 0
                        ? " " + Amounts.count(row.count("connects"), "time") + " it was the connecting itself."
                        : "")
                + Ordered.byRequests(row, "of this server waited for them");
        return WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.SLOW_PEER_HIGH_NS,
                row.number("total_ns") / 1e6,
                "The peer " + row.text("peer") + " responds late: after " + Amounts.ofNs(row.number("mean_ns"))
                        + " on average"
                        + (row.text("caller").isEmpty() ? "" : ", asked by " + row.text("caller")) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.SLOW_REQUESTS, EvidenceLinks.CONNECTIONS));
    }
}
