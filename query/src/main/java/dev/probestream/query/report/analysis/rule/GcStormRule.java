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
import java.util.Set;

/** The garbage collector stopped JavaScript often or for long: which collector, and which function allocated. */
public final class GcStormRule implements Rule {
    public static final String NAME = "gc-storm";

    @Override
    public String remedy() {
        return "Allocate less in the functions that the heap's samples name; if the heap is close to its limit,"
                + " raise --max-old-space-size.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT o.capture_id, o.pid, o.tid, count(*) AS pauses, sum(own_ns) AS paused_ns, max(own_ns) AS longest_ns,
                    count(*) FILTER (collector = 'mark-compact') AS full_pauses,
                    arg_max(collector, own_ns) AS worst, arg_max(reason, own_ns) AS reason,
                    any_value(t.awake_ns) AS wall_ns, any_value(c.last_ns - c.first_ns) AS recorded_ns
                FROM report_gc o JOIN report_gc_thread t USING (capture_id, pid, tid)
                    JOIN report_capture c USING (capture_id)
                GROUP BY ALL ORDER BY paused_ns DESC""")) {
            if (isMuch(row) || row.number("longest_ns") >= Thresholds.GC_ONCE_NS) {
                WeightedFinding finding = finding(database, row).ofProcess(row);
                found.add(
                        isMostOfBlockedTurns(database, row)
                                ? finding.explaining(
                                        Set.of(LoopBlockedRule.NAME), "the garbage collector", "it stopped the loop")
                                : finding);
            }
        }
        return found;
    }

    private static boolean isMostOfBlockedTurns(RecordingDatabase database, ResultRow row) throws QueryException {
        return database.row(
                        "SELECT coalesce(sum(least(gc_ns, own_ns)) >= %s * sum(own_ns), false) AS is_most FROM %s s WHERE %s"
                                .formatted(Thresholds.GC_OF_BLOCKED_TURNS, LoopBlockedRule.BLOCKED, row.sameThread()))
                .bool("is_most");
    }

    private static boolean isMuch(ResultRow row) {
        return row.count("pauses") >= Thresholds.GC_PAUSES
                && row.number("paused_ns") >= Thresholds.GC_SHARE * row.number("wall_ns");
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String thread = " " + row.sameThread();
        Optional<HotSpot> allocating = HotSpot.of(database, """
                SELECT s.capture_id, s.stack_id, 1 AS weight
                FROM (FROM report_sample WHERE %s) s JOIN report_stack k USING (capture_id, stack_id)
                WHERE k.in_gc""".formatted(thread));
        boolean isMuch = isMuch(row);
        String title = "The garbage collector stopped JavaScript for "
                + (isMuch
                        ? Amounts.shareOfAwake(row.number("paused_ns"), row.number("wall_ns"))
                        : Amounts.ofNs(row.number("longest_ns")) + " at a time")
                + allocating
                        .filter(known -> !known.function().isEmpty())
                        .map(known -> ", mostly for objects of " + known.function())
                        .orElse("");
        StringBuilder text = new StringBuilder();
        text.append(Amounts.count(row.count("pauses"), "pause"))
                .append(" took ")
                .append(Amounts.ofNs(row.number("paused_ns")))
                .append(" altogether, the longest ")
                .append(Amounts.ofNs(row.number("longest_ns")))
                .append(" (")
                .append(row.text("worst"))
                .append(", ")
                .append(row.text("reason"))
                .append("); ")
                .append(row.count("full_pauses"))
                .append(" collected the whole heap.");
        allocating
                .filter(known -> !known.function().isEmpty())
                .ifPresent(known -> text.append(" In ")
                        .append(Amounts.share(known.share(), 1))
                        .append(" of the CPU samples of the collector ")
                        .append(known.function())
                        .append(" had requested the memory.")
                        .append(known.pathSentence()));
        List<ResultRow> heap = database.rows("SELECT max(a0) AS used FROM events WHERE category = 'node-gc'"
                + " AND probe = 'V8 heap' AND" + thread);
        if (heap.get(0).number("used") > 0) {
            text.append(" The heap held up to ")
                    .append(Amounts.bytes(heap.get(0).number("used")))
                    .append('.');
        }
        boolean isHigh = isMuch
                && row.number("paused_ns") >= Thresholds.GC_SHARE_HIGH * row.number("wall_ns")
                && row.number("paused_ns") >= Thresholds.RECORDED_SHARE_HIGH * row.number("recorded_ns");
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("paused_ns") / 1e6,
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.GC, EvidenceLinks.CPU));
    }
}
