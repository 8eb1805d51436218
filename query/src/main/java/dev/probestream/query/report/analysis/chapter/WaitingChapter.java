package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What threads waited for when they were off the CPU, and how long they waited for a CPU. */
public final class WaitingChapter implements Chapter {
    static final String ID = "waiting";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_off_cpu")) {
            return Optional.empty();
        }
        List<ReportPart> parts = new ArrayList<>();
        FlameGraph.of(database, "Where threads waited", "ms", """
                        SELECT coalesce(t.name, 'thread') AS lane, o.capture_id, o.stack_id, o.off_ns / 1e6 AS weight
                        FROM report_off_cpu o
                        JOIN report_stack k USING (capture_id, stack_id)
                        LEFT JOIN report_thread_name t USING (capture_id, pid, tid)
                        WHERE NOT o.was_preempted AND NOT k.is_idle""").ifPresent(parts::add);
        parts.add(threads(database));
        return Optional.of(new Section(
                ID,
                "Waiting",
                "Threads that left the CPU because they had to wait, by the function in which they waited; idle waiting"
                        + " (the loop's poll, idle workers of the pool and of V8) is left out.",
                parts));
    }

    private static ReportPart threads(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT coalesce(any_value(t.name), '') || ' ' || o.tid AS thread,
                    (max(o.in_ns) - min(o.out_ns)) / 1e6 AS seen, (max(o.in_ns) - min(o.out_ns) - sum(o.off_ns)) / 1e6 AS ran,
                    sum(o.off_ns - o.runnable_ns) / 1e6 AS waited, sum(o.runnable_ns) / 1e6 AS runnable,
                    count(*) FILTER (o.was_preempted) AS preempted
                FROM report_off_cpu o
                LEFT JOIN report_thread_name t USING (capture_id, pid, tid)
                GROUP BY o.capture_id, o.pid, o.tid
                -- a thread that did nothing is idle: it waits for work
                HAVING ran >= 0.001 * seen OR sum(o.runnable_ns) >= 1000000
                ORDER BY ran DESC, o.tid LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Tables.of(
                "Threads",
                rows,
                List.of(
                        From.text("thread", "thread"),
                        From.ms("seen", "seen for"),
                        From.ms("ran", "ran"),
                        From.ms("waited", "waited"),
                        From.ms("runnable", "ready, no CPU"),
                        From.count("preempted", "times preempted")));
    }
}
