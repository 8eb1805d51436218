package dev.probestream.query.report.analysis.fact;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportContents.CaptureSummary;
import dev.probestream.query.report.ReportContents.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Summaries of captures: host, start, duration, number of hits, losses, what was not watched, and the cost. */
public final class CaptureSummaries {
    private static final int MOST_PROCESSES = 3;
    private static final int MOST_GAPS = 6;

    private CaptureSummaries() {}

    public static List<CaptureSummary> of(RecordingDatabase database) throws QueryException {
        List<CaptureSummary> summaries = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH hit AS (
                    SELECT capture_id, count(*) AS hits FROM (
                        SELECT capture_id FROM events UNION ALL SELECT capture_id FROM spans) GROUP BY 1),
                loss AS (SELECT capture_id, sum(count) AS lost FROM losses GROUP BY 1),
                input AS (SELECT capture_id, string_agg(DISTINCT path, ', ' ORDER BY path) AS path FROM inputs GROUP BY 1)
                SELECT c.capture_id, c.host, c.kernel_release, c.machine, c.cpu_count, c.tool_version,
                    array_to_string(c.command, ' ') AS command,
                    strftime(timezone('UTC', c.ts), '%Y-%m-%d %H:%M:%S UTC') AS began,
                    b.last_ns - b.first_ns AS took_ns, c.end_reason, coalesce(h.hits, 0) AS hits, coalesce(l.lost, 0) AS lost,
                    coalesce(c.is_complete, false) AS is_complete, i.path
                FROM captures c
                LEFT JOIN report_capture b USING (capture_id)
                LEFT JOIN hit h USING (capture_id)
                LEFT JOIN loss l USING (capture_id)
                LEFT JOIN input i USING (capture_id)
                ORDER BY c.ts, c.capture_id""")) {
            summaries.add(summary(database, row));
        }
        return summaries;
    }

    private static CaptureSummary summary(RecordingDatabase database, ResultRow row) throws QueryException {
        List<Fact> facts = new ArrayList<>();
        add(facts, "recording", row.text("path"));
        add(facts, "host", row.text("host"));
        add(facts, "kernel", (row.text("kernel_release") + " " + row.text("machine")).strip());
        add(facts, "CPUs", row.text("cpu_count"));
        add(facts, "began", row.text("began"));
        add(facts, "hits from first to last", Amounts.ofNs(row.number("took_ns")));
        for (ResultRow process : database.rows(
                "SELECT pid, name, array_to_string(command_line, ' ') AS command FROM processes"
                        + " WHERE capture_id = ? ORDER BY start_mono_ns NULLS FIRST, pid LIMIT "
                        + MOST_PROCESSES,
                row.count("capture_id"))) {
            add(
                    facts,
                    "process " + process.text("pid"),
                    process.text("command").isEmpty() ? process.text("name") : process.text("command"));
        }
        add(facts, "recorded by", row.text("command"));
        add(facts, "hits", Amounts.count(row.count("hits")));
        add(facts, "lost", row.count("lost") == 0 ? "none" : Amounts.count(row.count("lost")));
        String unwatched = unwatched(database, row.count("capture_id"));
        add(facts, "not watched", unwatched);
        add(facts, "cost", cost(database, row.count("capture_id")));
        // The first line is why it ended, each further line a warning of the collector.
        String[] end = row.text("end_reason").split("\n", 2);
        add(facts, "ended", row.bool("is_complete") ? end[0] : "cut off: it did not end regularly");
        add(facts, "warnings", end.length < 2 ? "" : end[1].strip());
        boolean isWhole = row.bool("is_complete") && row.count("lost") == 0 && unwatched.isEmpty();
        String name = row.text("host").isEmpty()
                ? "capture " + row.text("capture_id")
                : row.text("host") + ", " + row.text("began");
        return new CaptureSummary(name, facts, isWhole);
    }

    /** For example "node-fs 40 % of the time, malloc 12 %"; "" = everything was watched. */
    private static String unwatched(RecordingDatabase database, long captureId) throws QueryException {
        List<String> parts = new ArrayList<>();
        for (ResultRow gap : database.rows(
                "SELECT what, sum(gap_ns) AS gap_ns, any_value(took_ns) AS took_ns FROM report_gap WHERE capture_id = ?"
                        + " GROUP BY 1 ORDER BY gap_ns DESC, 1 LIMIT " + MOST_GAPS,
                captureId)) {
            parts.add(gap.text("what") + " " + Amounts.share(gap.number("gap_ns"), gap.number("took_ns"))
                    + (parts.isEmpty() ? " of the time" : ""));
        }
        return String.join(", ", parts);
    }

    /** For example "1.8 % of a CPU, 3.0 % of the processes' CPU time: node-http 0.9, node-loop 0.6"; "" = it was not measured. */
    private static String cost(RecordingDatabase database, long captureId) throws QueryException {
        List<ResultRow> sets = database.rows(
                "SELECT category, cost_ns, sum(cost_ns) OVER () AS all_ns, took_ns, target_cpu_ns FROM report_cost"
                        + " WHERE capture_id = ? ORDER BY cost_ns DESC, category",
                captureId);
        if (sets.isEmpty()) {
            return "";
        }
        ResultRow first = sets.get(0);
        double tookNs = first.number("took_ns");
        String ofTarget = first.number("target_cpu_ns") <= 0
                ? ""
                : ", " + Amounts.percent(first.number("all_ns"), first.number("target_cpu_ns"))
                        + " % of the processes' CPU time";
        return Amounts.percent(first.number("all_ns"), tookNs) + " % of a CPU" + ofTarget + ": "
                + sets.stream()
                        .map(set -> set.text("category") + " " + Amounts.percent(set.number("cost_ns"), tookNs))
                        .collect(Collectors.joining(", "));
    }

    private static void add(List<Fact> facts, String label, String value) {
        if (!value.isBlank()) {
            facts.add(new Fact(label, value));
        }
    }
}
