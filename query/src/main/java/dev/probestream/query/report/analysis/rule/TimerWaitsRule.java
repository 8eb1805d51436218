package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of a route wait until a timer of JavaScript lets them go on: a delay before another try, a limiter of rates, a poll. A note, as
 * it may be meant.
 */
public final class TimerWaitsRule implements Rule {
    static final String NAME = "timer-waits";

    @Override
    public String remedy() {
        return "Look for setTimeout() and packages that delay or limit in the handler of this route, if these requests should not wait.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH timers AS (
                    SELECT capture_id, tid, start_ns, end_ns FROM report_span WHERE category = 'node-loop' AND probe = 'timers'),
                route AS (
                    SELECT capture_id, pid, coalesce(operation, '?') AS route, count(*) AS requests
                    FROM requests WHERE side = 'SERVER' GROUP BY ALL),
                waiting AS (
                    SELECT s.capture_id, s.pid, s.route, s.silent_ns, s.busy_ns, s.end_ns - s.start_ns AS served_ns
                    FROM report_serialized s
                    ASOF JOIN timers t ON t.capture_id = s.capture_id AND t.tid = s.tid AND t.start_ns <= s.resumed_ns
                    WHERE t.end_ns >= s.resumed_ns AND s.silent_ns >= %1$d)
                SELECT w.capture_id, w.pid, w.route, any_value(r.requests) AS requests, count(*) AS waiting, avg(w.silent_ns) AS mean_ns,
                    max(w.silent_ns) AS longest_ns, sum(w.silent_ns) AS total_ns, sum(w.served_ns) AS served_ns
                FROM waiting w JOIN route r USING (capture_id, pid, route)
                GROUP BY w.capture_id, w.pid, w.route
                HAVING waiting >= greatest(%2$d, %3$s * any_value(r.requests))
                    AND sum(w.silent_ns) >= %4$s * sum(w.served_ns) AND sum(w.busy_ns) <= %5$s * sum(w.silent_ns)
                ORDER BY total_ns DESC, w.route LIMIT 3""".formatted(
                        Thresholds.TIMER_WAIT_NS,
                        Thresholds.TIMER_WAITS,
                        Thresholds.TIMER_WAITS_SHARE,
                        Thresholds.TIMER_WAITS_PART,
                        Thresholds.SERIALIZED_BUSY_PART))) {
            found.add(new WeightedFinding(finding(row), row.number("total_ns") / 1e6).ofProcess(row));
        }
        return found;
    }

    private static Finding finding(ResultRow row) {
        return new Finding(
                NAME,
                Severity.NOTE,
                "Requests of " + row.text("route") + " wait for a timer, for " + Amounts.ofNs(row.number("mean_ns"))
                        + " on average.",
                row.count("waiting") + " of " + Amounts.count(row.count("requests"), "request")
                        + " of this route waited, at most " + Amounts.ofNs(row.number("longest_ns"))
                        + ", while nothing is known to have run, been sent, or been in the thread pool for them, and went on in a"
                        + " callback of a timer: " + Amounts.share(row.number("total_ns"), row.number("served_ns"))
                        + " of their time. A delay before another try, a limiter, or a poll does this. Which function set the timer is"
                        + " not recorded.",
                List.of(EvidenceLinks.SLOW_REQUESTS));
    }
}
