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

    /** SQL for rows of report_loop_use: microtasks fill the loop's busy time, very many of them. */
    static final String FILLED = "(microtasks_ns >= %s * own_ns AND samples >= %d AND machinery >= %s * samples)"
            .formatted(Thresholds.MICROTASKS_PART, Thresholds.MICROTASK_SAMPLES, Thresholds.MICROTASK_MACHINERY);

    @Override
    public String remedy() {
        return "Await fewer promises: work in batches in the named function.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                FROM report_loop_use WHERE %s AND microtasks_ns >= %s * awake_ns
                ORDER BY microtasks_ns DESC""".formatted(FILLED, Thresholds.MICROTASKS_SHARE))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> awaiting = HotSpot.of(
                        database, """
                SELECT capture_id, stack_id, 1 AS weight FROM report_microtask_sample
                WHERE capture_id = %d AND pid = %d AND tid = %d""".formatted(row.count("capture_id"), row.count("pid"), row.count("tid")))
                .filter(known -> !known.function().isEmpty());
        String title = "Microtasks kept the event loop from its I/O for "
                + Amounts.shareOfAwake(row.number("microtasks_ns"), row.number("awake_ns"))
                + awaiting.map(HotSpot::fromClause).orElse("");
        String text = Amounts.count(row.count("runs"), "run") + " of the microtask queue took "
                + Amounts.ofNs(row.number("microtasks_ns")) + " of the "
                + Amounts.ofNs(row.number("own_ns")) + " in which the loop was busy, the longest "
                + Amounts.ofNs(row.number("longest_run_ns")) + ". "
                + Amounts.share(row.number("machinery"), row.number("samples"))
                + " of the CPU samples in them, without those of the garbage collector, are in V8's code for promises: there are very many small ones, and sockets, timers"
                + " and responses wait until the last one has run. An await in a loop that never waits for anything does that;"
                + " setImmediate between parts of the work lets the loop go on."
                + awaiting.map(HotSpot::pathSentence).orElse("");
        return WeightedFinding.of(
                NAME,
                row.number("longest_run_ns") >= Thresholds.BLOCKED_ONCE_NS
                        || row.number("microtasks_ns") >= Thresholds.TICKS_SHARE_HIGH * row.number("awake_ns"),
                // Before the turns that are long because of them, and what the collector does for them.
                1.01 * row.number("own_ns") / 1e6,
                title + ".",
                text,
                List.of(EvidenceLinks.LOOP, EvidenceLinks.CPU));
    }
}
