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
 * A queue keeps a loop from its I/O: very many small callbacks run one after the other, and all of them before the loop goes on. One long
 * function in such a callback is another matter: its samples are its own, not those of the code that runs the queue.
 */
public enum FloodRule implements Rule {
    MICROTASKS(
            "microtask-flood",
            "Await fewer promises: work in batches in the named function.",
            "microtasks_ns >= %s * own_ns AND samples >= %d AND machinery >= %s * samples"),
    NEXT_TICKS(
            "next-tick-flood",
            "Queue fewer callbacks: use setImmediate, or work in batches in the named function.",
            "ticks_ns >= %s * own_ns AND tick_machinery >= %d AND tick_machinery >= %s * ticks_without_gc");

    public final String ruleName;

    /** SQL for rows of report_loop_use: such callbacks fill the loop's busy time, very many of them. */
    final String filled;

    private final String remedy;

    FloodRule(String ruleName, String remedy, String filled) {
        this.ruleName = ruleName;
        this.remedy = remedy;
        this.filled = "("
                + filled.formatted(Thresholds.FLOOD_PART, Thresholds.FLOOD_SAMPLES, Thresholds.FLOOD_MACHINERY) + ")";
    }

    /** The words of a finding: of what, how long it took, whose code its samples are in, and what does that. isHigh: whatever its share. */
    private record Flood(boolean isHigh, String subject, String took, String code, String cause) {}

    @Override
    public String remedy() {
        return remedy;
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        String takenNs = this == MICROTASKS ? "microtasks_ns" : "ticks_ns";
        for (ResultRow row : database.rows(
                "SELECT *, %2$s AS taken_ns FROM report_loop_use WHERE %1$s AND %2$s >= %3$s * awake_ns ORDER BY %2$s DESC"
                        .formatted(filled, takenNs, Thresholds.FLOOD_SHARE))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Flood flood = this == MICROTASKS ? microtasks(row) : nextTicks(row);
        Optional<HotSpot> feeding = feeding(database, row);
        String text = flood.took + " in them, without those of the garbage collector, are in " + flood.code
                + ": there are very many small ones, and sockets, timers and responses wait until the last one has run. "
                + flood.cause + "; setImmediate between parts of the work lets the loop go on."
                + feeding.map(HotSpot::pathSentence).orElse("");
        return WeightedFinding.of(
                ruleName,
                flood.isHigh || row.number("taken_ns") >= Thresholds.FLOOD_SHARE_HIGH * row.number("awake_ns"),
                // Before the turns that are long because of them, and what the collector does for them.
                1.01 * row.number("own_ns") / 1e6,
                flood.subject + feeding.map(HotSpot::fromClause).orElse("") + ".",
                text,
                List.of(EvidenceLinks.LOOP, EvidenceLinks.CPU));
    }

    private static Flood microtasks(ResultRow row) {
        return new Flood(
                row.number("longest_run_ns") >= Thresholds.BLOCKED_ONCE_NS,
                "Microtasks kept the event loop from its I/O for "
                        + Amounts.shareOfAwake(row.number("taken_ns"), row.number("awake_ns")),
                Amounts.count(row.count("runs"), "run") + " of the microtask queue took " + ofBusy(row)
                        + ", the longest " + Amounts.ofNs(row.number("longest_run_ns")) + ". "
                        + Amounts.share(row.number("machinery"), row.number("samples")) + " of the CPU samples",
                "V8's code for promises",
                "An await in a loop that never waits for anything does that");
    }

    private static Flood nextTicks(ResultRow row) {
        return new Flood(
                false, // how long a run of the queue takes is not recorded
                "Callbacks of process.nextTick kept the event loop from its I/O for "
                        + Amounts.share(row.number("taken_ns"), row.number("awake_ns")) + " of the time",
                "By the CPU samples they took " + ofBusy(row) + ". "
                        + Amounts.share(row.number("tick_machinery"), row.number("ticks_without_gc"))
                        + " of the samples",
                "Node's code for the queue",
                "A callback that calls process.nextTick again is run at once");
    }

    private static String ofBusy(ResultRow row) {
        return Amounts.ofNs(row.number("taken_ns")) + " of the " + Amounts.ofNs(row.number("own_ns"))
                + " in which the loop was busy";
    }

    /** The function that queues them; of callbacks of process.nextTick first the one that calls it. */
    private Optional<HotSpot> feeding(RecordingDatabase database, ResultRow row) throws QueryException {
        List<String> samples = this == MICROTASKS
                ? List.of("report_microtask_sample WHERE ")
                : List.of("report_tick_sample WHERE is_queuing AND ", "report_tick_sample WHERE ");
        for (String of : samples) {
            Optional<HotSpot> known = HotSpot.of(
                            database, "SELECT capture_id, stack_id, 1 AS weight FROM " + of + row.sameThread())
                    .filter(spot -> !spot.function().isEmpty());
            if (known.isPresent()) {
                return known;
            }
        }
        return Optional.empty();
    }
}
