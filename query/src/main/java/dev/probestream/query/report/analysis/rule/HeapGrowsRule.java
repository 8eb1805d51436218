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
 * What V8 still uses after it has collected the whole heap grows: how fast, and who allocates. Between full collections the
 * heap of every program grows, so that only what is left after them counts.
 */
public final class HeapGrowsRule implements Rule {
    static final String NAME = "heap-grows";

    @Override
    public String remedy() {
        return "Take two heap snapshots and compare them; look for caches and listeners without a limit.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                FROM report_heap_growth
                WHERE points >= %d AND grown >= %d AND grown >= %s * greatest(begins, 0) AND last > first
                    AND confidence >= %s AND r2 >= %s AND late_share >= %s
                ORDER BY grown DESC""".formatted(
                        Thresholds.HEAP_COLLECTIONS,
                        Thresholds.HEAP_GROWN_BYTES,
                        Thresholds.HEAP_GROWN_SHARE,
                        Thresholds.HEAP_CONFIDENCE,
                        Thresholds.GROWTH_R2,
                        Thresholds.GROWTH_LATE_SHARE))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> allocating = HotSpot.of(database, """
                SELECT s.capture_id, s.stack_id, 1 AS weight
                FROM (FROM report_sample WHERE %s) s
                JOIN report_stack k USING (capture_id, stack_id) WHERE k.in_gc""".formatted(row.sameThread()))
                .filter(known -> !known.function().isEmpty());
        String title = "The heap of V8 grew from " + Amounts.bytes(row.number("first")) + " to "
                + Amounts.bytes(row.number("last")) + " after full collections, within "
                + Amounts.ofMs(1000 * row.number("seconds"))
                + allocating
                        .map(known -> ", most collected for objects of " + known.function())
                        .orElse("");
        StringBuilder text = new StringBuilder("What was in use after each of ")
                .append(Amounts.count(row.count("points"), "collection"))
                .append(" of the whole heap grows by ")
                .append(Amounts.bytes(60 * row.number("per_second")))
                .append(" a minute; a line explains ")
                .append(Amounts.share(row.number("r2"), 1))
                .append(" of it, and its slope is ")
                .append(Math.round(Math.min(row.number("confidence"), 1000)))
                .append(
                        " times its standard error. Objects are kept that nothing gives up: a cache, a list or listeners.");
        allocating.ifPresent(known -> text.append(" In ")
                .append(Amounts.share(known.share(), 1))
                .append(" of the CPU samples of the collector ")
                .append(known.function())
                .append(" had requested the memory."));
        return WeightedFinding.of(
                NAME,
                row.number("grown") >= Thresholds.HEAP_HIGH_SHARE * row.number("first"),
                row.number("grown") / Thresholds.HEAP_GROWN_BYTES,
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.GC, EvidenceLinks.PROCESS));
    }
}
