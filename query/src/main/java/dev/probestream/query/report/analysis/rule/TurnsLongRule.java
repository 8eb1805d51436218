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

/**
 * Many turns of a loop take tens of milliseconds, and requests wait in line for it, though few turns block it by themselves: in which function,
 * for which route. Turns that are long because many small requests came at once are not of this kind.
 */
public final class TurnsLongRule implements Rule {
    public static final String NAME = "turns-long";

    @Override
    public String remedy() {
        return "Make the named function cheaper or its asynchronous form do the work (on the thread pool), move it to a worker thread, or"
                + " do less of it per request; more processes shorten the line.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH turns AS (
                    SELECT capture_id, pid, tid, count(*) AS turns, sum(own_ns) AS own_ns, quantile_cont(own_ns, 0.5) AS median_ns,
                        max(own_ns) AS longest_ns, coalesce(sum(own_ns) FILTER (own_ns >= %1$d), 0) AS blocked_ns
                    FROM report_slow_turn GROUP BY ALL),
                other AS (SELECT capture_id, pid, tid, sum(other_ns) AS other_ns FROM report_slow_turn_part GROUP BY ALL),
                served AS (
                    SELECT capture_id, pid, tid, sum(requests) AS requests, sum(met) AS met, sum(served_ns) AS served_ns,
                        sum(within_ns) AS within_ns, sum(ran_ns) AS ran_ns, arg_max(route, ran_ns) AS route,
                        max(ran_ns) AS of_route_ns, arg_max(ran_ns / nullif(met, 0), ran_ns) AS of_request_ns
                    FROM report_route_in_slow_turns GROUP BY ALL)
                SELECT t.*, s.* EXCLUDE (capture_id, pid, tid), l.awake_ns, c.last_ns - c.first_ns AS recorded_ns
                FROM turns t
                JOIN served s USING (capture_id, pid, tid)
                JOIN report_loop_thread l USING (capture_id, pid, tid)
                JOIN report_loop_use u USING (capture_id, pid, tid)
                JOIN report_capture c USING (capture_id)
                LEFT JOIN other o USING (capture_id, pid, tid)
                WHERE t.turns >= %2$d AND t.own_ns >= %3$s * l.awake_ns AND t.own_ns >= %4$s * recorded_ns
                    AND t.blocked_ns <= %5$s * t.own_ns AND coalesce(o.other_ns, 0) <= %5$s * t.own_ns
                    AND s.within_ns >= %6$s * s.served_ns
                    AND (s.ran_ns < %5$s * t.own_ns OR s.of_request_ns >= %7$d)
                    AND NOT %8$s AND NOT %9$s
                ORDER BY t.own_ns DESC""".formatted(
                        Thresholds.BLOCKED_TURN_NS,
                        Thresholds.SLOW_TURNS,
                        Thresholds.SLOW_TURNS_SHARE,
                        Thresholds.RECORDED_SHARE_HIGH,
                        Thresholds.SLOW_TURNS_PART,
                        Thresholds.SLOW_TURNS_OF_REQUESTS,
                        Thresholds.SLOW_TURN_REQUEST_NS,
                        FloodRule.MICROTASKS.filled.replace("own_ns", "u.own_ns"),
                        FloodRule.NEXT_TICKS.filled.replace("own_ns", "u.own_ns")))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> spot = samples(database, row, 0);
        // Without requests in which they run, the turns are somebody else's.
        boolean isOfRoute = row.number("of_route_ns") >= Thresholds.SLOW_TURNS_PART * row.number("own_ns");
        String title = "Many turns of the event loop are long: " + Amounts.count(row.count("turns")) + " of "
                + Amounts.ofNs(row.number("median_ns")) + " in the median, at most "
                + Amounts.ofNs(row.number("longest_ns"))
                + spot.map(known -> ", by " + known.asSubject()).orElse("")
                + (isOfRoute ? ", for " + row.text("route") : "") + ".";
        String text = "They took " + Amounts.ofNs(row.number("own_ns")) + " altogether ("
                + Amounts.shareOfAwake(row.number("own_ns"), row.number("awake_ns"))
                + "); requests that come meanwhile wait in line. "
                + Amounts.share(row.number("within_ns"), row.number("served_ns")) + " of the time of "
                + Amounts.count(row.count("requests"), "request") + " lay in such turns."
                + spot.map(known -> " " + Amounts.share(known.share(), 1) + " of the CPU samples in them lie in "
                                + (known.function().isEmpty() ? known.asSubject() : known.function()) + "."
                                + known.pathSentence())
                        .orElse("");
        boolean isHigh = row.number("own_ns") >= Thresholds.SLOW_TURNS_SHARE_HIGH * row.number("awake_ns")
                && row.number("within_ns") >= Thresholds.SLOW_TURNS_OF_REQUESTS_HIGH * row.number("served_ns");
        WeightedFinding finding = WeightedFinding.of(
                NAME,
                isHigh,
                row.number("own_ns") / 1e6,
                title,
                text,
                List.of(EvidenceLinks.LOOP, EvidenceLinks.REQUESTS, EvidenceLinks.CPU));
        return finding.explaining(
                isOfSameFunction(spot, samples(database, row, Thresholds.BLOCKED_TURN_NS))
                        ? Set.of(LoopBlockedRule.NAME, CpuBurntRule.NAME)
                        : Set.of(CpuBurntRule.NAME),
                "the long turns",
                "the same work, several times in a turn or one after the other");
    }

    /** Where the thread was in such turns that took so long at least. */
    private static Optional<HotSpot> samples(RecordingDatabase database, ResultRow row, long leastNs)
            throws QueryException {
        return HotSpot.of(
                        database,
                        "SELECT p.capture_id, p.stack_id, 1 AS weight FROM report_sample p JOIN report_slow_turn t USING (turn_id)"
                                + " WHERE t.own_ns >= ? AND t."
                                + row.sameThread().replace(" AND ", " AND t."),
                        leastNs)
                .filter(HotSpot::isKnown);
    }

    private static boolean isOfSameFunction(Optional<HotSpot> one, Optional<HotSpot> other) {
        return one.isEmpty()
                || other.isEmpty()
                || one.get().asSubject().equals(other.get().asSubject());
    }
}
