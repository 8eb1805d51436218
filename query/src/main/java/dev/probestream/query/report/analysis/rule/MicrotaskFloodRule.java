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

/**
 * Promises keep a loop from its I/O: very many microtasks run one after the other, and all of them before the loop goes on. A
 * long function in a single microtask is another matter: its samples are its own, not those of V8's code for promises.
 */
public final class MicrotaskFloodRule implements Rule {
    static final String NAME = "microtask-flood";

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH sampled AS (
                    SELECT capture_id, pid, tid, count(*) AS samples, count(*) FILTER (is_machinery) AS machinery
                    FROM report_microtask_sample GROUP BY ALL)
                SELECT u.*, s.samples, s.machinery FROM report_loop_use u JOIN sampled s USING (capture_id, pid, tid)
                WHERE microtasks_ns >= %1$s * busy_ns AND microtasks_ns >= %2$s * (last_ns - first_ns)
                    AND samples >= %3$d AND machinery >= %4$s * samples
                ORDER BY microtasks_ns DESC""".formatted(
                        Thresholds.MICROTASKS_PART,
                        Thresholds.MICROTASKS_SHARE,
                        Thresholds.MICROTASK_SAMPLES,
                        Thresholds.MICROTASK_MACHINERY))) {
            found.add(finding(database, row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> awaiting = HotSpot.of(database, """
                SELECT capture_id, stack_id, 1 AS weight FROM report_microtask_sample
                WHERE capture_id = %d AND pid = %d AND tid = %d""".formatted(row.count("capture_id"), row.count("pid"), row.count("tid")))
                .filter(known -> !known.function().isEmpty());
        String title = "Microtasks kept the event loop from its I/O for "
                + Amounts.share(row.number("microtasks_ns"), row.number("last_ns") - row.number("first_ns"))
                + " of the time" + awaiting.map(HotSpot::fromClause).orElse("");
        String text = Amounts.count(row.count("runs"), "run") + " of the microtask queue took "
                + Amounts.ofNs(row.number("microtasks_ns")) + " of the "
                + Amounts.ofNs(row.number("busy_ns")) + " in which the loop was busy, the longest "
                + Amounts.ofNs(row.number("longest_run_ns")) + ". "
                + Amounts.share(row.number("machinery"), row.number("samples"))
                + " of the CPU samples in them are in V8's code for promises: there are very many small ones, and sockets, timers"
                + " and responses wait until the last one has run. An await in a loop that never waits for anything does that;"
                + " setImmediate between parts of the work lets the loop go on.";
        return WeightedFinding.of(
                NAME,
                row.number("longest_run_ns") >= Thresholds.BLOCKED_ONCE_NS,
                row.number("microtasks_ns") / 1e6,
                title + ".",
                text,
                List.of(EvidenceLinks.LOOP, EvidenceLinks.CPU));
    }
}
