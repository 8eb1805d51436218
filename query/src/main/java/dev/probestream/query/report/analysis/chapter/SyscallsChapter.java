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
        if (!database.has("spans WHERE category = 'syscalls'")) {
            return Optional.empty();
        }
        List<ResultRow> rows = database.rows("""
                SELECT s.probe, count(*) AS calls, sum(s.duration_ns) / 1e6 AS took,
                    coalesce(sum(s.duration_ns) FILTER (l.tid IS NOT NULL), 0) / 1e6 AS on_loop,
                    max(s.duration_ns) / 1e6 AS longest, count(*) FILTER (is_failure(s.return_value)) AS failed
                FROM spans s LEFT JOIN report_loop_thread l USING (capture_id, pid, tid)
                WHERE s.category = 'syscalls' GROUP BY s.probe ORDER BY calls DESC, s.probe LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Optional.of(new Section(
                ID,
                "System calls",
                "Their time includes waiting: epoll_wait and futex mostly wait for something to do.",
                List.of(Tables.of(
                        "System calls",
                        rows,
                        List.of(
                                From.text("probe", "call"),
                                From.count("calls", "calls"),
                                From.ms("took", "all together"),
                                From.ms("on_loop", "on threads with a loop"),
                                From.ms("longest", "longest"),
                                From.count("failed", "with an error"))))));
    }
}
