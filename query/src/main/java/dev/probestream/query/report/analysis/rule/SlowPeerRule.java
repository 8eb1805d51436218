package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;

/** A peer responds late to requests of this process: which address and request. */
public final class SlowPeerRule implements Rule {
    static final String NAME = "slow-peer";

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Requests to the process itself (its own port) are left out; other findings explain them. Requests whose peer
        // is
        // unknown (connected before the recording) are left out, too: they may have gone to several peers. The time of
        // the
        // peer is the network time, without that of this process (its loop, its CPU, its pool).
        for (ResultRow row : database.rows(
                """
                WITH own_port AS (
                    SELECT DISTINCT capture_id, pid, local_address, local_port FROM requests WHERE side = 'SERVER'),
                sent AS (
                    SELECT r.*, greatest(coalesce(r.network_ns, 0), 0) AS peer_ns
                    FROM requests r
                    LEFT JOIN own_port o ON o.capture_id = r.capture_id AND o.local_port = r.remote_port
                        AND coalesce(o.local_address, r.remote_address) = r.remote_address
                    WHERE r.side = 'CLIENT' AND o.pid IS NULL AND r.duration_ns IS NOT NULL
                        AND r.remote_address IS NOT NULL)
                SELECT capture_id, pid, remote_address || coalesce(':' || remote_port, '') AS peer,
                    arg_max(coalesce(method, '') || ' ' || split_part(coalesce(url, ''), '?', 1), peer_ns) AS request,
                    count(*) AS requests, count(*) FILTER (peer_ns >= %1$d) AS slow,
                    avg(peer_ns) AS mean_ns, max(peer_ns) AS longest_ns, sum(peer_ns) AS total_ns,
                    count(DISTINCT parent_request_id) FILTER (peer_ns >= %1$d) AS parents
                FROM sent GROUP BY ALL
                HAVING slow >= %2$d AND slow >= %3$s * count(*) ORDER BY total_ns DESC LIMIT 3""".formatted(Thresholds.SLOW_PEER_NS, Thresholds.SLOW_PEER_REQUESTS, Thresholds.SLOW_PEER_SHARE))) {
            String text = row.count("slow") + " of " + Amounts.count(row.count("requests"), "request")
                    + " to it waited longer than "
                    + Amounts.ofNs(Thresholds.SLOW_PEER_NS) + " for the network and the response, the longest "
                    + Amounts.ofNs(row.number("longest_ns")) + " ("
                    + row.text("request").strip() + ")."
                    + (row.count("parents") > 0
                            ? " " + Amounts.count(row.count("parents"), "request") + " of this server waited for them."
                            : "");
            found.add(WeightedFinding.of(
                    NAME,
                    row.number("mean_ns") >= Thresholds.SLOW_PEER_HIGH_NS,
                    row.number("total_ns") / 1e6,
                    "The peer " + row.text("peer") + " responds late: after " + Amounts.ofNs(row.number("mean_ns"))
                            + " on average.",
                    text,
                    List.of(EvidenceLinks.SLOW_REQUESTS, EvidenceLinks.CONNECTIONS)));
        }
        return found;
    }
}
