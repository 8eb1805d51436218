package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/** System calls by number and time. */
public final class SyscallsChapter implements Chapter {
    static final String ID = "syscalls";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("hit_totals WHERE category = 'syscalls'")) {
            return Optional.empty();
        }
        List<ResultRow> rows = database.rows("""
                SELECT t.probe, sum(t.hits) AS calls, sum(t.about_hits) AS about_calls, sum(t.total_ns) / 1e6 AS took,
                    coalesce(sum(t.total_ns) FILTER (l.tid IS NOT NULL), 0) / 1e6 AS on_loop,
                    max(t.max_ns) / 1e6 AS longest, sum(t.failed) AS failed
                FROM hit_totals t LEFT JOIN report_loop_thread l USING (capture_id, pid, tid)
                WHERE t.category = 'syscalls' GROUP BY t.probe ORDER BY calls DESC, t.probe LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Optional.of(new Section(
                ID,
                "System calls",
                "Their time includes waiting: epoll_wait and futex mostly wait for something to do.",
                List.of(Tables.of(
                        "System calls",
                        rows,
                        List.of(
                                From.text("probe", "call"),
                                From.scaled("calls", "about_calls", "calls"),
                                From.ms("took", "all together"),
                                From.ms("on_loop", "on threads with a loop"),
                                From.ms("longest", "longest"),
                                From.count("failed", "with an error"))))));
    }
}
