package dev.probestream.query.report.analysis.rule.machine;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.SyncFsRule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The machine had no memory or no disk for a process. The context switches show that a thread of the process waited in the kernel, but not for
 * what (locks of the kernel are such waits, too); pressure (PSI) shows what tasks waited for, but not which. Both together do, if there is as
 * much pressure as there are waits.
 */
public enum StallRule implements Rule {
    MEMORY(
            "memory-pressure",
            "Give the process or its control group more memory (Kubernetes: resources.limits.memory, systemd: MemoryHigh=), move"
                    + " other programs away, or make its heap and caches smaller.",
            "memory"),
    /** Under pressure of memory the disks are busy with reading back pages: that is a finding of memory. */
    IO(
            "io-pressure",
            "Find out what keeps the disks busy (pidstat -d, iotop), read and write less at once, or use faster disks.",
            "disks");

    private final String ruleName;
    private final String remedy;
    private final String resource;

    StallRule(String ruleName, String remedy, String resource) {
        this.ruleName = ruleName;
        this.remedy = remedy;
        this.resource = resource;
    }

    @Override
    public String remedy() {
        return remedy;
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT w.*, p."some", p."full", p.of_group, coalesce(n.name || ', ', '') || w.tid AS thread
                FROM report_kernel_wait w
                JOIN report_pressure p USING (capture_id, pid, resource)
                LEFT JOIN report_pressure m ON m.capture_id = w.capture_id AND m.pid = w.pid AND m.resource = 'memory'
                LEFT JOIN report_thread_name n ON n.capture_id = w.capture_id AND n.pid = w.pid AND n.tid = w.tid
                WHERE w.resource = '%1$s' AND p.of_group AND p."some" >= %2$s
                    AND (w.resource = 'memory' OR coalesce(m."some", 0) < %2$s)
                    AND w.recorded_ns >= %3$d AND w.waited_ns >= %4$s * w.recorded_ns
                    AND p."some" * w.recorded_ns >= %5$s * w.waited_ns
                QUALIFY row_number() OVER (PARTITION BY w.capture_id, w.pid ORDER BY w.waited_ns DESC, w.tid) = 1
                ORDER BY w.waited_ns DESC, w.pid""".formatted(
                        this == MEMORY ? "memory" : "io",
                        Thresholds.PRESSURE_SHARE,
                        Thresholds.PRESSURE_READ_NS,
                        Thresholds.STALLED_SHARE,
                        Thresholds.STALLED_PART))) {
            WeightedFinding finding = finding(row).ofProcess(row);
            found.add(
                    this == MEMORY
                            ? finding.explaining(
                                    LostTime.RULES, "missing memory", "the process waited for memory meanwhile")
                            : finding.explaining(
                                    Set.of(SyncFsRule.NAME), "busy disks", "the process waited for disks meanwhile"));
        }
        return found;
    }

    private WeightedFinding finding(ResultRow row) {
        String title = "The process waited for " + resource + ": one of its threads (" + row.text("thread") + ") for "
                + Amounts.share(row.number("waited_ns"), row.number("recorded_ns")) + " of the "
                + Amounts.ofNs(row.number("recorded_ns")) + " of the recording.";
        String text = Amounts.count(row.count("waits"), "wait") + " in the kernel that no signal ends took "
                + Amounts.ofNs(row.number("waited_ns")) + ", the longest " + Amounts.ofNs(row.number("longest_ns"))
                + ". " + PressureSentence.sentence(row, "for " + resource);
        return WeightedFinding.of(
                ruleName,
                row.number("waited_ns") >= Thresholds.STALLED_SHARE_HIGH * row.number("recorded_ns"),
                row.number("waited_ns") / 1e6,
                title,
                text,
                List.of(EvidenceLinks.WAITING, EvidenceLinks.PROCESS));
    }
}
