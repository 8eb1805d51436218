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

/** Processes that did not end in order, and the texts that Node printed at their end. */
public final class EndsChapter implements Chapter {
    static final String ID = "ends";

    private static final int MOST_TEXTS = 3;
    private static final int MOST_LINES = 30;

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT pid::VARCHAR AS process, name, exit_code, exit_signal, coalesce(cause, '') AS cause,
                    coalesce(app_place, '') AS place, coalesce(serving, '') AS serving,
                    len(open_requests) AS open_requests
                FROM report_end ORDER BY at_ns, pid LIMIT %d""".formatted(Tables.MOST_ROWS));
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        List<ReportPart> parts = new ArrayList<>();
        parts.add(Tables.of(
                "Processes that did not end in order",
                rows,
                List.of(
                        From.text("process", "process"),
                        From.text("name", "name"),
                        From.count("exit_code", "exit code"),
                        From.count("exit_signal", "signal"),
                        From.text("cause", "seen at the end"),
                        From.text("place", "in"),
                        From.text("serving", "serving"),
                        From.count("open_requests", "open requests"))));
        for (ResultRow text :
                database.rows("SELECT pid, text FROM report_end WHERE text IS NOT NULL ORDER BY at_ns, pid" + " LIMIT "
                        + MOST_TEXTS)) {
            parts.add(Tables.of(
                    "Printed by process " + text.count("pid"),
                    database.rows(
                            "SELECT line FROM (SELECT unnest(string_split(?, chr(10))) AS line) WHERE trim(line) <> '' LIMIT "
                                    + MOST_LINES,
                            text.text("text")),
                    List.of(From.text("line", "line"))));
        }
        return Optional.of(new Section(
                ID,
                "How processes ended",
                "Processes that ended by a signal or with an exit code other than 0. Of what Node prints of an error, its own"
                        + " properties and the line of source are not recorded.",
                parts));
    }
}
