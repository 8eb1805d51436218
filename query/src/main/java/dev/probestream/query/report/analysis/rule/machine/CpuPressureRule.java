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
import java.util.Set;

/**
 * The machine had no CPU for a process. Pressure (PSI) counts the waits of all tasks, so the process itself has to have waited, too; and since
 * its own threads or a CPU limit can be what it waited for, others must have had the CPUs, and nearly nothing may have been idle.
 */
public final class CpuPressureRule implements Rule {
    static final String NAME = "cpu-pressure";

    @Override
    public String remedy() {
        return "Move other programs away, run fewer processes on the host, or use one with more CPUs; where programs share it, give"
                + " this one a larger part (Kubernetes: resources.requests.cpu, systemd: CPUWeight=).";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Of a process with loops the thread that waited longest counts; of any other all threads, as the kernel adds
        // them up.
        for (ResultRow row : database.rows("""
                WITH starved AS (
                    SELECT capture_id, pid, max(ready_ns) AS ready_ns, arg_max(ran_ns, ready_ns) AS ran_ns,
                        arg_max(wall_ns, ready_ns) AS wall_ns
                    FROM report_starved_loop GROUP BY ALL),
                waited AS (
                    SELECT u.*, m.is_measured, s.ready_ns IS NOT NULL AS is_of_loop, coalesce(s.ready_ns, u.run_delay_ns) AS ready_ns,
                        coalesce(s.ready_ns + s.ran_ns, u.run_delay_ns + u.used_ns) AS wanted_ns,
                        coalesce(s.wall_ns, u.took_ns) AS wall_ns
                    FROM report_cpu_use u JOIN report_measured m USING (capture_id) LEFT JOIN starved s USING (capture_id, pid))
                SELECT w.*, p."some", p."full", p.of_group
                FROM waited w JOIN report_pressure p USING (capture_id, pid) LEFT JOIN report_throttled t USING (capture_id, pid)
                WHERE p.resource = 'cpu' AND p."some" >= %1$s AND w.took_ns >= %2$d
                    AND w.ready_ns >= %3$s * w.wanted_ns AND w.ready_ns >= %4$s * w.wall_ns
                    AND w.idle <= %5$s AND w.of_others + w.stolen >= %6$s AND coalesce(t.throttled_periods, 0) = 0
                ORDER BY w.ready_ns DESC, w.pid""".formatted(
                        Thresholds.PRESSURE_SHARE,
                        Thresholds.PRESSURE_READ_NS,
                        Thresholds.STARVED_SHARE,
                        Thresholds.STARVED_WALL_SHARE,
                        Thresholds.PRESSURE_IDLE_SHARE,
                        Thresholds.PRESSURE_OTHERS_SHARE))) {
            WeightedFinding finding = finding(row).ofProcess(row);
            // Where switches were recorded, what other rules judge is without the time in which there was no CPU.
            Set<String> explained = row.bool("is_measured") ? Set.of(CpuStarvedRule.NAME) : LostTime.RULES;
            found.add(finding.explaining(explained, "the busy machine", "the process had no CPU meanwhile"));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        boolean isOfLoop = row.bool("is_of_loop");
        String title = "The machine had no CPU for the process: "
                + (isOfLoop ? "its event loop's thread was" : "its threads were") + " ready to run and had none for "
                + Amounts.share(row.number("ready_ns"), row.number("wanted_ns")) + " of the "
                + Amounts.ofNs(row.number("wanted_ns")) + " in which "
                + (isOfLoop ? "it ran or was ready." : "they ran or were ready, added up.");
        String text = PressureSentence.sentence(row, "for a CPU") + " Other processes had "
                + Amounts.share(row.number("of_others"), 1) + " of the CPU time of the machine, this one "
                + Amounts.share(row.number("own"), 1)
                + (row.number("stolen") >= Thresholds.STEAL_SHARE
                        ? ", and the hypervisor gave " + Amounts.share(row.number("stolen"), 1) + " to other machines"
                        : "")
                + "; " + Amounts.share(row.number("idle"), 1) + " was idle. No CPU limit held the process back.";
        return WeightedFinding.of(
                NAME,
                row.number("ready_ns") >= Thresholds.STARVED_SHARE_HIGH * row.number("wanted_ns"),
                row.number("ready_ns") / 1e6,
                title,
                text,
                List.of(EvidenceLinks.PROCESS, EvidenceLinks.WAITING));
    }
}
