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
 * The control group of a process may use a part of a CPU, and had used it up: the kernel kept its threads waiting for the next
 * period. Which limit it is, how often, and for how long. Findings about the time of functions and of the loop are explained by it.
 */
public final class CpuThrottledRule implements Rule {
    static final String NAME = "cpu-throttled";

    @Override
    public String remedy() {
        return "Raise the limit (Kubernetes: resources.limits.cpu, Docker: --cpus, systemd: CPUQuota=), or make the"
                + " functions cheaper that have most of the CPU samples.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                FROM report_throttled
                WHERE throttled_periods >= %d AND throttled_periods >= %s * periods AND throttled_share >= %s
                ORDER BY throttled_share DESC, pid""".formatted(
                Thresholds.THROTTLED_PERIODS, Thresholds.THROTTLED_PERIODS_SHARE, Thresholds.THROTTLED_SHARE))) {
            found.add(finding(row, found.size())
                    .ofProcess(row)
                    .explaining(LostTime.RULES, "the CPU limit", "the process was throttled meanwhile"));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row, int before) {
        String limit = Amounts.percent(row.number("limit_percent"), 100) + " % of a CPU"
                + (row.text("file").isEmpty() ? "" : " (" + row.text("file") + ")");
        String text = "In " + Amounts.share(row.number("throttled_periods"), row.number("periods")) + " of the "
                + Amounts.count(row.count("periods"), "period") + " of " + Amounts.ofNs(row.number("period_ns"))
                + " in which the control group was active its CPU time was used up, and its threads had to wait for the next one. "
                + "Such periods are " + Amounts.share(Math.min(row.number("throttled_share"), 1), 1) + " of the "
                + Amounts.ofNs(row.number("took_ns"))
                + " between the first and the last reading; the threads waited for "
                + Amounts.ofNs(row.number("throttled_ns")) + ", added up over CPUs."
                + (row.isNull("used_ns") || row.number("took_ns") <= 0
                        ? ""
                        : " The process itself used " + Amounts.percent(row.number("used_ns"), row.number("took_ns"))
                                + " % of a CPU.")
                + " Raise the limit (Kubernetes: resources.limits.cpu, Docker: --cpus, systemd: CPUQuota=), or do less in the"
                + " process: functions that have most of the CPU samples are where to begin.";
        return WeightedFinding.of(
                NAME,
                row.number("throttled_share") >= Thresholds.THROTTLED_SHARE_HIGH,
                // Behind a crash, before all that takes longer by it.
                Double.MAX_VALUE / (1000 + before),
                "The process is throttled: its control group may use " + limit + ", and had used that up in "
                        + Amounts.count(row.count("throttled_periods")) + " of "
                        + Amounts.count(row.count("periods"), "period") + ".",
                text,
                List.of(EvidenceLinks.PROCESS, EvidenceLinks.WAITING, EvidenceLinks.CPU));
    }
}
