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
 * Requests call the same route of a peer many times, one call after the other: the N + 1 queries of those who ask services instead of a
 * database. Calls at the same time are not, nor those that are tried again after they failed.
 */
public final class RepeatedCallsRule implements Rule {
    static final String NAME = "calls-repeated";

    @Override
    public String remedy() {
        return "Ask for all with one request, send several at a time (with a limit), or keep answers that do not change.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH call AS (
                    SELECT capture_id, pid, peer, operation, parent, parent_request_id, parent_ns, sent_ns, answered_ns,
                        CASE WHEN caller_package IS NULL THEN caller END AS caller, -- that of a package sends for everybody
                        sent_ns >= max(answered_ns) OVER (
                            PARTITION BY capture_id, parent_request_id, peer, operation ORDER BY sent_ns
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_next
                    FROM report_sent
                    WHERE protocol LIKE 'http%%' AND NOT is_open AND NOT is_failed AND parent IS NOT NULL AND parent_ns IS NOT NULL),
                of_request AS (
                    SELECT capture_id, pid, peer, operation, parent, parent_request_id, any_value(parent_ns) AS parent_ns,
                        mode(caller) AS caller, count(*) AS n, sum(answered_ns - sent_ns) AS took_ns,
                        n >= %1$d AND count(*) FILTER (is_next) >= %4$s * (n - 1) AS is_repeating
                    FROM call GROUP BY ALL)
                SELECT capture_id, pid, peer, operation, parent, count(*) AS senders,
                    mode(caller) FILTER (is_repeating) AS caller, count(*) FILTER (is_repeating) AS repeating,
                    avg(n) FILTER (is_repeating) AS mean, max(n) FILTER (is_repeating) AS most,
                    sum(took_ns) FILTER (is_repeating) AS took_ns, sum(parent_ns) FILTER (is_repeating) AS parent_ns,
                    avg(parent_ns) FILTER (is_repeating) AS parent_mean_ns
                FROM of_request GROUP BY capture_id, pid, peer, operation, parent
                HAVING repeating >= %2$d AND repeating >= %3$s * senders AND sum(took_ns) >= %5$s * sum(parent_ns)
                ORDER BY took_ns DESC, operation LIMIT 3""".formatted(
                        Thresholds.REPEATED_CALLS,
                        Thresholds.REPEATED_REQUESTS,
                        Thresholds.REPEATED_REQUESTS_SHARE,
                        Thresholds.REPEATED_CALLS_IN_SEQUENCE,
                        Thresholds.REPEATED_CALLS_SHARE))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String text = row.count("repeating") + " of " + Amounts.count(row.count("senders"), "request")
                + " that called it did so " + Thresholds.REPEATED_CALLS + " times or more, at most "
                + Amounts.count(row.count("most"), "time") + ", as a rule one call after the other: "
                + Amounts.share(row.number("took_ns"), row.number("parent_ns"))
                + " of the time of these requests was waiting for them.";
        boolean isHigh = row.number("took_ns") >= Thresholds.REPEATED_SHARE_HIGH * row.number("parent_ns")
                && row.number("parent_mean_ns") >= Thresholds.REPEATED_REQUEST_HIGH_NS;
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("took_ns") / 1e6,
                row.text("parent") + " calls " + row.text("operation") + " at " + row.text("peer") + " "
                        + Amounts.count(Math.round(row.number("mean")), "time") + " per request, one after the other"
                        + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.REQUESTS));
    }
}
