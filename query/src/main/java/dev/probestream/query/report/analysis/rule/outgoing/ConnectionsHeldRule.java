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
 * All connections of a pool to a database are held by transactions that were begun and not ended, and requests wait for one: whose
 * transactions, since when, and who waits. The clients of the pool were not given back.
 */
public final class ConnectionsHeldRule implements Rule {
    static final String NAME = "connections-held";

    @Override
    public String remedy() {
        return "End each transaction with COMMIT or ROLLBACK, and release the client in a finally block.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH waiting AS (
                    SELECT capture_id, pid, address, count(*) AS requests, mode(route) AS route FROM report_held_request GROUP BY ALL),
                begun AS (
                    SELECT h.capture_id, h.pid, h.address, mode(b.caller) AS caller, mode(coalesce(r.operation, '?')) FILTER (
                            r.request_id IS NOT NULL) AS parent,
                        count(r.request_id) AS parents, count(r.duration_ns) FILTER (r.outcome <> 'ABORTED') AS answered
                    FROM (SELECT capture_id, pid, address, unnest(begins) AS begin_id FROM report_held) h
                    JOIN requests b ON b.capture_id = h.capture_id AND b.request_id = h.begin_id
                    LEFT JOIN requests r ON r.capture_id = b.capture_id AND r.request_id = b.parent_request_id
                    GROUP BY ALL)
                SELECT h.*, w.requests, w.route, b.caller, b.parent, b.parents, b.answered
                FROM report_held h JOIN waiting w USING (capture_id, pid, address) JOIN begun b USING (capture_id, pid, address)
                WHERE h.held = h.used AND h.silent_ns >= %d AND w.requests >= %d
                ORDER BY w.requests DESC, address LIMIT 3""".formatted(Thresholds.HELD_SILENT_NS, Thresholds.HELD_REQUESTS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String peer = row.text("peer_name").isEmpty()
                ? row.text("address")
                : row.text("peer_name") + " (" + row.text("address") + ")";
        boolean isOne = row.count("held") == 1;
        String title = (isOne ? "The only connection to " : "All " + row.count("held") + " connections to ") + peer
                + (isOne ? " is held by a transaction that did" : " are held by transactions that did") + " not end"
                + Ordered.from(row) + ": " + Amounts.count(row.count("requests"), "request")
                + (row.count("requests") == 1 ? " waits" : " wait") + ", most often " + row.text("route") + ".";
        String text = "The first of them was begun " + Amounts.ofNs(row.number("open_ns"))
                + " before the end of the recording; the last statement to this peer ended "
                + Amounts.ofNs(row.number("silent_ns"))
                + " before the end, and nothing was sent for the requests that came since."
                + (row.count("parents") == 0
                        ? ""
                        : " They were begun in " + Amounts.count(row.count("parents"), "request") + ", most often "
                                + row.text("parent") + "; " + row.count("answered")
                                + " of these were answered and left their connection behind.")
                + " End each transaction with COMMIT or ROLLBACK and release the client in a finally block;"
                + " idle_in_transaction_session_timeout of PostgreSQL ends those that are left.";
        return WeightedFinding.of(
                NAME,
                true,
                row.number("requests") * row.number("silent_ns") / 1e6,
                title,
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.CONNECTIONS, EvidenceLinks.SLOW_REQUESTS));
    }
}
