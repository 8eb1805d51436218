package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** More and more connections are opened and not closed: to which address, and by which code. */
public final class ConnectionsLeakedRule implements Rule {
    static final String NAME = "connections-leaked";

    @Override
    public String remedy() {
        return "Close the connections, or consume the answers, in the code that opens them.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // The halves are those of the time between the first and the last opened connection.
        // A pool that grows with its load uses a free connection before it opens another one. Of those that leak,
        // most had their last traffic before the last one was opened.
        for (ResultRow row : database.rows("""
                WITH bound AS (
                    SELECT capture_id, pid, direction, CASE WHEN direction = 'incoming' THEN '' ELSE remote END AS remote,
                        (min(open_ns) + max(open_ns)) / 2 AS half_ns, max(open_ns) AS last_open_ns
                    FROM report_connection GROUP BY ALL)
                SELECT k.capture_id, k.pid, k.direction, b.remote, count(*) AS opened,
                    count(*) FILTER (close_ns IS NULL) AS open,
                    count(*) FILTER (open_ns <= b.half_ns) AS early, count(*) FILTER (open_ns > b.half_ns) AS late,
                    count(*) FILTER (close_ns IS NULL AND coalesce(last_activity_ns, open_ns)
                        < c.last_ns - (c.last_ns - open_ns) / 4) AS silent,
                    count(*) FILTER (close_ns IS NULL AND coalesce(last_activity_ns, open_ns) < b.last_open_ns) AS unused,
                    max(open_ns) - min(open_ns) AS over_ns
                FROM (FROM report_connection WHERE direction = 'incoming' OR remote IS NOT NULL) k
                JOIN bound b ON b.capture_id = k.capture_id AND b.pid = k.pid AND b.direction = k.direction
                    AND b.remote IS NOT DISTINCT FROM CASE WHEN k.direction = 'incoming' THEN '' ELSE k.remote END
                JOIN report_capture c ON c.capture_id = k.capture_id
                WHERE coalesce(connect_result, 0) >= 0
                GROUP BY ALL
                HAVING open >= CASE WHEN any_value(k.direction) = 'incoming' THEN %1$d ELSE %2$d END AND open >= %3$s * opened AND early >= %4$s * opened AND late >= %4$s * opened
                    AND silent >= %5$s * open AND unused >= %6$s * open
                ORDER BY any_value(k.direction) = 'incoming', open DESC""".formatted(
                        Thresholds.LEAKED_CLIENTS,
                        Thresholds.LEAKED_CONNECTIONS,
                        Thresholds.LEAKED_SHARE,
                        Thresholds.LEAKED_GROWTH_SHARE,
                        Thresholds.LEAKED_SILENT_SHARE,
                        Thresholds.LEAKED_UNUSED_SHARE))) {
            WeightedFinding finding = finding(database, row).ofProcess(row);
            found.add(
                    isOutgoing(finding)
                            ? finding.explaining(
                                    Set.of(DescriptorsGrowRule.NAME), "the open connections", "each has a descriptor")
                            : finding);
        }
        // If the process leaks connections to itself, reports only the outgoing end.
        return found.size() > 1 && found.stream().anyMatch(ConnectionsLeakedRule::isOutgoing)
                ? found.stream().filter(ConnectionsLeakedRule::isOutgoing).toList()
                : found;
    }

    private static boolean isOutgoing(WeightedFinding weighted) {
        return !weighted.finding().title().contains("clients");
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        boolean isOutgoing = row.text("direction").equals("outgoing");
        String peer = !isOutgoing
                ? "by clients"
                : "to " + (row.text("remote").isEmpty() ? "an unknown address" : row.text("remote"));
        Optional<HotSpot> caller = isOutgoing ? caller(database, row) : Optional.empty();
        String title = Amounts.count(row.count("open"), "connection") + " " + peer + " were opened and not closed"
                + caller.map(HotSpot::fromClause).orElse("");
        String text = "Of " + Amounts.count(row.count("opened"), "connection") + " that were opened in "
                + Amounts.ofNs(row.number("over_ns")) + " " + row.count("open") + " were still open at the end, and "
                + row.count("late") + " of them were opened in the second half: their number grows. "
                + Amounts.count(row.count("silent")) + " of the open ones"
                + " had been silent for a quarter of their life or longer. Each keeps a descriptor and memory.";
        return WeightedFinding.of(
                NAME, isOutgoing, row.number("open"), title + ".", text, List.of(EvidenceLinks.CONNECTIONS));
    }

    /** Found by the stream; a socket is created, and its stack recorded, before it connects. */
    private static Optional<HotSpot> caller(RecordingDatabase database, ResultRow row) throws QueryException {
        String connections = "SELECT * FROM report_connection WHERE " + row.sameProcess()
                + " AND direction = 'outgoing'" + " AND close_ns IS NULL AND coalesce(remote, '') = ?";
        Optional<HotSpot> best = Optional.empty();
        for (String probe : List.of("caller of TCP socket", "caller of connect")) {
            Optional<HotSpot> spot = HotSpot.of(database, """
                    SELECT c.capture_id, c.stack_id, 1 AS weight FROM (%s) k
                    ASOF JOIN (FROM report_caller WHERE probe = ?) c
                        ON k.capture_id = c.capture_id AND k.pid = c.pid AND k.stream = c.stream AND k.open_ns + 50000 >= c.at_ns""".formatted(connections), row.text("remote"), probe);
            if (spot.isPresent() && (best.isEmpty() || best.get().function().isEmpty())) {
                best = spot;
            }
        }
        // For a connection to a host name, the socket is created in the callback of the lookup: uses the caller of the
        // lookup.
        return best.filter(known -> !known.function().isEmpty()).isPresent()
                ? best
                : HotSpot.of(database, """
                        SELECT c.capture_id, c.stack_id, 1 AS weight FROM (%s) k
                        ASOF JOIN (FROM report_caller WHERE probe = 'caller of DNS lookup') c
                            ON k.capture_id = c.capture_id AND k.pid = c.pid AND k.open_ns >= c.at_ns
                        WHERE k.open_ns - c.at_ns < 1000000000""".formatted(connections), row.text("remote"));
    }
}
