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

/** What the processes used, from the readings of the set process: plots of the one that used most CPU time, a table of all. */
public final class ProcessChapter implements Chapter {
    static final String ID = "process";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_counter")) {
            return Optional.empty();
        }
        ResultRow busiest = database.row("""
                SELECT arg_max({'capture_id': capture_id, 'pid': pid}, used).capture_id AS capture_id,
                    arg_max({'capture_id': capture_id, 'pid': pid}, used).pid AS pid, count(*) AS processes
                FROM (
                    SELECT capture_id, pid, sum(last) - sum(first) AS used
                    FROM (
                        SELECT capture_id, pid, name, min(value) AS first, max(value) AS last FROM report_counter
                        WHERE counter IN ('cpu', 'memory') AND name IN ('user_ns', 'system_ns', 'rss') GROUP BY ALL)
                    GROUP BY ALL)""");
        Plots plots = new Plots(database, axis, busiest.count("capture_id"), busiest.count("pid"));
        List<ReportPart> parts = new ArrayList<>();
        parts.add(plots.of(
                "CPU time",
                "% of a CPU",
                "cpu load",
                List.of(
                        LineOf.counts("user", "in the program", Shape.AREA),
                        LineOf.counts("system", "in the kernel", Shape.AREA),
                        LineOf.values("run_delay", "ready without a CPU"))));
        parts.add(plots.of("Memory", "bytes", "memory", List.of(LineOf.values("rss", "in memory"))));
        parts.add(plots.of(
                "Descriptors",
                "descriptors",
                "descriptors",
                List.of(
                        LineOf.values("sockets", "sockets"),
                        LineOf.values("files", "files"),
                        LineOf.values("pipes", "pipes"),
                        LineOf.values("anonymous", "others"))));
        parts.add(plots.of(
                "TCP connections",
                "connections",
                "connections",
                List.of(
                        LineOf.values("established", "established"),
                        LineOf.values("connecting", "connecting"),
                        LineOf.values("close_wait", "closed by the other end only"))));
        if (database.has("report_counter WHERE counter = 'listen queue' AND " + plots.process())) {
            parts.add(plots.of(
                    "Listen queue",
                    "connections",
                    "listen queue",
                    List.of(LineOf.values("queued", "waiting to be accepted"), LineOf.values("limit", "limit"))));
        }
        parts.add(table(database));
        String which = busiest.count("processes") > 1 ? " The plots are of process " + busiest.count("pid") + "." : "";
        return Optional.of(new Section(
                ID, "Process", "What the processes used, read once a second from the kernel." + which, parts));
    }

    /** Plots of one process. */
    private record Plots(RecordingDatabase database, TimeAxis axis, long captureId, long pid) {
        String process() {
            return "capture_id = %d AND pid = %d".formatted(captureId, pid);
        }

        /** A column for each argument of the counter; an area between readings has the value of the one before. */
        ReportPart of(String title, String unit, String counter, List<LineOf> lines) throws QueryException {
            StringBuilder columns = new StringBuilder();
            for (LineOf line : lines) {
                columns.append(", max(value) FILTER (name = '%1$s') AS \"%1$s\"".formatted(line.column()));
            }
            List<ResultRow> rows = database.rows(
                    """
                    SELECT %s AS step %s FROM report_counter r JOIN report_capture c USING (capture_id)
                    WHERE counter = '%s' AND %s GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("r.mono_ns + c.unix_minus_mono_ns"), columns, counter, process()));
            return axis.series(title, unit, rows, lines);
        }
    }

    private static ReportPart table(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                WITH used AS (
                    SELECT capture_id, pid,
                        (max(mono_ns) FILTER (counter = 'cpu') - min(mono_ns) FILTER (counter = 'cpu')) / 1e9 AS seconds,
                        max(value) FILTER (name = 'user_ns') - min(value) FILTER (name = 'user_ns')
                            + max(value) FILTER (name = 'system_ns') - min(value) FILTER (name = 'system_ns') AS cpu_ns,
                        max(value) FILTER (name = 'run_delay_ns') - min(value) FILTER (name = 'run_delay_ns') AS delay_ns,
                        arg_min(value, mono_ns) FILTER (name = 'rss') AS rss_first, max(value) FILTER (name = 'rss') AS rss_max,
                        arg_max(value, mono_ns) FILTER (name = 'rss') AS rss_last, max(value) FILTER (name = 'threads') AS threads,
                        arg_min(value, mono_ns) FILTER (name = 'open') AS open_first,
                        arg_max(value, mono_ns) FILTER (name = 'open') AS open_last,
                        max(value) FILTER (name = 'established') AS connections
                    FROM report_counter GROUP BY ALL)
                SELECT u.pid || coalesce(' (' || n.name || ')', '') AS process, cpu_ns / 1e7 / nullif(seconds, 0) AS cpu,
                    delay_ns / 1e7 / nullif(seconds, 0) AS delay, rss_first, rss_max, rss_last, threads, open_first, open_last, connections
                FROM used u LEFT JOIN (SELECT capture_id, pid, any_value(name) AS name FROM processes GROUP BY ALL) n
                    USING (capture_id, pid)
                ORDER BY cpu DESC NULLS LAST, u.pid LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Tables.of(
                "Processes",
                rows,
                List.of(
                        From.text("process", "process"),
                        From.percent("cpu", "CPU"),
                        From.percent("delay", "ready without a CPU"),
                        From.bytes("rss_first", "memory at first"),
                        From.bytes("rss_max", "most"),
                        From.bytes("rss_last", "at last"),
                        From.count("threads", "threads"),
                        From.count("open_first", "descriptors at first"),
                        From.count("open_last", "at last"),
                        From.count("connections", "connections (most)")));
    }
}
