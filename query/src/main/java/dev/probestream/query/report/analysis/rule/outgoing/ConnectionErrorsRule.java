package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.HotSpot;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Connections to a peer are refused, reset or time out, and which requests fail with them: those that are not made, and
 * those that end before the answer to a request.
 */
public final class ConnectionErrorsRule implements Rule {
    static final String NAME = "connection-errors";

    /** How the connection of a request ended, by the error's name (docs/requests.md). */
    private static final Map<String, String> HOW = Map.of(
            "ECONNRESET", "The peer reset the connection.",
            "EOF",
                    "The peer closed the connection; see its log. It may close kept connections before this process does.",
            "EPIPE", "The peer had closed the connection when this process wrote to it.",
            "ETIMEDOUT", "The peer stopped acknowledging what was sent to it.",
            "ECANCELED", "This process closed the connection itself: a timeout, or the request was aborted.");

    @Override
    public String remedy() {
        return "Check the peer and its limits; retry only with a delay, and give kept connections a shorter idle"
                + " time than the peer's.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // An address that failed and was followed by another one that did not is not an error, unless a request failed.
        for (ResultRow row :
                database.rows("""
                WITH attempts AS (
                    SELECT capture_id, pid, remote AS address, count(*) AS attempts, true AS is_attempt FROM connections
                    WHERE direction = 'out' AND NOT is_older GROUP BY ALL
                    UNION ALL
                    SELECT capture_id, pid, address, count(*), false FROM report_sent WHERE NOT is_connect GROUP BY ALL)
                SELECT e.capture_id, e.pid, coalesce(e.peer, 'peers that are not known') AS peer, e.error_code, e.is_attempt, count(*) AS errors,
                    greatest(any_value(a.attempts), count(*)) AS attempts, avg(e.after_ns) AS after_ns, mode(e.caller) AS caller,
                    count(DISTINCT e.parent_request_id) FILTER (e.is_parent_failed) AS parents,
                    mode(e.parent) FILTER (e.is_parent_failed) AS parent
                FROM report_connection_error e
                LEFT JOIN attempts a ON a.capture_id = e.capture_id AND a.pid = e.pid AND a.address IS NOT DISTINCT FROM e.address
                    AND a.is_attempt = e.is_attempt
                WHERE NOT e.is_tried_elsewhere OR e.is_parent_failed
                GROUP BY e.capture_id, e.pid, e.peer, e.error_code, e.is_attempt
                HAVING errors >= %1$d AND errors >= %2$s * attempts
                ORDER BY parents DESC, errors DESC, e.peer LIMIT 3""".formatted(Thresholds.CONNECTION_ERRORS, Thresholds.CONNECTION_ERRORS_SHARE))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        boolean isAttempt = row.bool("is_attempt");
        String caller =
                row.text("caller").isEmpty() && isAttempt ? connectingFunction(database, row) : Ordered.from(row);
        String text = (isAttempt ? attempts(row) : HOW.getOrDefault(row.text("error_code"), "Their connection broke."))
                + Ordered.byRequests(row, "of this server failed in whose work that was")
                + (row.count("parents") == 0 ? " No failed request is known to have ordered them." : "");
        String title = isAttempt
                ? Amounts.count(row.count("errors"), "connection") + " to " + row.text("peer") + " failed with "
                        + row.text("error_code")
                : row.count("errors") + " of " + Amounts.count(row.count("attempts"), "request") + " to "
                        + row.text("peer")
                        + " had no complete answer: " + row.text("error_code") + " after "
                        + Amounts.ofNs(row.number("after_ns")) + " on average";
        return new WeightedFinding(
                new Finding(
                        NAME,
                        severity(row),
                        title + caller + ".",
                        text,
                        List.of(EvidenceLinks.OUTGOING, EvidenceLinks.CONNECTIONS, EvidenceLinks.ERRORS)),
                row.number("errors"));
    }

    /** What the process gives up is a note if no request failed with it: it may be its way of working. */
    private static Severity severity(ResultRow row) {
        if (row.count("parents") >= Thresholds.CONNECTION_ERRORS_REQUESTS_HIGH) {
            return Severity.HIGH;
        }
        boolean isChosen = row.text("error_code").equals("ECANCELED") && !row.bool("is_attempt");
        return isChosen && row.count("parents") == 0 ? Severity.NOTE : Severity.MEDIUM;
    }

    private static String attempts(ResultRow row) {
        return row.count("errors") + " of " + Amounts.count(row.count("attempts"), "attempt") + " to connect failed.";
    }

    /** Of the stacks with which the sockets were made that failed. */
    private static String connectingFunction(RecordingDatabase database, ResultRow row) throws QueryException {
        return HotSpot.of(database, """
                        SELECT c.capture_id, c.stack_id, 1 AS weight
                        FROM (FROM connections WHERE %s AND direction = 'out' AND is_failure(result)
                            AND remote = ?) k
                        ASOF JOIN (FROM report_caller WHERE probe = 'caller of TCP socket') c
                            ON k.capture_id = c.capture_id AND k.pid = c.pid AND k.stream = c.stream AND k.from_ns + 50000 >= c.at_ns""".formatted(row.sameProcess()), row.text("peer"))
                .map(HotSpot::fromClause)
                .orElse("");
    }
}
