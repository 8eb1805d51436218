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
 * Callbacks of {@code process.nextTick} keep a loop from its I/O: very many run one after the other, and all of them before the loop goes
 * on. One long function in such a callback is another matter: its samples are its own, not those of Node's code for the queue.
 */
public final class NextTickFloodRule implements Rule {
    static final String NAME = "next-tick-flood";

    /** SQL for rows of report_loop_use: such callbacks fill the loop's busy time, very many of them. */
    static final String FILLED =
            "(ticks_ns >= %1$s * own_ns AND tick_machinery >= %2$d AND tick_machinery >= %3$s * ticks_without_gc)"
                    .formatted(Thresholds.MICROTASKS_PART, Thresholds.MICROTASK_SAMPLES, Thresholds.TICK_MACHINERY);

    @Override
    public String remedy() {
        return "Queue fewer callbacks: use setImmediate, or work in batches in the named function.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                FROM report_loop_use WHERE %s AND ticks_ns >= %s * awake_ns
                ORDER BY ticks_ns DESC""".formatted(FILLED, Thresholds.MICROTASKS_SHARE))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String samples =
                "SELECT capture_id, stack_id, 1 AS weight FROM report_tick_sample WHERE capture_id = %d AND pid = %d AND tid = %d"
                        .formatted(row.count("capture_id"), row.count("pid"), row.count("tid"));
        Optional<HotSpot> queuing = HotSpot.of(database, samples + " AND is_queuing")
                .filter(known -> !known.function().isEmpty());
        Optional<HotSpot> feeding = queuing.isPresent()
                ? queuing
                : HotSpot.of(database, samples)
                        .filter(known -> !known.function().isEmpty());
        String title = "Callbacks of process.nextTick kept the event loop from its I/O for "
                + Amounts.share(row.number("ticks_ns"), row.number("awake_ns"))
                + " of the time" + feeding.map(HotSpot::fromClause).orElse("");
        String text = "By the CPU samples they took " + Amounts.ofNs(row.number("ticks_ns")) + " of the "
                + Amounts.ofNs(row.number("own_ns")) + " in which the loop was busy. "
                + Amounts.share(row.number("tick_machinery"), row.number("ticks_without_gc"))
                + " of the samples in them, without those of the garbage collector, are in Node's code for the queue: there are very many"
                + " small ones, and sockets, timers and responses wait until the last one has run. A callback that calls"
                + " process.nextTick again is run at once; setImmediate between parts of the work lets the loop go on."
                + feeding.map(HotSpot::pathSentence).orElse("");
        return WeightedFinding.of(
                NAME,
                row.number("ticks_ns") >= Thresholds.TICKS_SHARE_HIGH * row.number("awake_ns"),
                // Before the turns that are long because of them, and what the collector does for them.
                1.01 * row.number("own_ns") / 1e6,
                title + ".",
                text,
                List.of(EvidenceLinks.LOOP, EvidenceLinks.CPU));
    }
}
