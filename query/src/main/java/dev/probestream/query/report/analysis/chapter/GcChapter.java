package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Shape;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Pauses of the garbage collector and the heap. */
public final class GcChapter implements Chapter {
    static final String ID = "gc";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_gc")) {
            return Optional.empty();
        }
        List<ReportPart> parts = new ArrayList<>();
        parts.add(axis.series(
                "Paused",
                "ms per " + Amounts.ofMs((double) axis.stepMs()),
                database.rows("""
                        SELECT %s AS step, sum(pause_ns) / 1e6 AS paused
                        FROM report_gc g JOIN report_capture c USING (capture_id) GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("g.start_ns + c.unix_minus_mono_ns"))),
                List.of(LineOf.counts("paused", "paused", Shape.AREA))));
        if (database.has("events WHERE probe = 'V8 heap' AND category = 'node-gc'")) {
            parts.add(axis.series(
                    "Heap in use",
                    "bytes",
                    database.rows("""
                            SELECT %s AS step, max(e.a0) AS used
                            FROM events e JOIN report_capture c USING (capture_id)
                            WHERE e.probe = 'V8 heap' AND e.category = 'node-gc' GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("e.mono_ns + c.unix_minus_mono_ns"))),
                    List.of(LineOf.values("used", "heap in use (most)"))));
        }
        parts.add(kinds(database));
        return Optional.of(new Section(
                ID, "Garbage collector", "Pauses of V8's garbage collector, in which no JavaScript runs.", parts));
    }

    private static ReportPart kinds(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT collector, reason, count(*) AS pauses, sum(pause_ns) / 1e6 AS paused, max(pause_ns) / 1e6 AS longest
                FROM report_gc GROUP BY ALL ORDER BY paused DESC, collector, reason LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Tables.of(
                "Collectors and reasons",
                rows,
                List.of(
                        From.text("collector", "collector"),
                        From.text("reason", "why"),
                        From.count("pauses", "pauses"),
                        From.ms("paused", "paused"),
                        From.ms("longest", "longest")));
    }
}
