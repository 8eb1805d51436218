package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;

/** What was lost or cut off, and what this means for all other numbers. */
public final class LossesRule implements Rule {
    static final String NAME = "losses";

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        ResultRow row = database.row("""
                SELECT coalesce((SELECT sum(count) FROM losses), 0) AS lost,
                    (SELECT count(*) FROM events) + (SELECT count(*) FROM spans) AS delivered,
                    (SELECT arg_max(probe, n) FROM (SELECT probe, sum(count) AS n FROM losses GROUP BY 1)) AS probe""");
        if (row.count("lost") > 0) {
            double all = row.number("lost") + row.number("delivered");
            boolean isMuch = row.number("lost") >= Thresholds.LOST_SHARE * all;
            found.add(new WeightedFinding(
                    new Finding(
                            NAME,
                            isMuch ? Severity.MEDIUM : Severity.NOTE,
                            Amounts.count(row.count("lost"), "hit") + " were lost: "
                                    + Amounts.share(row.number("lost"), all) + " of all.",
                            "Most of them were of the probe " + row.text("probe")
                                    + ". Counts and sums in this report are lower bounds; requests, lookups and work whose hits"
                                    + " were lost may be missing or have no end. Record fewer probes or use a larger buffer to lose less.",
                            List.of(EvidenceLinks.RECORDED)),
                    row.number("lost")));
        }
        long cut = database.row("SELECT count(*) AS cut FROM captures WHERE NOT coalesce(is_complete, false)")
                .count("cut");
        if (cut > 0) {
            found.add(new WeightedFinding(
                    new Finding(
                            "cut-off",
                            Severity.NOTE,
                            Amounts.count(cut, "recording") + " did not end regularly.",
                            "Hits that the collector had not written yet are missing, and the number of lost hits is unknown.",
                            List.of(EvidenceLinks.RECORDED)),
                    0));
        }
        return found;
    }
}
