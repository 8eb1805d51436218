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

/** Work of the thread pool never started, because its threads do not come back: with what they are busy, and which code queued it. */
public final class PoolStuckRule implements Rule {
    static final String NAME = "pool-stuck";

    @Override
    public String remedy() {
        return "Find out why the named calls do not return (a network file system, a FIFO, a resolver), give them"
                + " a time limit, and raise UV_THREADPOOL_SIZE until then.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Stuck: nothing began or ended while the oldest of the waiting work waited, and what runs has had a CPU, or
        // waits
        // for something else than a CPU. Work that began before the recording is not known.
        for (ResultRow row : database.rows("""
                WITH started AS (
                    SELECT capture_id, pid, max(greatest(started_ns, ended_ns, done_ns)) AS last_ns FROM pool_work GROUP BY ALL)
                SELECT w.capture_id, w.pid, count(*) FILTER (w.own_ns IS NULL) AS waiting,
                    any_value(w.end_ns) - greatest(min(w.queued_ns) FILTER (w.own_ns IS NULL), coalesce(any_value(s.last_ns), 0)) AS stuck_ns,
                    count(DISTINCT w.tid) FILTER (w.own_ns IS NOT NULL) AS threads, min(w.own_ns) AS own_ns,
                    max(w.own_ns) AS longest_ns, mode(w.what) FILTER (w.own_ns IS NOT NULL) AS what,
                    mode(w.detail) FILTER (w.own_ns IS NOT NULL) AS detail,
                    mode(w.what) FILTER (w.own_ns IS NULL) AS waiting_what
                FROM report_unfinished_work w LEFT JOIN started s USING (capture_id, pid)
                GROUP BY w.capture_id, w.pid
                HAVING waiting >= %1$d AND stuck_ns >= %2$d AND coalesce(own_ns >= %2$d / 2, true)
                ORDER BY waiting DESC""".formatted(Thresholds.POOL_STUCK_WORKS, Thresholds.POOL_STUCK_NS))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String process = row.sameProcess();
        Optional<HotSpot> caller = HotSpot.of(database, """
                SELECT c.capture_id, c.stack_id, 1 AS weight FROM (FROM report_unfinished_work WHERE %s AND own_ns IS NOT NULL) w
                ASOF JOIN report_caller c
                    ON w.capture_id = c.capture_id AND w.pid = c.pid AND w.request = c.request AND w.queued_ns + 1000000 >= c.at_ns
                WHERE w.queued_ns - c.at_ns < 1000000""".formatted(process));
        ResultRow requests = database.row("""
                SELECT count(DISTINCT r.request_id) AS parents, mode(coalesce(r.operation, '?')) AS parent
                FROM (FROM report_unfinished_work WHERE %s AND own_ns IS NULL) w
                JOIN request_events e USING (capture_id, sequence)
                JOIN requests r ON r.capture_id = e.capture_id AND r.request_id = e.request_id
                WHERE r.side = 'SERVER'""".formatted(process));
        String busy = row.count("threads") == 0
                ? "its threads are busy with what began before the recording"
                : Amounts.count(row.count("threads"), "thread")
                        + (row.count("threads") == 1 ? " is busy with " : " are busy with ")
                        + row.text("what")
                        + (row.text("detail").isEmpty() ? "" : " of " + row.text("detail"))
                        + caller.map(HotSpot::fromClause).orElse("");
        String text = Amounts.count(row.count("waiting"), "piece") + " of work (most often " + row.text("waiting_what")
                + ") had not begun when the recording ended; nothing had begun or ended for the last "
                + Amounts.ofNs(row.number("stuck_ns")) + "."
                + (row.count("threads") == 0
                        ? ""
                        : " What runs has been running for up to " + Amounts.ofNs(row.number("longest_ns"))
                                + ", without the time in which it had no CPU.")
                + (requests.count("parents") == 0
                        ? ""
                        : " " + Amounts.count(requests.count("parents"), "request") + " waited for it, most often "
                                + requests.text("parent") + ".");
        return WeightedFinding.of(
                NAME,
                true,
                row.number("waiting") * row.number("stuck_ns") / 1e6,
                "The thread pool is stuck: " + busy + ", and " + row.count("waiting") + " pieces of work never began.",
                text,
                List.of(EvidenceLinks.POOL, EvidenceLinks.SLOW_REQUESTS));
    }
}
