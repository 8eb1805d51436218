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

/** Work waited for the thread pool because all its threads were busy: with what, and which code queued it. */
public final class PoolStarvedRule implements Rule {
    public static final String NAME = "pool-starved";

    /** How much longer a wait is than the part in which threads were busy, for both to be stated. */
    private static final double NOTABLY_LONGER = 1.25;

    @Override
    public String remedy() {
        return "Do less of the named work at once, or raise UV_THREADPOOL_SIZE to the number of CPUs or above.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, count(*) AS works, count(*) FILTER (blocked_ns >= %1$d * margin) AS waited,
                    sum(blocked_ns) AS blocked_ns, max(blocked_ns) AS longest_ns, margin,
                    avg(blocked_ns) FILTER (blocked_ns >= %1$d * margin) AS mean_ns,
                    avg(wait_ns) FILTER (blocked_ns >= %1$d * margin) AS mean_wait_ns, any_value(threads) AS threads, sum(run_ns) AS run_ns
                FROM report_work JOIN (
                    SELECT capture_id, CASE WHEN is_measured THEN 1 ELSE %2$d END AS margin FROM report_measured) USING (capture_id)
                GROUP BY capture_id, pid, margin ORDER BY blocked_ns DESC""".formatted(Thresholds.POOL_WAIT_NS, Thresholds.UNMEASURED_MARGIN))) {
            if (row.count("waited") >= Thresholds.POOL_WAITED
                    && row.count("waited") >= Thresholds.POOL_WAITED_SHARE * row.count("works")) {
                found.add(finding(database, row).ofProcess(row));
            }
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String process = " " + row.sameProcess();
        ResultRow holder = database.row(
                "SELECT what, any_value(detail) AS detail, count(*) AS works, sum(run_ns) AS run_ns,"
                        + " max(run_ns) AS longest_ns FROM report_work WHERE" + process
                        + " GROUP BY what, CASE WHEN what = 'DNS lookup' THEN detail END ORDER BY run_ns DESC, what LIMIT 1");
        Optional<HotSpot> running = running(database, process, holder);
        Optional<HotSpot> caller = queuedBy(database, process, holder);
        String work =
                running.map(HotSpot::action).filter(action -> !action.isEmpty()).orElse(name(holder));
        String title = "The thread pool was starved: " + Amounts.count(row.count("threads"), "thread") + " busy with "
                + work + caller.map(HotSpot::fromClause).orElse("");
        StringBuilder text = new StringBuilder();
        text.append(requests(database, process));
        text.append(Amounts.share(row.number("waited"), row.number("works")))
                .append(" of ")
                .append(Amounts.count(row.count("works"), "piece"))
                .append(" of work for the pool waited longer than ")
                .append(Amounts.ofNs(Thresholds.POOL_WAIT_NS * row.number("margin")))
                .append(" for a thread that was busy with other work, ")
                .append(Amounts.ofNs(row.number("mean_ns")))
                .append(" on average, at most ")
                .append(Amounts.ofNs(row.number("longest_ns")))
                .append(". ");
        if (row.number("mean_wait_ns") >= NOTABLY_LONGER * row.number("mean_ns")) {
            text.append("In all it waited ")
                    .append(Amounts.ofNs(row.number("mean_wait_ns")))
                    .append(" on average, as the chapter of the slowest requests shows: for the rest of that time the"
                            + " pool's threads were idle or had no CPU. ");
        }
        text.append(Amounts.share(holder.number("run_ns"), row.number("run_ns")))
                .append(" of the time of these threads was ")
                .append(name(holder))
                .append(" (")
                .append(Amounts.count(holder.count("works"), "time"))
                .append(", up to ")
                .append(Amounts.ofNs(holder.number("longest_ns")))
                .append(").");
        running.filter(known -> !known.nativeFunction().isEmpty())
                .ifPresent(known -> text.append(" CPU samples of these threads lie most often in ")
                        .append(known.nativeFunction())
                        .append('.'));
        queuingRequests(database, process, holder, text);
        if (row.count("margin") > 1) {
            text.append(MissingSetAdvice.BUSY_MACHINE);
        }
        boolean isHigh = row.number("mean_ns") >= Thresholds.POOL_WAIT_HIGH_NS * row.number("margin");
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("blocked_ns") / 1e6,
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.POOL, EvidenceLinks.SLOW_REQUESTS));
    }

    private static String name(ResultRow holder) {
        return holder.text("what")
                + (holder.text("what").equals("DNS lookup")
                                && !holder.text("detail").isEmpty()
                        ? "s of " + holder.text("detail")
                        : "");
    }

    /** What the threads of the pool executed during that work. */
    private static Optional<HotSpot> running(RecordingDatabase database, String process, ResultRow holder)
            throws QueryException {
        return HotSpot.of(database, """
                SELECT s.capture_id, s.stack_id, 1 AS weight
                FROM (FROM report_sample WHERE %1$s) s
                ASOF JOIN (FROM report_work WHERE %1$s AND what = ?) w
                    ON s.capture_id = w.capture_id AND s.pid = w.pid AND s.tid = w.worker_tid AND s.at_ns >= w.start_ns
                WHERE s.at_ns < w.end_ns""".formatted(process), holder.text("what"));
    }

    private static Optional<HotSpot> queuedBy(RecordingDatabase database, String process, ResultRow holder)
            throws QueryException {
        return HotSpot.of(database, """
                SELECT c.capture_id, c.stack_id, w.run_ns AS weight
                FROM (FROM report_work WHERE %s AND what = ?) w
                JOIN report_work_caller c USING (capture_id, pid, worker_tid, start_ns)""".formatted(process), holder.text("what"));
    }

    /** How many of the slow requests waited for the pool. */
    private static String requests(RecordingDatabase database, String process) throws QueryException {
        ResultRow row = database.row("""
                WITH served AS (FROM requests WHERE %s AND side = 'SERVER' AND duration_ns IS NOT NULL),
                slow AS (
                    FROM served WHERE duration_ns >= greatest(%d, (SELECT quantile_cont(duration_ns, %s) FROM served)))
                SELECT count(*) AS slow, count(*) FILTER (pool_queue_ns >= duration_ns * 0.1) AS waited FROM slow""".formatted(process, Thresholds.SLOW_REQUEST_NS, Thresholds.SLOW_QUANTILE));
        return row.count("waited") == 0
                ? ""
                : Amounts.share(row.number("waited"), row.number("slow")) + " of the slowest requests ("
                        + row.count("waited") + " of " + row.count("slow") + ") waited for the pool. ";
    }

    /** The requests in whose context the work was queued. */
    private static void queuingRequests(
            RecordingDatabase database, String process, ResultRow holder, StringBuilder text) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT coalesce(r.operation, '?') AS request, count(*) AS works
                FROM (FROM report_work WHERE %s AND what = ?) w
                JOIN request_events e ON e.capture_id = w.capture_id AND e.sequence = w.queued_sequence
                JOIN requests r ON r.capture_id = e.capture_id AND r.request_id = e.request_id
                GROUP BY 1 ORDER BY works DESC, 1 LIMIT 1""".formatted(process), holder.text("what"));
        if (!rows.isEmpty()) {
            text.append(" Most of it was queued by ")
                    .append(rows.get(0).text("request").strip())
                    .append(" (")
                    .append(Amounts.count(rows.get(0).count("works"), "time"))
                    .append(").");
        }
    }
}
