package dev.probestream.query.report.analysis.fact;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportContents.CaptureSummary;
import dev.probestream.query.report.ReportContents.Fact;
import java.util.ArrayList;
import java.util.List;

/** Summaries of captures: host, start, duration, number of hits, losses. */
public final class CaptureSummaries {
    private static final int MOST_PROCESSES = 3;

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
        add(facts, "ended", row.bool("is_complete") ? row.text("end_reason") : "cut off: it did not end regularly");
        boolean isWhole = row.bool("is_complete") && row.count("lost") == 0;
        String name = row.text("host").isEmpty()
                ? "capture " + row.text("capture_id")
                : row.text("host") + ", " + row.text("began");
        return new CaptureSummary(name, facts, isWhole);
    }

    private static void add(List<Fact> facts, String label, String value) {
        if (!value.isBlank()) {
            facts.add(new Fact(label, value));
        }
    }
}
