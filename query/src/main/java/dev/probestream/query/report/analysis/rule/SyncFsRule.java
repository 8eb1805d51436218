package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Synchronous file system calls inside the event loop: which calls, of which files, from which function. */
public final class SyncFsRule implements Rule {
    public static final String NAME = "sync-fs";

    @Override
    public String remedy() {
        return "Replace the synchronous calls with those of fs.promises, or read the files once at the start.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT f.capture_id, f.pid, f.tid, count(*) AS calls, sum(f.own_ns) AS took_ns, max(f.own_ns) AS longest_ns,
                    count(DISTINCT turn_id) AS turns,
                    any_value(l.own_ns) AS busy_ns, any_value(l.awake_ns) AS wall_ns
                FROM report_fs f
                JOIN report_loop_thread l USING (capture_id, pid, tid)
                WHERE f.turn_id IS NOT NULL GROUP BY ALL ORDER BY took_ns DESC""")) {
            boolean isMuch = row.count("calls") >= Thresholds.SYNC_FS_CALLS
                    && row.number("took_ns") >= Thresholds.SYNC_FS_TOTAL_NS
                    && row.number("took_ns") >= Thresholds.SYNC_FS_SHARE * row.number("busy_ns");
            if (isMuch || row.number("longest_ns") >= Thresholds.SYNC_FS_ONCE_NS) {
                found.add(finding(database, row).ofProcess(row));
            }
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String where = " f.capture_id = %d AND f.pid = %d AND f.tid = %d AND f.turn_id IS NOT NULL"
                .formatted(row.count("capture_id"), row.count("pid"), row.count("tid"));
        ResultRow top = database.row(
                "SELECT operation, path FROM (SELECT operation, path, sum(own_ns) AS ns FROM report_fs f WHERE" + where
                        + " GROUP BY ALL) ORDER BY path IS NULL, ns DESC, operation LIMIT 1");
        List<ResultRow> paths = database.rows("SELECT path, count(*) AS calls FROM report_fs f WHERE" + where
                + " AND path IS NOT NULL GROUP BY 1 ORDER BY sum(own_ns) DESC, 1 LIMIT 3");
        Optional<HotSpot> caller = caller(database, where);
        String title = "Synchronous file system calls (" + top.text("operation")
                + what(database, where) + ") held the event loop for "
                + Amounts.ofNs(row.number("took_ns"))
                + caller.map(HotSpot::fromClause).orElse("");
        StringBuilder text = new StringBuilder(Amounts.count(row.count("calls"), "call") + " in "
                + Amounts.count(row.count("turns"), "turn") + " of the loop took "
                + Amounts.share(row.number("took_ns"), row.number("busy_ns")) + " of its busy time; the longest took "
                + Amounts.ofNs(row.number("longest_ns")) + ".");
        if (!paths.isEmpty()) {
            text.append(" Most of the time went to ")
                    .append(paths.stream()
                            .map(path -> path.text("path") + " (" + Amounts.count(path.count("calls"), "call") + ")")
                            .collect(Collectors.joining(", ")))
                    .append('.');
        }
        caller.filter(known -> !known.action().isEmpty() && !known.action().equals("the file system"))
                .ifPresent(known -> text.append(" They are called through ")
                        .append(known.action())
                        .append('.'));
        text.append(" The asynchronous calls (fs.promises, or with a callback) leave the loop free.");
        boolean isHigh = row.number("longest_ns") >= Thresholds.SYNC_FS_ONCE_HIGH_NS
                || (row.number("took_ns") >= Thresholds.SYNC_FS_SHARE_HIGH * row.number("busy_ns")
                        && row.number("took_ns") >= Thresholds.BLOCKED_SHARE * row.number("wall_ns"));
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("took_ns") / 1e6,
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.FILES, EvidenceLinks.LOOP));
    }

    /** The file, or else the folder, that took most of the time; "" = unknown. */
    private static String what(RecordingDatabase database, String where) throws QueryException {
        ResultRow row = database.row("""
                WITH file AS (
                    SELECT path, regexp_replace(path, '/[^/]*$', '') AS folder, sum(own_ns) AS ns
                    FROM report_fs f WHERE %s AND path IS NOT NULL GROUP BY ALL),
                folder AS (SELECT folder, sum(ns) AS ns, count(*) AS files FROM file GROUP BY 1)
                SELECT (SELECT sum(ns) FROM file) AS ns, (SELECT arg_max(path, ns) FROM file) AS path,
                    (SELECT max(ns) FROM file) AS path_ns, (SELECT arg_max(folder, ns) FROM folder) AS folder,
                    (SELECT arg_max(files, ns) FROM folder) AS files""".formatted(where));
        if (row.text("path").isEmpty()) {
            return "";
        }
        return row.number("path_ns") >= row.number("ns") / 2 || row.count("files") == 1
                ? " of " + row.text("path")
                : " of " + Amounts.count(row.count("files"), "file") + " in " + row.text("folder");
    }

    /** From the stacks of node-callers, else from the samples in turns with such calls. */
    private static Optional<HotSpot> caller(RecordingDatabase database, String where) throws QueryException {
        Optional<HotSpot> asked = HotSpot.of(database, """
                SELECT c.capture_id, c.stack_id, f.own_ns AS weight
                FROM (SELECT * FROM report_fs f WHERE %s) f
                ASOF JOIN (FROM report_caller WHERE starts_with(probe, 'caller of sync')) c
                    ON f.capture_id = c.capture_id AND f.pid = c.pid AND f.tid = c.tid AND f.start_ns + 50000 >= c.at_ns""".formatted(where));
        if (asked.filter(HotSpot::isKnown).isPresent()) {
            return asked;
        }
        return HotSpot.of(
                database,
                "SELECT s.capture_id, s.stack_id, 1 AS weight FROM report_sample s JOIN report_stack k"
                        + " USING (capture_id, stack_id) WHERE s.turn_id IN (SELECT f.turn_id FROM report_fs f WHERE"
                        + where + ") AND (k.meaning = 'the file system' OR k.node_function LIKE '%Sync')");
    }
}
