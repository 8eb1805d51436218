package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/** Calls that failed. */
public final class ErrorsChapter implements Chapter {
    static final String ID = "errors";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT probe, any_value(category) AS category, errno, what, count(*) AS failures, any_value(is_usual) AS usual
                FROM report_failure GROUP BY probe, errno, what
                ORDER BY usual, failures DESC, probe, what LIMIT %d""".formatted(Tables.MOST_ROWS));
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Section(
                ID,
                "Errors",
                "Calls that returned an error. Errors of normal operation (a file that does not exist) come last; EAGAIN, EALREADY, EEXIST,"
                        + " EINPROGRESS, EINTR and ENOTTY are no failures.",
                List.of(Tables.of(
                        "Calls that failed",
                        rows,
                        List.of(
                                From.text("probe", "call"),
                                From.text("what", "on"),
                                From.text("errno", "error"),
                                From.count("failures", "times"),
                                From.text("category", "seen by"))))));
    }
}
