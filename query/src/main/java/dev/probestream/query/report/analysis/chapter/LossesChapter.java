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
                        WITH hit AS (
                            SELECT category, count(*) AS events
                            FROM (SELECT category FROM events UNION ALL SELECT category FROM spans) GROUP BY 1)
                        SELECT t.category, coalesce(any_value(h.events), 0) AS events, sum(t.hits) AS hits,
                            sum(t.about_hits) AS about_hits, count(DISTINCT t.probe) AS probes
                        FROM hit_totals t LEFT JOIN hit h ON h.category = t.category
                        GROUP BY 1 ORDER BY hits DESC, 1 LIMIT %d""".formatted(Tables.MOST_ROWS)),
                List.of(
                        From.text("category", "set"),
                        From.count("probes", "probes that were hit"),
                        From.count("events", "recorded hits"),
                        From.scaled("hits", "about_hits", "all hits"))));
        parts.add(unwatched(database));
        cost(database).ifPresent(parts::add);
        List<ResultRow> losses = database.rows("""
                SELECT coalesce(probe, '(any)') AS probe, reason, sum(count) AS lost,
                    min(from_mono_ns + c.unix_minus_mono_ns) / 1e6 - %1$d AS from_ms,
                    max(to_mono_ns + c.unix_minus_mono_ns) / 1e6 - %1$d AS to_ms
                FROM losses l LEFT JOIN report_capture c USING (capture_id)
                GROUP BY 1, 2 ORDER BY lost DESC, 1 LIMIT %2$d""".formatted(axis.startMs(), Tables.MOST_ROWS));
        parts.add(
                losses.isEmpty()
                        ? new ReportPart.Words(
                                "Losses",
                                "Nothing was lost: every hit of a probe that was watched is in the recording, as an event or"
                                        + " in a sum.")
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
                "Hits that were recorded, hits that were only counted, hits that were lost, and times in which probes were not"
                        + " watched; times count from the start. A number with \"about\" is an estimate: with the hits that gaps hid.",
                parts));
    }

    private static ReportPart unwatched(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT what, reason, sum(gaps) AS gaps, sum(gap_ns) / 1e6 AS gap, 100.0 * sum(gap_ns) / sum(took_ns) AS share,
                    max(longest_ns) / 1e6 AS longest
                FROM report_gap GROUP BY 1, 2 ORDER BY gap DESC, 1 LIMIT %d""".formatted(Tables.MOST_ROWS));
        return rows.isEmpty()
                ? new ReportPart.Words("What was not watched", "All probes were watched from the beginning to the end.")
                : Tables.of(
                        "What was not watched",
                        rows,
                        List.of(
                                From.text("what", "set or probe"),
                                From.text("reason", "reason"),
                                From.count("gaps", "gaps"),
                                From.ms("gap", "all together"),
                                From.percent("share", "of the time"),
                                From.ms("longest", "longest")));
    }

    private static Optional<ReportPart> cost(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT category, sum(hits) AS hits, sum(cost_ns) / 1e6 AS cost, 100.0 * sum(cost_ns) / sum(took_ns) AS cpu,
                    100.0 * sum(cost_ns) / nullif(sum(target_cpu_ns), 0) AS share
                FROM report_cost GROUP BY 1 ORDER BY cost DESC, 1 LIMIT %d""".formatted(Tables.MOST_ROWS));
        return rows.isEmpty()
                ? Optional.empty()
                : Optional.of(Tables.of(
                        "What the probes cost",
                        rows,
                        List.of(
                                From.text("category", "set"),
                                From.count("hits", "hits"),
                                From.ms("cost", "all together"),
                                From.percent("cpu", "of a CPU"),
                                From.percent("share", "of the processes' CPU time"))));
    }
}
