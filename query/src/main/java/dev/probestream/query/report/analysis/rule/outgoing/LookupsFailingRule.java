package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.SlowDnsRule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;

/** A name cannot be looked up: which one, why, and which requests failed with it. */
public final class LookupsFailingRule implements Rule {
    static final String NAME = "lookups-failing";

    @Override
    public String remedy() {
        return "Check the name, and the resolver of the host (/etc/resolv.conf).";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Servers that do not answer are another finding.
        // "no data" is the answer for a name that has an address of another family only.
        for (ResultRow row : database.rows(
                """
                SELECT capture_id, pid, host, how, count(*) AS lookups, count(failure) AS failed, mode(failure) AS failure,
                    avg(took_ns) FILTER (failure IS NOT NULL) AS mean_ns,
                    count(DISTINCT request_id) FILTER (is_request_failed AND failure IS NOT NULL) AS parents,
                    mode(request) FILTER (is_request_failed AND failure IS NOT NULL) AS parent
                FROM report_lookup_request
                WHERE failure IS NULL OR failure <> 'no data'
                GROUP BY capture_id, pid, host, how
                HAVING failed >= %d AND failed >= %s * lookups AND NOT %s ORDER BY failed DESC, host LIMIT 3""".formatted(Thresholds.FAILED_LOOKUPS, Thresholds.FAILED_LOOKUPS_SHARE, SlowDnsRule.IS_SILENT))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String text = row.count("failed") + " of " + Amounts.count(row.count("lookups"), "lookup") + " by "
                + row.text("how") + " failed (" + row.text("failure") + "), after "
                + Amounts.ofNs(row.number("mean_ns")) + " on average."
                + Ordered.byRequests(row, "of this server failed in whose work that was");
        return WeightedFinding.of(
                NAME,
                row.number("failed") >= Thresholds.FAILED_LOOKUPS_SHARE_HIGH * row.count("lookups"),
                row.number("failed"),
                "The name " + row.text("host") + " could not be looked up " + Amounts.count(row.count("failed"), "time")
                        + Lookups.fromClause(database, row) + ": " + row.text("failure") + ".",
                text,
                List.of(EvidenceLinks.DNS, EvidenceLinks.ERRORS));
    }
}
