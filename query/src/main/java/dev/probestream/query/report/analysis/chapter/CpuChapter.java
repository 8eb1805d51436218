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

/** What ran on the CPUs, by samples. */
public final class CpuChapter implements Chapter {
    static final String ID = "cpu";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ReportPart> parts = new ArrayList<>();
        FlameGraph.of(database, "Functions on the CPU", "samples", """
                        SELECT coalesce(t.name, 'thread') AS lane, s.capture_id, s.stack_id, 1 AS weight
                        FROM report_sample s
                        LEFT JOIN report_thread_name t USING (capture_id, pid, tid)""").ifPresent(parts::add);
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        parts.add(functions(database));
        return Optional.of(new Section(
                ID,
                "On the CPU",
                "Samples of running threads, callers above what they call; the width is the number of samples.",
                parts));
    }

    private static ReportPart functions(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                WITH weighed AS (
                    SELECT capture_id, stack_id, count(*) AS n FROM report_sample WHERE stack_id IS NOT NULL GROUP BY ALL),
                frame AS (
                    SELECT w.capture_id, w.stack_id, w.n, function_name(s.symbol, s.is_async) AS symbol, s.file, s.line,
                        s.col, any_value(s.source_file) AS source_file, any_value(s.kind) AS kind,
                        bool_or(s.depth = 0) AS is_leaf
                    FROM weighed w JOIN stacks s USING (capture_id, stack_id)
                    WHERE s.symbol IS NOT NULL GROUP BY ALL)
                SELECT symbol, lower(any_value(kind)) AS kind,
                    CASE WHEN file IS NULL THEN NULL ELSE short_file(file) || ':' || coalesce(line, 0)
                        || coalesce(', source ' || short_file(any_value(source_file)), '') END AS source,
                    coalesce(sum(n) FILTER (is_leaf), 0) AS self, sum(n) AS total,
                    100 * sum(n) / (SELECT sum(n) FROM weighed) AS share
                FROM frame GROUP BY symbol, file, line, col
                ORDER BY self DESC, total DESC, symbol LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Tables.of(
                "Functions",
                rows,
                List.of(
                        From.symbol("symbol", "function"),
                        From.text("kind", "kind"),
                        From.text("source", "source"),
                        From.count("self", "samples at the leaf"),
                        From.count("total", "samples with it"),
                        From.percent("share", "of all")));
    }
}
