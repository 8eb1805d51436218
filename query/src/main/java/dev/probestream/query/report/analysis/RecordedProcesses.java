package dev.probestream.query.report.analysis;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.LinkedHashMap;
import java.util.Map;

/** The processes of a recording that a finding may be of. With several of them each finding names its own. */
final class RecordedProcesses {
    private record Key(long captureId, long pid) {}

    private final Map<Key, String> names;
    private final boolean areSeveral;

    private RecordedProcesses(Map<Key, String> names, boolean areSeveral) {
        this.names = names;
        this.areSeveral = areSeveral;
    }

    /** Those with an event loop, or with requests. */
    static RecordedProcesses of(RecordingDatabase database) throws QueryException {
        Map<Key, String> names = new LinkedHashMap<>();
        for (ResultRow row : database.rows("""
                WITH active AS (
                    SELECT capture_id, pid FROM report_loop_thread UNION SELECT capture_id, pid FROM requests)
                SELECT capture_id, pid, any_value(coalesce(regexp_extract(p.script, '[^/]*$'), p.name, '')) AS name
                FROM active LEFT JOIN report_program p USING (capture_id, pid)
                GROUP BY capture_id, pid ORDER BY capture_id, pid""")) {
            String name = row.text("name");
            names.put(
                    new Key(row.count("capture_id"), row.count("pid")),
                    row.count("pid") + (name.isEmpty() ? "" : ", " + name));
        }
        return new RecordedProcesses(names, names.size() > 1);
    }

    /** The title, with the process if there are several: "... was blocked for up to 612 ms (process 4711, server.js)." */
    String named(String title, WeightedFinding finding) {
        if (!areSeveral || finding.pid() == WeightedFinding.NO_PROCESS) {
            return title;
        }
        String process = names.getOrDefault(new Key(finding.captureId(), finding.pid()), finding.pid() + "");
        return (title.endsWith(".") ? title.substring(0, title.length() - 1) : title) + " (process " + process + ").";
    }
}
