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

/** Requests send the same statement many times where one would do: the N + 1 queries of an object mapper, for example. */
public final class RepeatedStatementsRule implements Rule {
    static final String NAME = "statements-repeated";

    private static final int MOST = 3;

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH of_request AS (
                    SELECT capture_id, pid, protocol, statement, parent, parent_request_id, any_value(parent_ns) AS parent_ns,
                        mode(peer) AS peer, mode(caller) AS caller, count(*) AS n, sum(theirs_ns) AS theirs_ns
                    FROM report_sent WHERE is_statement AND parent_request_id IS NOT NULL AND parent IS NOT NULL
                    GROUP BY ALL)
                SELECT capture_id, pid, protocol, statement, parent, mode(peer) AS peer, count(*) AS senders,
                    mode(caller) FILTER (n >= %1$d) AS caller, count(*) FILTER (n >= %1$d) AS repeating,
                    avg(n) FILTER (n >= %1$d) AS mean, max(n) AS most, sum(n) AS sent,
                    coalesce(sum(theirs_ns) FILTER (n >= %1$d AND parent_ns IS NOT NULL), 0) AS theirs_ns,
                    coalesce(sum(parent_ns) FILTER (n >= %1$d), 0) AS parent_ns,
                    coalesce(avg(parent_ns) FILTER (n >= %1$d), 0) AS parent_mean_ns
                FROM of_request GROUP BY capture_id, pid, protocol, statement, parent
                HAVING repeating >= %2$d AND repeating >= %3$s * senders
                ORDER BY sent DESC, statement LIMIT %4$d""".formatted(
                        Thresholds.REPEATED_STATEMENTS,
                        Thresholds.REPEATED_REQUESTS,
                        Thresholds.REPEATED_REQUESTS_SHARE,
                        MOST))) {
            found.add(finding(row));
        }
        return found.isEmpty() ? onAverage(database) : found;
    }

    /** Where it is not known which request ordered most of them: so many for all requests, and nearly all while one was open. */
    private static List<WeightedFinding> onAverage(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row :
                database.rows("""
                WITH served AS (
                    SELECT capture_id, pid, count(*) AS requests FROM requests WHERE side = 'SERVER' GROUP BY ALL),
                often AS (
                    SELECT capture_id, pid, protocol, statement, mode(peer) AS peer, mode(caller) AS caller, count(*) AS sent,
                        count(parent_request_id) AS known, sum(theirs_ns) AS theirs_ns, any_value(requests) AS requests
                    FROM report_sent JOIN served USING (capture_id, pid) WHERE is_statement
                    GROUP BY capture_id, pid, protocol, statement
                    HAVING sent >= %1$d * any_value(requests) AND any_value(requests) >= %2$d AND known < sent / 2
                    ORDER BY sent DESC, statement LIMIT %3$d)
                SELECT * FROM often o WHERE 0.9 * sent <= (
                    SELECT count(*) FROM report_sent s
                    WHERE s.capture_id = o.capture_id AND s.pid = o.pid AND s.statement = o.statement AND s.is_statement
                        AND EXISTS (FROM requests r WHERE r.capture_id = s.capture_id AND r.pid = s.pid AND r.side = 'SERVER'
                            AND r.mono_ns <= s.sent_ns AND coalesce(r.mono_ns + r.duration_ns, s.sent_ns) >= s.sent_ns))""".formatted(Thresholds.REPEATED_STATEMENTS, Thresholds.REPEATED_REQUESTS, MOST))) {
            String text = "It was sent " + Amounts.count(row.count("sent"), "time") + " to " + Statements.database(row)
                    + " while " + Amounts.count(row.count("requests"), "request")
                    + " were served; which of them ordered it is not"
                    + " known of most. It took " + Amounts.ofNs(row.number("theirs_ns"))
                    + " altogether. One statement for all of the values needs one round trip.";
            found.add(WeightedFinding.of(
                    NAME,
                    false,
                    row.number("theirs_ns") / 1e6,
                    "The statement " + Statements.quoted(row) + " is sent "
                            + Amounts.count(Math.round(row.number("sent") / row.number("requests")), "time")
                            + " per request on average" + Ordered.from(row) + ".",
                    text,
                    List.of(EvidenceLinks.OUTGOING, EvidenceLinks.REQUESTS)));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String text = row.count("repeating") + " of " + Amounts.count(row.count("senders"), "request")
                + " that sent it did so " + Thresholds.REPEATED_STATEMENTS + " times or more, at most "
                + Amounts.count(row.count("most"), "time") + ", to " + Statements.database(row) + ". "
                + Amounts.share(row.number("theirs_ns"), row.number("parent_ns"))
                + " of the time of these requests was the database's time for them. One statement for all of the values needs one round trip.";
        boolean isHigh = row.number("theirs_ns") >= Thresholds.REPEATED_SHARE_HIGH * row.number("parent_ns")
                && row.number("parent_mean_ns") >= Thresholds.REPEATED_REQUEST_HIGH_NS;
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("theirs_ns") / 1e6,
                row.text("parent") + " sends the statement " + Statements.quoted(row) + " "
                        + Amounts.count(Math.round(row.number("mean")), "time") + " per request" + Ordered.from(row)
                        + ".",
                text,
                List.of(EvidenceLinks.OUTGOING, EvidenceLinks.REQUESTS));
    }
}
