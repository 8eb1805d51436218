package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.stream.Collectors;

/** What was not watched, and what this means for all other numbers. */
public final class GapsRule implements Rule {
    static final String NAME = "gaps";

    /** From this share of the time on, in which a set was not watched, it is of medium severity. */
    private static final double MUCH = 0.5;

    private static final int MOST_SETS = 4;

    @Override
    public String remedy() {
        return "Record fewer sets, use a filter, or a larger --budget (off: no limit).";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<ResultRow> sets = database.rows("""
                SELECT what, sum(gap_ns) AS gap_ns, sum(took_ns) AS took_ns, bool_and(reason = 'HIT_RATE') AS is_guarded FROM report_gap
                GROUP BY 1 ORDER BY gap_ns DESC, 1""");
        return sets.isEmpty() ? List.of() : List.of(finding(sets));
    }

    private static WeightedFinding finding(List<ResultRow> sets) {
        ResultRow most = sets.get(0);
        boolean isMuch = most.number("gap_ns") >= MUCH * most.number("took_ns");
        String title = most.text("what") + " was not watched for " + share(most) + " of the time"
                + sets.stream()
                        .limit(MOST_SETS)
                        .skip(1)
                        .map(set -> ", " + set.text("what") + " for " + share(set))
                        .collect(Collectors.joining());
        String more = sets.size() > MOST_SETS ? ", " + (sets.size() - MOST_SETS) + " more sets for less" : "";
        return new WeightedFinding(
                new Finding(
                        NAME,
                        isMuch ? Severity.MEDIUM : Severity.NOTE,
                        title + more + ".",
                        (most.bool("is_guarded")
                                        ? "All of it would have cost the process more CPU time than it needs for itself."
                                        : "All of it would have cost more than --budget allows.")
                                + " Numbers with \"about\" are estimates with what was not"
                                + " seen; other counts and sums of these sets are lower bounds. Requests, turns of loops and waits"
                                + " that a gap cuts are left out, or have no end.",
                        List.of(EvidenceLinks.RECORDED)),
                0);
    }

    private static String share(ResultRow set) {
        return Amounts.share(set.number("gap_ns"), set.number("took_ns"));
    }
}
