package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Shape;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What was recorded, over time and by set, and what was lost. */
public final class LossesChapter implements Chapter {
    static final String ID = "recorded";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ReportPart> parts = new ArrayList<>();
        parts.add(axis.series(
                "Hits recorded",
                "hits/s",
                database.rows(
                        """
                        SELECT step, %s AS hits FROM (
                            SELECT %s AS step, count(*) AS hits
                            FROM (SELECT capture_id, mono_ns FROM events UNION ALL SELECT capture_id, mono_ns FROM spans) h
                            JOIN report_capture c USING (capture_id) GROUP BY 1)
                        ORDER BY step""".formatted(axis.perSecond("hits", "step"), axis.stepOf("h.mono_ns + c.unix_minus_mono_ns"))),
                List.of(LineOf.counts("hits", "recorded", Shape.AREA))));
        parts.add(Tables.of(
                "By set of probes",
                database.rows("""
                        SELECT h.category, count(*) AS hits, count(DISTINCT h.probe) AS probes
                        FROM (SELECT category, probe FROM events UNION ALL SELECT category, probe FROM spans) h
                        GROUP BY 1 ORDER BY hits DESC, 1 LIMIT %d""".formatted(Tables.MOST_ROWS)),
                List.of(
                        From.text("category", "set"),
                        From.count("probes", "probes that were hit"),
                        From.count("hits", "hits"))));
        List<ResultRow> losses = database.rows("""
                SELECT coalesce(probe, '(any)') AS probe, reason, sum(count) AS lost,
                    min(from_mono_ns + c.unix_minus_mono_ns) / 1e6 - %1$d AS from_ms,
                    max(to_mono_ns + c.unix_minus_mono_ns) / 1e6 - %1$d AS to_ms
                FROM losses l LEFT JOIN report_capture c USING (capture_id)
                GROUP BY 1, 2 ORDER BY lost DESC, 1 LIMIT %2$d""".formatted(axis.startMs(), Tables.MOST_ROWS));
        parts.add(
                losses.isEmpty()
                        ? new ReportPart.Words(
                                "Losses", "Nothing was lost: every hit of every probe is in the recording.")
                        : Tables.of(
                                "Losses",
                                losses,
                                List.of(
                                        From.text("probe", "probe"),
                                        From.text("reason", "reason"),
                                        From.count("lost", "lost"),
                                        From.ms("from_ms", "from"),
                                        From.ms("to_ms", "to"))));
        return Optional.of(new Section(
                ID,
                "What was recorded",
                "Hits that were recorded and hits that were lost; times count from the start.",
                parts));
    }
}
