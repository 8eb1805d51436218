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
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // caller_package is also that of a client which the application called: a package sends by itself if the caller
        // is in
        // it.
        // A peer counts only if nothing that went there was ordered by a
        // request.
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, peer, mode(caller) AS caller,
                    CASE WHEN contains(caller, '(' || caller_package || '/') THEN caller_package END AS sender,
                    mode(operation) AS operation, count(*) AS sent, max(sent_ns) - min(sent_ns) AS over_ns
                FROM report_sent o
                WHERE NOT is_statement AND NOT is_connect AND peer IS NOT NULL AND caller IS NOT NULL
                    AND EXISTS (FROM requests r WHERE r.capture_id = o.capture_id AND r.pid = o.pid AND r.side = 'SERVER')
                    AND NOT EXISTS (FROM report_sent q WHERE q.capture_id = o.capture_id AND q.pid = o.pid
                        AND q.peer = o.peer AND q.parent_request_id IS NOT NULL)
                GROUP BY capture_id, pid, peer, sender
                HAVING sent >= %d ORDER BY sender IS NULL, sent DESC, peer LIMIT 3""".formatted(Thresholds.CALLS_HOME))) {
            found.add(finding(row));
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
                + " that no request of this server ordered" + Ordered.from(row) + ".";
        return new WeightedFinding(
                new Finding(
                        NAME,
                        sender.isEmpty() ? Severity.NOTE : Severity.MEDIUM,
                        title,
                        "Nothing that a request ordered went to this peer." + every,
                        List.of(EvidenceLinks.OUTGOING, EvidenceLinks.CONNECTIONS)),
                row.number("sent"));
    }
}
