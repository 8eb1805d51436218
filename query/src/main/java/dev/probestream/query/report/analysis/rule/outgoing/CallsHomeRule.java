package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
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
 * A server sends something to a peer with which no request has to do: a package of node_modules that calls home. What the
 * application itself sends so is a note.
 */
public final class CallsHomeRule implements Rule {
    static final String NAME = "calls-home";

    @Override
    public String remedy() {
        return "Check whether the package may send this, and turn it off in its settings if not.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // caller_package is also that of a client which the application called: a package sends by itself if the caller
        // is in it. A peer counts if nothing that went there is known to be ordered by a request, and if it is sent to
        // while nothing is served nearly as often as at other times. What requests order is sent while they are served,
        // also where it is not known which request that is.
        for (ResultRow row : database.rows("""
                WITH idle AS (
                    SELECT capture_id, pid, 1 - sum(greatest(until_ns - greatest(from_ns, before_ns), 0))
                        / any_value(c.last_ns - c.first_ns) AS share
                    FROM (SELECT *, coalesce(lag(reach_ns) OVER (PARTITION BY capture_id, pid ORDER BY from_ns, reach_ns), 0) AS before_ns
                        FROM report_serving) JOIN report_capture c USING (capture_id)
                    GROUP BY capture_id, pid)
                SELECT o.capture_id, o.pid, o.peer, mode(o.caller) AS caller,
                    CASE WHEN contains(o.caller, '(' || o.caller_package || '/') THEN o.caller_package END AS sender,
                    mode(o.operation) AS operation, count(*) AS sent, max(o.sent_ns) - min(o.sent_ns) AS over_ns,
                    count(*) FILTER (s.reach_ns IS NULL OR s.reach_ns < o.sent_ns) AS alone, any_value(i.share) AS idle_share
                FROM report_sent o
                JOIN idle i ON i.capture_id = o.capture_id AND i.pid = o.pid
                ASOF LEFT JOIN report_serving s ON s.capture_id = o.capture_id AND s.pid = o.pid AND s.from_ns <= o.sent_ns
                WHERE NOT o.is_statement AND NOT o.is_connect AND o.peer IS NOT NULL AND o.caller IS NOT NULL
                    AND NOT EXISTS (FROM report_sent q WHERE q.capture_id = o.capture_id AND q.pid = o.pid
                        AND q.peer = o.peer AND q.parent_request_id IS NOT NULL)
                GROUP BY o.capture_id, o.pid, o.peer, sender
                HAVING alone >= %1$d AND alone >= %2$s * idle_share * sent
                ORDER BY sender IS NULL, sent DESC, o.peer LIMIT 3""".formatted(Thresholds.CALLS_HOME, Thresholds.CALLS_HOME_ALONE_SHARE))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String sender = row.text("sender");
        String every = row.count("sent") > 1
                ? " One every " + Amounts.ofNs(row.number("over_ns") / (row.count("sent") - 1)) + ", most often "
                        + row.text("operation") + "."
                : "";
        String title = (sender.isEmpty() ? "The application" : "The package " + sender) + " sent "
                + Amounts.count(row.count("sent"), "request") + " to " + row.text("peer")
                + " beside the requests that this server serves" + Ordered.from(row) + ".";
        return new WeightedFinding(
                new Finding(
                        NAME,
                        sender.isEmpty() ? Severity.NOTE : Severity.MEDIUM,
                        title,
                        row.count("alone")
                                + " of them were sent while no request was being served; of none it is known that a"
                                + " request ordered it." + every,
                        List.of(EvidenceLinks.OUTGOING, EvidenceLinks.CONNECTIONS)),
                row.number("sent"));
    }
}
