package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.rule.HotSpot;

/** Who looks a name up. */
final class Lookups {
    private Lookups() {}

    /** Of the stacks of its lookups; {@code row} has {@code capture_id}, {@code pid} and {@code host}. */
    static String fromClause(RecordingDatabase database, ResultRow row) throws QueryException {
        // 50 us: the stack and the lookup are two hits.
        return HotSpot.of(database, """
                        SELECT c.capture_id, c.stack_id, 1 AS weight
                        FROM (FROM report_lookup WHERE %s AND host = ?) l
                        ASOF JOIN (FROM report_caller WHERE starts_with(probe, 'caller of DNS')) c
                            ON l.capture_id = c.capture_id AND l.pid = c.pid AND l.tid = c.tid AND l.start_ns + 50000 >= c.at_ns""".formatted(row.sameProcess()), row.text("host"))
                .map(HotSpot::fromClause)
                .orElse("");
    }
}
