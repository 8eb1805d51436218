package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Stacked;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How long the turns of the event loops were busy, and what the longest did. */
public final class LoopChapter implements Chapter {
    public static final String ID = "loop";
    private static final int MOST_TURNS = 15;

    /** The time of a long turn by cause; each cause takes from what the previous ones left, so that they add up. */
    private static final String SPLIT = """
            starved AS could_not_run, gc, fs, waited,
            greatest(busy - starved - gc - fs - waited, 0) AS javascript
            FROM (
                SELECT *, least(starved_ns, busy_ns) / 1e6 AS starved,
                    least(gc_ns, busy_ns - least(starved_ns, busy_ns)) / 1e6 AS gc,
                    least(fs_ns, greatest(busy_ns - starved_ns - gc_ns, 0)) / 1e6 AS fs,
                    least(waited_ns, greatest(busy_ns - starved_ns - gc_ns - fs_ns, 0)) / 1e6 AS waited,
                    busy_ns / 1e6 AS busy
                FROM report_stall)""";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_turn")) {
            return Optional.empty();
        }
        List<ReportPart> parts = new ArrayList<>();
        parts.add(lag(database, axis));
        List<ResultRow> longest = longest(database, axis);
        if (longest.isEmpty()) {
            parts.add(new ReportPart.Words(
                    "No long turn", "No turn was busy for " + Amounts.ofNs(Thresholds.LONG_TURN_NS) + " or longer."));
        } else {
            parts.add(bars(longest));
            parts.add(table(longest));
        }
        return Optional.of(new Section(
                ID,
                "Event loop",
                "While a turn of the loop is busy, its thread can do nothing else: requests, timers and responses wait.",
                parts));
    }

    private static ReportPart lag(RecordingDatabase database, TimeAxis axis) throws QueryException {
        List<ResultRow> rows = database.rows("""
                SELECT %s AS step, max(t.busy_ns) / 1e6 AS longest, avg(t.busy_ns) / 1e6 AS mean
                FROM report_turn t JOIN report_capture c USING (capture_id) GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("t.start_ns + c.unix_minus_mono_ns")));
        return axis.series(
                "How long the loop was busy at a stretch",
                "ms",
                rows,
                List.of(LineOf.values("longest", "longest turn"), LineOf.values("mean", "mean")));
    }

    private static List<ResultRow> longest(RecordingDatabase database, TimeAxis axis) throws QueryException {
        return database.rows("""
                WITH longest AS (
                    SELECT turn_id, capture_id, pid, tid, start_ns, end_ns, busy, fs_calls, %s
                    ORDER BY busy DESC, turn_id LIMIT %d),
                request AS (
                    SELECT l.turn_id, arg_max(request_text(r.method, r.url, r.operation),
                            least(r.mono_ns + r.duration_ns, l.end_ns) - greatest(r.mono_ns, l.start_ns)) AS request
                    FROM longest l
                    JOIN requests r ON r.capture_id = l.capture_id AND r.tid = l.tid AND r.side = 'SERVER'
                        AND r.mono_ns < l.end_ns AND r.mono_ns >= l.start_ns
                    GROUP BY l.turn_id)
                SELECT (l.start_ns + c.unix_minus_mono_ns) / 1e6 - %d AS at_ms, l.* EXCLUDE (start_ns, end_ns),
                    r.request, s.place, s.samples
                FROM longest l
                JOIN report_capture c USING (capture_id)
                LEFT JOIN request r USING (turn_id)
                LEFT JOIN (
                    SELECT turn_id, sum(n) AS samples, arg_max(place, n) AS place FROM (
                        SELECT s.turn_id, coalesce(place(k.app), k.meaning, k.leaf) AS place, count(*) AS n
                        FROM report_sample s JOIN report_stack k USING (capture_id, stack_id)
                        WHERE s.turn_id IN (SELECT turn_id FROM longest) GROUP BY ALL)
                    GROUP BY turn_id) s USING (turn_id)
                ORDER BY busy DESC, l.turn_id""".formatted(SPLIT, MOST_TURNS, axis.startMs()));
    }

    private static ReportPart bars(List<ResultRow> longest) {
        List<String> labels = longest.stream()
                .map(row -> String.format(Locale.ROOT, "at %.2f s", row.number("at_ms") / 1000)
                        + (row.text("request").isEmpty() ? "" : " " + row.text("request")))
                .toList();
        List<Stacked> stacks = new ArrayList<>();
        stack(stacks, longest, "javascript", "JavaScript and native code");
        stack(stacks, longest, "gc", "garbage collector");
        stack(stacks, longest, "fs", "synchronous file system calls");
        stack(stacks, longest, "waited", "waiting in a synchronous call");
        stack(stacks, longest, "could_not_run", "ready, but no CPU was free");
        return new ReportPart.Bars("What the longest turns did", "ms", labels, stacks);
    }

    private static void stack(List<Stacked> stacks, List<ResultRow> rows, String column, String name) {
        List<Double> values =
                rows.stream().map(row -> Amounts.rounded(row.number(column))).toList();
        if (values.stream().anyMatch(value -> value > 0)) {
            stacks.add(new Stacked(name, values));
        }
    }

    private static ReportPart table(List<ResultRow> longest) {
        return Tables.of(
                "The longest turns",
                longest,
                List.of(
                        From.ms("at_ms", "began after"),
                        From.ms("busy", "busy"),
                        From.ms("javascript", "JavaScript and native code"),
                        From.ms("gc", "garbage collector"),
                        From.ms("fs", "synchronous fs"),
                        From.count("fs_calls", "fs calls"),
                        From.ms("waited", "waiting"),
                        From.ms("could_not_run", "no CPU"),
                        From.symbol("place", "most samples in"),
                        From.text("request", "request that began in it")));
    }
}
