package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
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

/** Connections to a peer are refused, reset or time out, and which requests fail with them. */
public final class ConnectionErrorsRule implements Rule {
    static final String NAME = "connection-errors";

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // An address that failed and was followed by another one that did not is not an error, unless a request failed.
        for (ResultRow row :
                database.rows("""
                WITH attempts AS (
                    SELECT capture_id, pid, remote AS address, count(*) AS attempts FROM connections
                    WHERE direction = 'out' AND NOT is_older GROUP BY ALL)
                SELECT e.capture_id, e.pid, e.peer, e.error_code, count(*) AS errors, count(*) FILTER (e.is_attempt) AS refused,
                    greatest(any_value(a.attempts), count(*) FILTER (e.is_attempt)) AS attempts, mode(e.caller) AS caller,
                    count(DISTINCT e.parent_request_id) FILTER (e.is_parent_failed) AS parents,
                    mode(e.parent) FILTER (e.is_parent_failed) AS parent
                FROM report_connection_error e
                LEFT JOIN attempts a ON a.capture_id = e.capture_id AND a.pid = e.pid AND a.address = e.address
                WHERE NOT e.is_tried_elsewhere OR e.is_parent_failed
                GROUP BY e.capture_id, e.pid, e.peer, e.error_code
                HAVING errors >= %1$d AND errors >= %2$s * coalesce(attempts, 0)
                ORDER BY parents DESC, errors DESC, peer LIMIT 3""".formatted(Thresholds.CONNECTION_ERRORS, Thresholds.CONNECTION_ERRORS_SHARE))) {
            found.add(finding(database, row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String caller = row.text("caller").isEmpty() ? connectingFunction(database, row) : Ordered.from(row);
        String text = (row.count("refused") == 0
                        ? "They broke while they were in use."
                        : row.count("refused") + " of " + Amounts.count(row.count("attempts"), "attempt")
                                + " to connect failed.")
                + Ordered.byRequests(row, "of this server failed in whose work that was")
                + (row.count("parents") == 0 ? " No failed request is known to have ordered them." : "");
        return WeightedFinding.of(
                NAME,
                row.count("parents") >= Thresholds.CONNECTION_ERRORS_REQUESTS_HIGH,
                row.number("errors"),
                Amounts.count(row.count("errors"), "connection") + " to " + row.text("peer") + " failed with "
                        + row.text("error_code") + caller + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.CONNECTIONS, EvidenceLinks.ERRORS));
    }

    /** Of the stacks with which the sockets were made that failed. */
    private static String connectingFunction(RecordingDatabase database, ResultRow row) throws QueryException {
        return HotSpot.of(database, """
                        SELECT c.capture_id, c.stack_id, 1 AS weight
                        FROM (FROM connections WHERE capture_id = %d AND pid = %d AND direction = 'out' AND is_failure(result)
                            AND remote = ?) k
                        ASOF JOIN (FROM report_caller WHERE probe = 'caller of TCP socket') c
                            ON k.capture_id = c.capture_id AND k.pid = c.pid AND k.stream = c.stream AND k.from_ns + 50000 >= c.at_ns""".formatted(row.count("capture_id"), row.count("pid")), row.text("peer"))
                .map(HotSpot::fromClause)
                .orElse("");
    }
}
