package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import java.util.List;

/** Recordings that did not end regularly, and what is missing in them. */
public final class CutOffRule implements Rule {
    static final String NAME = "cut-off";

    @Override
    public String remedy() {
        return "";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        long cut = database.row("SELECT count(*) AS cut FROM captures WHERE NOT coalesce(is_complete, false)")
                .count("cut");
        if (cut == 0) {
            return List.of();
        }
        Finding finding = new Finding(
                NAME,
                Severity.NOTE,
                Amounts.count(cut, "recording") + " did not end regularly.",
                "Hits that the collector had not written yet are missing, and the number of lost hits is unknown.",
                List.of(EvidenceLinks.RECORDED));
        return List.of(new WeightedFinding(finding, 0));
    }
}
