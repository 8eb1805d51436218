package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/** Files by the time that calls took. */
public final class FilesChapter implements Chapter {
    static final String ID = "files";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_fs")) {
            return Optional.empty();
        }
        List<ResultRow> rows = database.rows("""
                SELECT coalesce(path, '(by descriptor)') AS path, count(*) AS calls,
                    count(*) FILTER (operation = 'open') AS opened,
                    count(*) FILTER (turn_id IS NOT NULL) AS synchronous, sum(took_ns) / 1e6 AS took, max(took_ns) / 1e6 AS longest,
                    coalesce(sum(result) FILTER (operation = 'read' AND result > 0), 0) AS read,
                    coalesce(sum(result) FILTER (operation = 'write' AND result > 0), 0) AS written,
                    count(*) FILTER (is_failure(result)) AS failed
                FROM report_fs GROUP BY path ORDER BY took DESC, path LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Optional.of(new Section(
                ID,
                "Files",
                "Calls of Node's fs by path; asynchronous calls last from the call to the end of the work. Synchronous calls are those"
                        + " inside the loop, which waits for them (files loaded before the loop starts are not counted).",
                List.of(Tables.of(
                        "Files by time",
                        rows,
                        List.of(
                                From.text("path", "path"),
                                From.count("calls", "calls"),
                                From.count("opened", "opened"),
                                From.count("synchronous", "synchronous"),
                                From.ms("took", "all together"),
                                From.ms("longest", "longest"),
                                From.bytes("read", "read"),
                                From.bytes("written", "written"),
                                From.count("failed", "failed"))))));
    }
}
