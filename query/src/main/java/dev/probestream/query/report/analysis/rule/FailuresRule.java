package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Requests and calls that failed. Requests that failed with what they ordered, or with a call for which a resource was used
 * up ({@link ResourcesExhaustedRule}), are a consequence. If half of the failed ones are, the severity is not high.
 */
public final class FailuresRule implements Rule {
    static final String NAME = "errors";

    /**
     * Why requests failed, if another finding is about that.
     *
     * @param column how many failed so
     * @param words what these did or had
     */
    private record Reason(String column, String words) {}

    private static final List<Reason> REASONS = List.of(
            new Reason(
                    "ordered",
                    " had ordered a request to another server, a statement, or a lookup of a name, that failed or had no answer,"
                            + " or waited for a connection that was held"),
            new Reason("exhausted", " had a call that failed because a resource was used up"),
            new Reason("cut_off", " were open when their process ended"));

    @Override
    public String remedy() {
        return "Look at the errors of the named request first.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        requests(database, found);
        calls(database, found);
        return found;
    }

    private static void requests(RecordingDatabase database, List<WeightedFinding> found) throws QueryException {
        for (ResultRow row : database.rows("""
                WITH served AS (
                    SELECT capture_id, pid, status, outcome, error_code, is_failed_request(status, outcome, error_code) AS is_failed,
                        EXISTS (FROM report_sent o WHERE o.capture_id = r.capture_id
                            AND o.parent_request_id = r.request_id AND o.is_failed)
                        OR EXISTS (FROM report_lookup_request l WHERE l.capture_id = r.capture_id
                            AND l.request_id = r.request_id AND (l.failure IS NOT NULL OR l.is_unanswered))
                        OR EXISTS (FROM report_held_request h WHERE h.capture_id = r.capture_id AND h.request_id = r.request_id)
                            AS has_failed_order,
                        EXISTS (FROM request_events q JOIN report_failure f USING (capture_id, sequence)
                            WHERE q.capture_id = r.capture_id AND q.request_id = r.request_id AND f.errno IN (%s)) AS has_exhausted,
                        EXISTS (FROM report_end e WHERE e.capture_id = r.capture_id AND e.pid = r.pid AND r.mono_ns <= e.at_ns
                            AND r.mono_ns + coalesce(r.duration_ns, 0) >= e.at_ns) AS was_open
                    FROM requests r WHERE side = 'SERVER' AND coalesce(outcome, '') NOT IN ('UNKNOWN', 'UNOBSERVED'))
                SELECT capture_id, pid, count(*) AS requests, count(*) FILTER (status >= 500) AS failed,
                    count(*) FILTER (outcome = 'ABORTED' AND coalesce(status, 0) < 500) AS aborted,
                    count(*) FILTER (is_failed_request(NULL, '', error_code) AND outcome <> 'ABORTED') AS of_grpc,
                    count(*) FILTER (is_failed AND has_failed_order) AS ordered,
                    count(*) FILTER (is_failed AND has_exhausted) AS exhausted,
                    count(*) FILTER (is_failed AND was_open) AS cut_off,
                    count(*) FILTER (is_failed AND (has_failed_order OR has_exhausted OR was_open)) AS following
                FROM served GROUP BY capture_id, pid ORDER BY requests DESC, capture_id, pid""".formatted(ResourcesExhaustedRule.ERRORS))) {
            requests(database, row, found);
        }
    }

    /** Of one process. */
    private static void requests(RecordingDatabase database, ResultRow row, List<WeightedFinding> found)
            throws QueryException {
        double bad = row.number("failed") + row.number("aborted") + row.number("of_grpc");
        if (bad < Thresholds.FAILED_REQUESTS || bad < Thresholds.FAILED_SHARE * row.count("requests")) {
            return;
        }
        List<ResultRow> worst = database.rows("""
                SELECT coalesce(operation, '?') AS request,
                    CASE WHEN status >= 500 THEN status::VARCHAR WHEN outcome = 'ABORTED' THEN 'aborted'
                        ELSE error_code END AS how,
                    count(*) AS requests
                FROM requests WHERE side = 'SERVER' AND is_failed_request(status, outcome, error_code)
                    AND capture_id = ? AND pid = ?
                GROUP BY ALL ORDER BY requests DESC, request LIMIT 3""", row.count("capture_id"), row.count("pid"));
        StringBuilder text = new StringBuilder(row.count("failed") + " of "
                + Amounts.count(row.count("requests"), "request") + " were answered with a status of 500 or more, "
                + row.count("aborted") + " had no complete response when their connection closed.");
        if (row.count("of_grpc") > 0) {
            text.append(' ')
                    .append(row.count("of_grpc"))
                    .append(" were answered with a status of gRPC by which the server failed.");
        }
        boolean isConsequence = row.count("following") >= bad / 2;
        for (Reason reason : REASONS) {
            if (row.count(reason.column()) > 0) {
                text.append(" Of the failed ones ")
                        .append(row.count(reason.column()))
                        .append(reason.words())
                        .append(isConsequence ? ": a consequence." : ".");
            }
        }
        for (ResultRow one : worst) {
            text.append(' ')
                    .append(one.text("request").strip())
                    .append(": ")
                    .append(one.count("requests"))
                    .append(" × ")
                    .append(one.text("how"))
                    .append('.');
        }
        WeightedFinding finding = WeightedFinding.of(
                NAME,
                !isConsequence && bad >= Thresholds.FAILED_SHARE_HIGH * row.count("requests"),
                row.count("cut_off") >= bad / 2 ? 0 : bad,
                Amounts.share(bad, row.number("requests")) + " of the requests failed: most of them "
                        + worst.get(0).text("request").strip() + ".",
                text.toString(),
                List.of(EvidenceLinks.REQUESTS));
        found.add((isConsequence ? finding.asConsequence() : finding).ofProcess(row));
    }

    private static void calls(RecordingDatabase database, List<WeightedFinding> found) throws QueryException {
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, errno, sum(n) AS failures, arg_max(probe, n) AS probe, arg_max(what, n) AS what
                FROM (
                    SELECT capture_id, pid, errno, probe, what, count(*) AS n FROM report_failure
                    -- what is used up is a finding of its own
                    WHERE NOT is_usual AND errno IN ('EACCES', 'EPERM', 'EROFS', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE',
                        'EADDRINUSE', 'EADDRNOTAVAIL', 'ENOBUFS')
                        -- only calls of Node itself; the same failure of its system call is not counted again
                        AND category <> 'syscalls'
                        -- a finding of its own
                        AND NOT (category IN ('node-net', 'node-http', 'node-requests') AND probe IN ('connect', 'connected'))
                    GROUP BY ALL) f
                GROUP BY capture_id, pid, errno HAVING failures >= %d
                ORDER BY failures DESC, errno, capture_id, pid LIMIT 3""".formatted(Thresholds.FAILED_CALLS))) {
            String on = row.text("what").isEmpty() ? "" : " of " + row.text("what");
            WeightedFinding finding = WeightedFinding.of(
                    NAME,
                    false,
                    row.number("failures"),
                    String.format(
                            Locale.ROOT,
                            "%s failed with %s: most often %s%s.",
                            Amounts.count(row.count("failures"), "call"),
                            row.text("errno"),
                            row.text("probe"),
                            on),
                    "See the table of errors for all of them.",
                    List.of(EvidenceLinks.ERRORS));
            found.add(finding.ofProcess(row));
        }
    }
}
