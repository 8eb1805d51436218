package dev.probestream.query.report.analysis.rule.machine;

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
 * A thread with an event loop was ready to run and had no CPU, or waited for a thread that had none: for how long, and what ran instead. Never HIGH:
 * causes in the program itself come first.
 */
public final class CpuStarvedRule implements Rule {
    static final String NAME = "off-cpu";

    /** Waits for other threads that had no CPU are named from this share of all time without a CPU. */
    private static final double OTHERS_SHARE = 0.1;

    @Override
    public String remedy() {
        return "Give the process more CPU: raise its quota, move other programs away, or run fewer processes on"
                + " the host.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("FROM report_starved_loop ORDER BY ready_ns DESC")) {
            double wanted = row.number("ready_ns") + row.number("ran_ns");
            if (row.number("ready_ns") >= Thresholds.STARVED_SHARE * wanted
                    && row.number("ready_ns") >= Thresholds.STARVED_WALL_SHARE * row.number("wall_ns")) {
                found.add(finding(database, row, wanted).ofProcess(row));
            }
        }
        return found;
    }

    /** " The hypervisor had 12 % ... ": no process of this machine did. */
    private static String stolen(RecordingDatabase database, ResultRow row) throws QueryException {
        List<ResultRow> steal =
                database.rows("SELECT steal_share FROM report_steal WHERE capture_id = %d AND steal_share >= %s"
                        .formatted(row.count("capture_id"), Thresholds.STEAL_SHARE));
        return steal.isEmpty()
                ? ""
                : " The hypervisor gave " + Amounts.share(steal.get(0).number("steal_share"), 1)
                        + " of the time of this machine's CPUs to others (steal time): ask for more CPUs, or another host.";
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row, double wantedNs)
            throws QueryException {
        List<ResultRow> others =
                database.rows("""
                WITH left_to AS (
                    SELECT capture_id, a0 AS tid, mono_ns, a5 AS next_pid, s1 AS name FROM events
                    WHERE kind = 'SWITCH'
                    UNION ALL
                    SELECT capture_id, tid, mono_ns, a5, s1 FROM spans
                    WHERE probe = 'off CPU' AND category IN ('sched', 'offcpu') AND s1 IS NOT NULL)
                SELECT l.next_pid, arg_max(l.name, o.runnable_ns) AS name, count(*) AS times, sum(o.runnable_ns) AS ns
                FROM left_to l JOIN report_off_cpu o ON o.capture_id = l.capture_id AND o.tid = l.tid AND o.out_ns = l.mono_ns
                WHERE l.capture_id = %d AND l.tid = %d AND o.was_preempted AND l.next_pid NOT IN (0, %d)
                GROUP BY l.next_pid ORDER BY ns DESC, name LIMIT 3""".formatted(row.count("capture_id"), row.count("tid"), row.count("pid")));
        StringBuilder text = new StringBuilder();
        text.append("It was ready to run for ")
                .append(Amounts.ofNs(row.number("ready_ns")))
                .append(" of ")
                .append(Amounts.ofNs(row.number("wall_ns")))
                .append(" and had no CPU, ")
                .append(Amounts.ofNs(row.number("longest_ns")))
                .append(" at the longest; it was taken off its CPU ")
                .append(Amounts.count(row.count("preempted"), "time"))
                .append('.');
        boolean isOfOthers = row.number("of_others_ns") >= OTHERS_SHARE * row.number("ready_ns");
        if (isOfOthers) {
            text.append(" Of this time it waited for ")
                    .append(Amounts.ofNs(row.number("of_others_ns")))
                    .append(" for threads of its process that were ready and had no CPU.");
        }
        if (!others.isEmpty()) {
            text.append(" Its CPU was taken by ")
                    .append(String.join(
                            ", ",
                            others.stream()
                                    .map(other -> other.text("name") + " (process " + other.count("next_pid") + "; "
                                            + Amounts.ofNs(other.number("ns")) + " until it had one again, "
                                            + Amounts.count(other.count("times"), "time") + ")")
                                    .toList()))
                    .append('.');
        }
        text.append(stolen(database, row));
        return WeightedFinding.of(
                NAME,
                false,
                // The last of its severity: causes in the program itself come first.
                0,
                "The event loop's thread" + (isOfOthers ? ", or a thread that it waited for," : "") + " had no CPU for "
                        + Amounts.share(row.number("ready_ns"), wantedNs)
                        + " of the " + Amounts.ofNs(wantedNs) + " in which it ran or was ready to run.",
                text.toString(),
                List.of(EvidenceLinks.WAITING));
    }
}
