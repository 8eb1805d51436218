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
 * Connections are made for a request or a few and closed again, and making them takes a good part of the time: a database client without a
 * pool, an agent that keeps nothing. How long it takes is from the connect to the next request to the peer, so that beside other
 * connections it is rather too short than too long.
 */
public final class ConnectionsNotKeptRule implements Rule {
    static final String NAME = "connections-not-kept";

    @Override
    public String remedy() {
        return "Keep connections: a pool of the database's client, an agent with keepAlive.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH asked AS (
                    SELECT capture_id, pid, address, peer, database, sent_ns, answered_ns, caller, parent, parent_request_id
                    FROM report_sent WHERE NOT is_connect AND NOT is_open AND address IS NOT NULL),
                made AS (
                    SELECT capture_id, pid, remote AS address, open_ns, close_ns FROM report_connection
                    WHERE direction = 'outgoing' AND remote IS NOT NULL AND connected_ns IS NOT NULL AND coalesce(connect_result, 0) = 0),
                used AS (
                    SELECT m.*, CASE WHEN a.sent_ns <= m.close_ns THEN a.sent_ns - m.open_ns END AS making_ns
                    FROM made m
                    ASOF LEFT JOIN asked a
                        ON a.capture_id = m.capture_id AND a.pid = m.pid AND a.address = m.address AND a.sent_ns >= m.open_ns),
                making AS (
                    SELECT capture_id, pid, address, count(*) AS opened, count(close_ns) AS closed, median(making_ns) AS making_ns
                    FROM used GROUP BY ALL),
                asking AS (
                    SELECT capture_id, pid, address, any_value(peer) AS peer, any_value(database) AS database, count(*) AS sent,
                        sum(answered_ns - sent_ns) AS took_ns, mode(caller) AS caller, mode(parent) AS parent,
                        count(DISTINCT parent_request_id) AS parents
                    FROM asked GROUP BY ALL)
                SELECT * FROM making JOIN asking USING (capture_id, pid, address)
                WHERE opened >= %1$d AND closed >= %2$s * opened AND sent <= %3$d * opened AND making_ns >= %4$d
                    AND making_ns * opened >= %5$s * (making_ns * opened + took_ns)
                ORDER BY making_ns * opened DESC, address LIMIT 3""".formatted(
                        Thresholds.NOT_KEPT_CONNECTIONS,
                        Thresholds.NOT_KEPT_CLOSED_SHARE,
                        Thresholds.NOT_KEPT_REQUESTS_OF_ONE,
                        Thresholds.NOT_KEPT_MAKING_NS,
                        Thresholds.NOT_KEPT_MAKING_SHARE))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        double makingNs = row.number("making_ns") * row.count("opened");
        String text = row.count("closed") + " of " + Amounts.count(row.count("opened"), "connection")
                + " were closed again in the recording. Making one takes until the first request on it is sent: with that, "
                + Amounts.share(makingNs, makingNs + row.number("took_ns"))
                + " of the time for this peer is spent on connections." + Ordered.byRequests(row, "used them");
        return WeightedFinding.of(
                NAME,
                row.number("making_ns") >= Thresholds.NOT_KEPT_HIGH_NS,
                makingNs / 1e6,
                Amounts.count(row.count("opened"), "connection") + " to " + Statements.database(row) + " were made for "
                        + Amounts.count(row.count("sent"), "request") + ", and each took "
                        + Amounts.ofNs(row.number("making_ns")) + " to make" + Ordered.from(row) + ".",
                text,
                List.of(EvidenceLinks.CONNECTIONS, EvidenceLinks.OUTGOING));
    }
}
