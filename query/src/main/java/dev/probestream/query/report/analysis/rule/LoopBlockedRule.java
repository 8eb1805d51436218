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

/** The event loop was busy for a long time without a pause: in which function, or doing what. */
public final class LoopBlockedRule implements Rule {
    public static final String NAME = "loop-blocked";

    /** Blocked turns of threads with more than one recorded turn, but for workers that have a finding of their own. */
    static final String BLOCKED =
            "(SELECT s.* FROM report_stall s JOIN report_loop_thread l USING (capture_id, pid, tid)"
                    + " WHERE l.turns > 1 AND s.sure_ns >= " + Thresholds.BLOCKED_TURN_NS
                    + " AND (s.capture_id, s.tid) NOT IN (SELECT (capture_id, worker_tid) FROM report_busy_worker))";

    @Override
    public String remedy() {
        return "Take the named function's work off the event loop: split it into parts, move it to a worker"
                + " thread, or do less of it per request.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row :
                database.rows("""
                SELECT s.capture_id, s.pid, s.tid, count(*) AS turns, sum(s.own_ns) AS own_ns, max(s.own_ns) AS longest_ns,
                    sum(least(gc_ns, s.own_ns)) AS gc_ns, sum(least(fs_ns, s.own_ns)) AS fs_ns, sum(fs_calls) AS fs_calls,
                    sum(least(waited_ns, s.own_ns)) AS waited_ns, any_value(l.awake_ns) AS wall_ns,
                    any_value(c.last_ns - c.first_ns) AS recorded_ns,
                    sum(s.sure_ns) AS sure_ns, max(s.sure_ns) AS longest_sure_ns,
                    max(s.sure_ns - least(coalesce(gc_ns, 0), s.sure_ns)) AS longest_without_gc_ns, bool_and(s.has_cpu) AS has_cpu,
                    any_value(u.has_microtasks) AS has_microtasks, any_value(u.has_ticks) AS has_ticks,
                    coalesce(any_value(g.paused_ns), 0) AS paused_ns
                FROM %s s JOIN report_loop_thread l USING (capture_id, pid, tid) JOIN report_capture c USING (capture_id)
                LEFT JOIN (SELECT capture_id, pid, tid, %s AS has_microtasks, %s AS has_ticks FROM report_loop_use) u
                    USING (capture_id, pid, tid)
                LEFT JOIN (SELECT capture_id, pid, tid, sum(own_ns) AS paused_ns FROM report_gc GROUP BY ALL) g USING (capture_id, pid, tid)
                GROUP BY ALL ORDER BY own_ns DESC""".formatted(BLOCKED, FloodRule.MICROTASKS.filled, FloodRule.NEXT_TICKS.filled))) {
            boolean isLong = row.number("longest_sure_ns") >= Thresholds.BLOCKED_ONCE_NS;
            boolean isMuch = row.number("sure_ns") >= Thresholds.BLOCKED_SHARE * row.number("wall_ns");
            if (isLong || (isMuch && row.count("turns") > 1)) {
                WeightedFinding finding = finding(database, row).ofProcess(row);
                if (holdsItsPauses(row)) {
                    finding = finding.explaining(
                            Set.of(GcStormRule.NAME), "what blocks the loop", "most of the pauses lie in such turns");
                }
                // So long a turn on a CPU is long without a limit, too.
                double longestAnywayNs = row.number(isMostlyGc(row) ? "longest_without_gc_ns" : "longest_sure_ns");
                boolean isLongAnyway = longestAnywayNs >= Thresholds.BLOCKED_ONCE_HIGH_NS && row.bool("has_cpu");
                found.add(isLongAnyway ? finding.asOwnCause() : finding);
            }
        }
        return found;
    }

    /** So much of it that {@link GcStormRule} explains the turns. */
    private static boolean isMostlyGc(ResultRow row) {
        return row.number("gc_ns") >= Thresholds.GC_OF_BLOCKED_TURNS * row.number("own_ns");
    }

    /** The garbage collector cleans up after what blocks the loop, and is not itself what takes long in it. */
    private static boolean holdsItsPauses(ResultRow row) {
        return !isMostlyGc(row) && row.number("gc_ns") >= Thresholds.GC_IN_BLOCKED_TURNS * row.number("paused_ns");
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        String thread = " WHERE s.capture_id = %d AND s.pid = %d AND s.tid = %d"
                .formatted(row.count("capture_id"), row.count("pid"), row.count("tid"));
        Optional<HotSpot> spot = HotSpot.of(
                database,
                "SELECT p.capture_id, p.stack_id, 1 AS weight FROM report_sample p JOIN " + BLOCKED
                        + " s ON p.turn_id = s.turn_id" + thread);
        String cause = cause(database, row, thread, spot);
        String title = "The event loop was blocked" + (row.count("turns") == 1 ? " for " : " for up to ")
                + Amounts.ofNs(row.number("longest_ns")) + (cause.isEmpty() ? "" : " by " + cause);
        String text = Amounts.count(row.count("turns"), "turn") + " of the loop took "
                + Amounts.ofNs(row.number("own_ns")) + " altogether ("
                + Amounts.shareOfAwake(row.number("own_ns"), row.number("wall_ns"))
                + "); meanwhile the thread could do nothing else."
                + samples(spot)
                + parts(row) + requests(database, thread)
                + (row.bool("has_cpu") ? "" : MissingSetAdvice.BUSY_MACHINE);
        boolean isHigh = row.number("longest_sure_ns") >= Thresholds.BLOCKED_ONCE_HIGH_NS
                || (row.count("turns") > 1
                        && row.number("sure_ns") >= Thresholds.BLOCKED_SHARE_HIGH * row.number("wall_ns")
                        && row.number("sure_ns") >= Thresholds.RECORDED_SHARE_HIGH * row.number("recorded_ns"));
        // The garbage collector and the file system have findings of their own.
        double ownMs = (row.number("own_ns") - row.number("gc_ns") - row.number("fs_ns")) / 1e6;
        List<dev.probestream.query.report.Finding.Evidence> evidence =
                spot.isPresent() ? List.of(EvidenceLinks.LOOP, EvidenceLinks.CPU) : List.of(EvidenceLinks.LOOP);
        return WeightedFinding.of(NAME, isHigh, ownMs, title + ".", text, evidence);
    }

    /** What blocked the loop, as a part of the title; "" = unknown. */
    private static String cause(RecordingDatabase database, ResultRow row, String thread, Optional<HotSpot> spot)
            throws QueryException {
        double half = row.number("own_ns") / 2;
        if (row.bool("has_microtasks") || row.bool("has_ticks")) {
            return "very many " + (row.bool("has_ticks") ? "callbacks of process.nextTick" : "microtasks")
                    + spot.map(HotSpot::fromClause).orElse("");
        }
        boolean hasAction = spot.filter(known -> !known.action().isEmpty()).isPresent();
        if (row.number("gc_ns") >= half && !hasAction) {
            return "the garbage collector"
                    + spot.filter(known -> !known.function().isEmpty())
                            .map(known -> " (for objects of " + known.function() + ")")
                            .orElse("");
        }
        if (row.number("fs_ns") >= half) {
            return "synchronous file system calls"
                    + spot.map(HotSpot::fromClause).orElse("");
        }
        if (row.number("waited_ns") >= half) {
            Optional<HotSpot> waiting = HotSpot.of(
                    database,
                    "SELECT o.capture_id, o.stack_id, (o.off_ns - o.no_cpu_ns) / 1e6 AS weight FROM report_off_cpu o JOIN "
                            + BLOCKED
                            + " s ON o.capture_id = s.capture_id AND o.tid = s.tid AND o.out_ns >= s.start_ns"
                            + " AND o.out_ns < s.end_ns" + thread + " AND NOT o.was_preempted");
            return "waiting in a synchronous call"
                    + waiting.filter(HotSpot::isKnown)
                            .map(known -> " (" + known.asSubject() + ")")
                            .orElse("");
        }
        return spot.filter(HotSpot::isKnown).map(HotSpot::asSubject).orElse("");
    }

    private static String samples(Optional<HotSpot> spot) {
        return spot.filter(HotSpot::isKnown)
                .map(known -> " " + Amounts.share(known.share(), 1) + " of the CPU samples in them lie in "
                        + (known.function().isEmpty() ? known.asSubject() : known.function())
                        + (known.nativeFunction().isEmpty()
                                        || known.nativeFunction().equals(known.asSubject())
                                ? ""
                                : " (most often at " + known.nativeFunction() + ")")
                        + "." + known.pathSentence())
                .orElse("");
    }

    private static String parts(ResultRow row) {
        List<String> parts = new ArrayList<>();
        if (row.number("gc_ns") >= 0.1 * row.number("own_ns")) {
            parts.add(Amounts.share(row.number("gc_ns"), row.number("own_ns")) + " was the garbage collector");
        }
        if (row.number("fs_ns") >= 0.1 * row.number("own_ns")) {
            parts.add(Amounts.share(row.number("fs_ns"), row.number("own_ns")) + " were "
                    + Amounts.count(row.count("fs_calls"), "synchronous file system call"));
        }
        return parts.isEmpty() ? "" : " Of it " + String.join(", ", parts) + ".";
    }

    /**
     * The request for which the loop was busy, and the requests that waited meanwhile. Blocked turns of a thread follow each other, so the last that began
     * before a request ended is the one that may lie in it.
     */
    private static String requests(RecordingDatabase database, String thread) throws QueryException {
        String met = """
                FROM (FROM requests WHERE side = 'SERVER' AND duration_ns IS NOT NULL) r
                ASOF JOIN (SELECT s.* FROM %s s %s) b
                    ON r.capture_id = b.capture_id AND r.pid = b.pid AND r.mono_ns + r.duration_ns > b.start_ns
                WHERE b.end_ns > r.mono_ns""".formatted(BLOCKED, thread);
        List<ResultRow> busy = database.rows("""
                SELECT coalesce(r.operation, '?') AS request, count(*) AS requests
                %s AND r.tid = b.tid
                    AND r.javascript_ns + coalesce(r.gc_ns, 0) + coalesce(r.off_cpu_ns, 0) >= b.own_ns / 3
                GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1""".formatted(met));
        long waiting = database.row("SELECT count(*) AS requests " + met).count("requests");
        return (busy.isEmpty()
                        ? ""
                        : " It was busy with " + busy.get(0).text("request").strip() + ".")
                + (waiting == 0 ? "" : " " + Amounts.count(waiting, "request") + " waited for such a turn.");
    }
}
