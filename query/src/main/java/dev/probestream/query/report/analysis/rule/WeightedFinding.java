package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.Comparator;
import java.util.List;

/**
 * A finding and its weight among the findings of the same severity.
 *
 * @param weight time that was lost by it
 * @param captureId of the process
 * @param pid of the process; {@link #NO_PROCESS} = it is of no single one
 * @param isOwnCause whether it holds even if another finding explains what takes long in its process
 */
public record WeightedFinding(Finding finding, double weight, long captureId, long pid, boolean isOwnCause) {
    public static final long NO_PROCESS = -1;

    public static final Comparator<WeightedFinding> WORST_FIRST = Comparator.comparing(
                    (WeightedFinding weighted) -> weighted.finding().severity())
            .thenComparing(Comparator.comparingDouble(WeightedFinding::weight).reversed());

    /** Of no single process. */
    public WeightedFinding(Finding finding, double weight) {
        this(finding, weight, NO_PROCESS, NO_PROCESS, false);
    }

    /** Of high severity, or of medium. */
    public static WeightedFinding of(
            String rule, boolean isHigh, double weight, String title, String text, List<Evidence> evidence) {
        return new WeightedFinding(
                new Finding(rule, isHigh ? Severity.HIGH : Severity.MEDIUM, title, text, evidence), weight);
    }

    /** The same, of the process that {@code row} has in {@code capture_id} and {@code pid}. */
    public WeightedFinding ofProcess(ResultRow row) {
        return new WeightedFinding(finding, weight, row.count("capture_id"), row.count("pid"), isOwnCause);
    }

    /** The same, with what to do about it. */
    public WeightedFinding withRemedy(String remedy) {
        Finding remedied = new Finding(
                finding.rule(),
                finding.severity(),
                finding.title(),
                finding.text(),
                finding.evidence(),
                remedy,
                finding.isConsequence());
        return new WeightedFinding(remedied, weight, captureId, pid, isOwnCause);
    }

    /** The same; no other finding explains it. */
    WeightedFinding asOwnCause() {
        return new WeightedFinding(finding, weight, captureId, pid, true);
    }

    /** Whether both are about the same single process. */
    boolean isOfProcessOf(WeightedFinding other) {
        return pid != NO_PROCESS && captureId == other.captureId && pid == other.pid;
    }

    /** The same, as the consequence of another finding. */
    public WeightedFinding asConsequence() {
        return consequence(finding.severity(), "", weight);
    }

    /** The same as what follows from another finding, in the words of {@code mark}: of medium severity at most, and the last of it. */
    WeightedFinding asConsequence(String mark) {
        Severity severity = finding.severity() == Severity.HIGH ? Severity.MEDIUM : finding.severity();
        return consequence(severity, mark, -1 / (1 + Math.max(weight, 0)));
    }

    private WeightedFinding consequence(Severity severity, String mark, double newWeight) {
        Finding consequence = new Finding(
                finding.rule(),
                severity,
                finding.title(),
                finding.text() + mark,
                finding.evidence(),
                finding.remedy(),
                true);
        return new WeightedFinding(consequence, newWeight, captureId, pid, isOwnCause);
    }
}
