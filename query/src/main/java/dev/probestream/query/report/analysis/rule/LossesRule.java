package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.List;

/** What was lost, and what this means for all other numbers. */
public final class LossesRule implements Rule {
    static final String NAME = "losses";

    @Override
    public String remedy() {
        return "Record fewer sets, or with a larger buffer.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        ResultRow row = database.row("""
                SELECT coalesce((SELECT sum(count) FROM losses), 0) AS lost,
                    (SELECT count(*) FROM events) + (SELECT count(*) FROM spans) AS delivered,
                    (SELECT arg_max(probe, n) FROM (SELECT probe, sum(count) AS n FROM losses GROUP BY 1)) AS probe""");
        if (row.count("lost") == 0) {
            return List.of();
        }
        double all = row.number("lost") + row.number("delivered");
        boolean isMuch = row.number("lost") >= Thresholds.LOST_SHARE * all;
        Finding finding = new Finding(
                NAME,
                isMuch ? Severity.MEDIUM : Severity.NOTE,
                Amounts.count(row.count("lost"), "hit") + " were lost: " + Amounts.share(row.number("lost"), all)
                        + " of all.",
                "Most of them were of the probe " + row.text("probe")
                        + ". Counts and sums in this report are lower bounds; requests, lookups and work whose hits"
                        + " were lost may be missing or have no end. Record fewer probes or use a larger buffer to lose less.",
                List.of(EvidenceLinks.RECORDED));
        // Behind what the recording is about.
        return List.of(new WeightedFinding(finding, 0));
    }
}
