package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;

/**
 * The same name is looked up for each request: connections are not used again, or nothing keeps the answer. Lookups that are slow or
 * have no answer are findings of their own.
 */
public final class LookupsRepeatedRule implements Rule {
    static final String NAME = "lookups-repeated";

    @Override
    public String remedy() {
        return "Use an agent with keepAlive: a kept connection needs no lookup.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH served AS (
                    SELECT capture_id, pid, coalesce(operation, '?') AS request, count(*) AS requests
                    FROM requests WHERE side = 'SERVER' GROUP BY ALL),
                looked_up AS (
                    SELECT capture_id, pid, host, how, request, count(*) AS lookups, count(DISTINCT request_id) AS parents,
                        sum(took_ns) AS took_ns
                    FROM report_lookup_request WHERE request_id IS NOT NULL AND failure IS NULL AND NOT is_unanswered GROUP BY ALL)
                SELECT l.*, l.request AS parent, s.requests FROM looked_up l JOIN served s USING (capture_id, pid, request)
                WHERE l.lookups >= %d AND l.parents >= %d AND l.parents >= %s * s.requests AND l.took_ns < %d * l.lookups
                QUALIFY row_number() OVER (PARTITION BY capture_id, pid, host ORDER BY l.lookups DESC) = 1
                ORDER BY l.lookups DESC, host LIMIT 3""".formatted(
                        Thresholds.REPEATED_LOOKUPS,
                        Thresholds.REPEATED_LOOKUP_REQUESTS,
                        Thresholds.REPEATED_LOOKUP_SHARE,
                        Thresholds.SLOW_LOOKUP_NS))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String text = Amounts.count(row.count("lookups"), "lookup") + " by " + row.text("how") + " for "
                + row.count("parents") + " of " + Amounts.count(row.count("requests"), "request") + " of "
                + row.text("parent") + ", " + Amounts.ofNs(row.number("took_ns") / row.number("lookups")) + " each."
                + (row.text("how").equals("getaddrinfo") ? " Each occupies a thread of the pool meanwhile." : "")
                + " An agent with keepAlive uses its connections again and looks up nothing.";
        return WeightedFinding.of(
                NAME,
                false,
                row.number("took_ns") / 1e6,
                row.text("host") + " is looked up for each request" + Lookups.fromClause(database, row) + ".",
                text,
                List.of(EvidenceLinks.DNS, EvidenceLinks.CONNECTIONS));
    }
}
