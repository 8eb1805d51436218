package dev.probestream.query.report.analysis;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;

/** What was recorded, in one line: application, pid, host, time: "shop/server.js (node, pid 4711) on web-3, 2026-01-01 00:00 UTC, 20 s". */
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

    /** Processes with an event loop, or all where there is none, by their scripts. */
    private static String applications(RecordingDatabase database) throws QueryException {
        List<ResultRow> rows = database.rows("""
                WITH process AS (
                    SELECT DISTINCT pid, name, coalesce(short_file(script), '') AS script
                    FROM report_program
                    WHERE pid IN (SELECT pid FROM report_loop_thread) OR NOT EXISTS (FROM report_loop_thread))
                SELECT name, script,
                    count(*) AS processes, array_to_string(list(pid ORDER BY pid)[1:%d], ', ') AS pids
                FROM process GROUP BY ALL ORDER BY processes DESC, 2, 1""".formatted(MOST_PIDS));
        List<String> names = new ArrayList<>();
        for (ResultRow row : rows.subList(0, Math.min(MOST_APPLICATIONS, rows.size()))) {
            String pids = row.text("pids") + (row.count("processes") > MOST_PIDS ? ", ..." : "");
            String what = (row.count("processes") == 1 ? "pid " : row.count("processes") + " processes, pids ") + pids;
            names.add(
                    row.text("script").isEmpty()
                            ? (row.text("name") + " (" + what + ")").strip()
                            : row.text("script") + " (" + (row.text("name").isEmpty() ? "" : row.text("name") + ", ")
                                    + what + ")");
        }
        if (rows.size() > MOST_APPLICATIONS) {
            names.add(rows.size() - MOST_APPLICATIONS + " more");
        }
        return String.join(", ", names);
    }
}
