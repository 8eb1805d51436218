package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;

/** The queue of a listening socket was full: connections were turned away, or were about to be. */
public final class ListenOverflowRule implements Rule {
    static final String NAME = "listen-overflow";

    @Override
    public String remedy() {
        return "Accept faster (see what keeps the event loop busy), or raise the backlog and net.core.somaxconn.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT l.*, coalesce(u.longest_ns, 0) AS longest_ns FROM listening_sockets l
                LEFT JOIN (SELECT capture_id, pid, max(busy_ns) AS longest_ns FROM report_turn GROUP BY ALL) u USING (capture_id, pid)
                WHERE "limit" > 0 AND (dropped >= %d OR times_full > 0)
                ORDER BY dropped DESC, queued DESC, local""".formatted(Thresholds.DROPPED_CONNECTIONS))) {
            found.add(finding(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        boolean hasDropped = row.count("dropped") >= Thresholds.DROPPED_CONNECTIONS;
        String title = hasDropped
                ? "The listen queue of " + row.text("local") + " overflowed: "
                        + Amounts.count(row.count("dropped"), "connection attempt")
                        + (row.count("dropped") == 1 ? " was" : " were") + " turned away"
                : "The listen queue of " + row.text("local") + " was full";
        StringBuilder text = new StringBuilder("In the readings, one a second, up to ")
                .append(Amounts.count(row.count("queued"), "connection"))
                .append(" waited to be accepted; ")
                .append(Amounts.count(row.count("limit")))
                .append(" may wait (the smaller one of the backlog of listen() and net.core.somaxconn).")
                .append(" A client whose attempt is turned away tries again after a second, and waits so long.");
        if (row.number("longest_ns") >= Thresholds.LONG_TURN_NS) {
            text.append(" The event loop accepts connections between its turns, and its longest turn took ")
                    .append(Amounts.ofNs(row.number("longest_ns")))
                    .append('.');
        }
        return WeightedFinding.of(
                NAME,
                row.count("dropped") >= Thresholds.DROPPED_CONNECTIONS_HIGH,
                row.number("dropped"),
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.PROCESS, EvidenceLinks.LOOP));
    }
}
