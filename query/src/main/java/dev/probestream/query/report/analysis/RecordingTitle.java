package dev.probestream.query.report.analysis;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;

/**
 * What was recorded, in one line: application, script, runtime, pid, host, time: "shop 1.2.0 (server.js, Node.js 20.20.2, pid 4711) on web-3,
 * 2026-01-01 00:00 UTC, 20 s"; where the application and the runtime are not known "shop/server.js (node, pid 4711) on ...".
 */
final class RecordingTitle {
    private static final int MOST_APPLICATIONS = 3;
    private static final int MOST_PIDS = 4;

    private RecordingTitle() {}

    static String of(RecordingDatabase database) throws QueryException {
        ResultRow row = database.row("""
                SELECT (SELECT string_agg(DISTINCT host, ', ' ORDER BY host) FROM captures) AS host,
                    (SELECT strftime(timezone('UTC', min(ts)), '%Y-%m-%d %H:%M UTC') FROM captures) AS began,
                    (SELECT max(last_ns - first_ns) FROM report_capture) AS took_ns""");
        String applications = applications(database);
        return (applications.isEmpty() ? "Recording" : applications)
                + (row.text("host").isEmpty() ? "" : " on " + row.text("host"))
                + (row.text("began").isEmpty() ? "" : ", " + row.text("began"))
                + ", " + Amounts.ofNs(row.number("took_ns"));
    }

    /** Processes with an event loop, or all where there is none, by their applications and scripts. */
    private static String applications(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                WITH process AS (
                    SELECT DISTINCT pid, name, coalesce(application, '') AS application, coalesce(runtime, '') AS runtime,
                        coalesce(CASE WHEN application IS NULL THEN short_file(script) ELSE regexp_extract(script, '[^/]*$') END, '') AS script
                    FROM report_program
                    WHERE pid IN (SELECT pid FROM report_loop_thread) OR NOT EXISTS (FROM report_loop_thread))
                SELECT name, application, runtime, script,
                    count(*) AS processes, array_to_string(list(pid ORDER BY pid)[1:%d], ', ') AS pids
                FROM process GROUP BY ALL ORDER BY processes DESC, application, script, name, runtime""".formatted(MOST_PIDS));
        List<String> names = new ArrayList<>();
        for (ResultRow row : rows.subList(0, Math.min(MOST_APPLICATIONS, rows.size()))) {
            names.add(application(row));
        }
        if (rows.size() > MOST_APPLICATIONS) {
            names.add(rows.size() - MOST_APPLICATIONS + " more");
        }
        return String.join(", ", names);
    }

    /** What is known best, and the rest in parentheses. */
    private static String application(ResultRow row) {
        boolean isNamed =
                !row.text("application").isEmpty() || !row.text("script").isEmpty();
        String program = row.text("runtime").isEmpty() ? "name" : "runtime";
        List<String> known = new ArrayList<>();
        for (String column : isNamed ? List.of("application", "script", program) : List.of("name", "runtime")) {
            if (!row.text(column).isEmpty()) {
                known.add(row.text(column));
            }
        }
        String first = known.isEmpty() ? "" : known.remove(0);
        known.add((row.count("processes") == 1 ? "pid " : row.count("processes") + " processes, pids ")
                + row.text("pids")
                + (row.count("processes") > MOST_PIDS ? ", ..." : ""));
        return (first + " (" + String.join(", ", known) + ")").strip();
    }
}
