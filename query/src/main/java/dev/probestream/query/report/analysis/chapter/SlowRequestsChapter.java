package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Stacked;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The slowest requests, and where their time went. */
public final class SlowRequestsChapter implements Chapter {
    static final String ID = "slow-requests";
    private static final int MOST_BARS = 15;

    private static final List<String> SPLIT =
            List.of("javascript", "gc", "off_cpu", "pool_run", "pool_queue", "loop_wait", "network", "unattributed");

    private static final List<String> NAMES = List.of(
            "JavaScript",
            "garbage collector",
            "off the CPU",
            "work on the pool",
            "waiting for the pool (busy, or without a CPU)",
            "waiting for the loop",
            "network",
            "something else (timers, databases, slow readers)");

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        Optional<String> side = RequestsChapter.side(database);
        if (side.isEmpty()) {
            return Optional.empty();
        }
        List<ResultRow> slowest = slowest(database, side.get(), axis);
        if (slowest.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Section(
                ID,
                "Slowest requests",
                "The parts of a bar add up to the request's duration; at each moment the first matching part counts."
                        + " A part whose probes were not recorded is missing, not zero.",
                List.of(bars(slowest), table(slowest))));
    }

    private static List<ResultRow> slowest(RecordingDatabase database, String side, TimeAxis axis)
            throws QueryException {
        StringBuilder split = new StringBuilder();
        for (String part : SPLIT) {
            split.append(", ").append(part).append("_ns / 1e6 AS ").append(part);
        }
        return database.rows("""
                SELECT request_text(method, url, operation) AS request, duration_ns / 1e6 AS duration,
                    (r.mono_ns + c.unix_minus_mono_ns) / 1e6 - %d AS at_ms, status, outcome, pid %s
                FROM requests r JOIN report_capture c USING (capture_id)
                WHERE side = '%s' AND duration_ns IS NOT NULL
                ORDER BY duration_ns DESC, r.capture_id, request_id LIMIT %d""".formatted(axis.startMs(), split, side, MOST_BARS));
    }

    private static ReportPart bars(List<ResultRow> slowest) {
        List<String> labels = new ArrayList<>();
        for (ResultRow row : slowest) {
            labels.add(row.text("request") + String.format(Locale.ROOT, " at %.2f s", row.number("at_ms") / 1000));
        }
        List<Stacked> stacks = new ArrayList<>();
        for (int i = 0; i < SPLIT.size(); i++) {
            String column = SPLIT.get(i);
            List<Double> values = slowest.stream()
                    .map(row -> Amounts.rounded(row.number(column)))
                    .toList();
            if (values.stream().anyMatch(value -> value > 0)) {
                stacks.add(new Stacked(NAMES.get(i), values));
            }
        }
        return new ReportPart.Bars("Where the time of the slowest went", "ms", labels, stacks);
    }

    private static ReportPart table(List<ResultRow> slowest) {
        List<From> columns = new ArrayList<>(List.of(
                From.text("request", "request"),
                From.count("status", "status"),
                From.text("outcome", "outcome"),
                From.ms("at_ms", "began after"),
                From.ms("duration", "took")));
        for (int i = 0; i < SPLIT.size(); i++) {
            columns.add(From.ms(SPLIT.get(i), NAMES.get(i)));
        }
        return Tables.of("The same as numbers", slowest, columns);
    }
}
