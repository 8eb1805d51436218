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
 * Requests do the same at the same peer again after it failed, which multiplies the load of a peer that has enough already. To be refused for now
 * counts: 408 Request Timeout (RFC 9110), 425 Too Early (RFC 8470), 429 Too Many Requests (RFC 6585).
 */
public final class RetriesRule implements Rule {
    static final String NAME = "retries";

    @Override
    public String remedy() {
        return "Retry with a delay and a limit, and remove the cause of the first failure.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH sent AS (SELECT *, is_failed OR coalesce(status IN (408, 425, 429), false) AS is_refused FROM report_sent),
                attempt AS (
                    SELECT *, lag(is_refused) OVER again AND sent_ns >= lag(answered_ns) OVER again AS is_retry,
                        coalesce(lag(error_code) OVER again, lag(status) OVER again::VARCHAR, lag(lower(outcome)) OVER again) AS why,
                        count(*) OVER (PARTITION BY capture_id, parent_request_id, peer, operation, target, statement) AS n
                    FROM sent
                    WHERE parent_request_id IS NOT NULL AND peer IS NOT NULL
                    WINDOW again AS (
                        PARTITION BY capture_id, parent_request_id, peer, operation, target, statement ORDER BY sent_ns))
                SELECT capture_id, pid, peer, coalesce(nullif(operation, ''), 'connecting') AS operation, count(*) AS sent,
                    count(*) FILTER (is_retry) AS retries, count(DISTINCT parent_request_id) FILTER (is_retry) AS parents,
                    mode(parent) FILTER (is_retry) AS parent, max(n) AS most, mode(why) FILTER (is_retry) AS why,
                    mode(caller) FILTER (is_retry) AS caller,
                    coalesce(sum(answered_ns - sent_ns) FILTER (is_retry), 0) AS took_ns
                FROM attempt GROUP BY capture_id, pid, peer, operation
                HAVING retries >= %d AND parents >= %d ORDER BY retries DESC, peer LIMIT 3""".formatted(Thresholds.RETRIES, Thresholds.RETRIED_REQUESTS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        long firsts = row.count("sent") - row.count("retries");
        String text = "Most often after " + row.text("why") + ". It was tried up to "
                + Amounts.count(row.count("most"), "time") + " for one request; "
                + Amounts.count(firsts, "first attempt")
                + " became " + row.count("sent") + "." + Ordered.byRequests(row, "tried again");
        return WeightedFinding.of(
                NAME,
                false,
                row.number("took_ns") / 1e6,
                row.text("operation") + " at " + row.text("peer") + " was tried again "
                        + Amounts.count(row.count("retries"), "time") + " after it failed" + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.REQUESTS));
    }
}
