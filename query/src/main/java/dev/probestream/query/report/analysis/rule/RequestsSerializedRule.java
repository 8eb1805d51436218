package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of a route wait for each other in JavaScript, such as for an async mutex or a queue of one: one goes on when the one before is
 * done, and before that nothing is known to have run, been sent, or been in the thread pool for it.
 */
public final class RequestsSerializedRule implements Rule {
    public static final String NAME = "requests-serialized";

    @Override
    public String remedy() {
        return "Do less while the mutex or the turn of the queue is held, let more than one go on, or use one for each key.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Moments at which requests go on in constant intervals, such as those of a timer, match constant times of
        // being
        // active by chance: then the waits must differ, or the moments follow what differs in the times.
        for (ResultRow row : database.rows("""
                WITH route AS (
                    SELECT capture_id, pid, coalesce(operation, '?') AS route, count(*) AS requests
                    FROM requests WHERE side = 'SERVER' GROUP BY ALL),
                waiting AS (
                    FROM report_serialized
                    WHERE silent_ns >= %1$d AND beside_ns >= %9$s * least(silent_ns, last_active_ns)),
                place AS (
                    SELECT capture_id, pid, tid, route, arg_max(place, n) AS place, max(n) AS placed FROM (
                        SELECT capture_id, pid, tid, route, place, count(*) AS n FROM waiting WHERE place IS NOT NULL GROUP BY ALL)
                    GROUP BY ALL)
                SELECT w.capture_id, w.pid, w.route, any_value(r.requests) AS requests, count(*) AS waiting, avg(w.silent_ns) AS mean_ns,
                    max(w.silent_ns) AS longest_ns, sum(w.silent_ns) AS total_ns, avg(w.last_active_ns) AS active_ns,
                    quantile_cont(w.off_ns, %2$s) AS off_ns, any_value(p.place) AS place, any_value(p.placed) AS placed
                FROM waiting w JOIN route r USING (capture_id, pid, route) LEFT JOIN place p USING (capture_id, pid, tid, route)
                GROUP BY w.capture_id, w.pid, w.tid, w.route
                HAVING waiting >= greatest(%3$d, %4$s * any_value(r.requests))
                    AND sum(w.busy_ns) <= %5$s * sum(w.silent_ns)
                    AND off_ns <= %6$s * avg(w.last_active_ns)
                    AND (stddev_samp(w.silent_ns) >= %7$s * avg(w.silent_ns) OR off_ns <= %8$s * stddev_samp(w.last_active_ns))
                ORDER BY total_ns DESC, w.route LIMIT 3""".formatted(
                        Thresholds.SERIALIZED_WAIT_NS,
                        Thresholds.SERIALIZED_QUANTILE,
                        Thresholds.SERIALIZED_REQUESTS,
                        Thresholds.SERIALIZED_SHARE,
                        Thresholds.SERIALIZED_BUSY_PART,
                        Thresholds.SERIALIZED_OFF_PART,
                        Thresholds.SERIALIZED_WAITS_VARY,
                        Thresholds.SERIALIZED_OFF_OF_VARIATION,
                        Thresholds.SERIALIZED_BESIDE_PART))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        boolean isPlaced = 2 * row.count("placed") > row.count("waiting");
        String text = row.count("waiting") + " of " + Amounts.count(row.count("requests"), "request")
                + " of this route waited, at most " + Amounts.ofNs(row.number("longest_ns"))
                + ", while nothing is known to have run, been sent, or been in the thread pool for them. In the order in which they went on, one"
                + " did when the one before was done; each was then active for " + Amounts.ofNs(row.number("active_ns"))
                + " on average, as a rule no two at the same time. An async mutex, a queue that takes one after the other, or a pool of one"
                + " does this."
                + (isPlaced ? " Most of them went on in " + row.text("place") + "." : "");
        return WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.SERIALIZED_HIGH_NS,
                row.number("total_ns") / 1e6,
                "Requests of " + row.text("route") + " wait for each other in JavaScript, for "
                        + Amounts.ofNs(row.number("mean_ns")) + " on average"
                        + (isPlaced ? ", and go on in " + row.text("place") : "") + ".",
                text,
                List.of(EvidenceLinks.SLOW_REQUESTS, EvidenceLinks.OUTGOING));
    }
}
