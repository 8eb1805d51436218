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
 * @param process the process that it is about, for findings that another one of the same process can explain; "" = not known
 */
public record WeightedFinding(Finding finding, double weight, String process) {
    public static final Comparator<WeightedFinding> WORST_FIRST = Comparator.comparing(
                    (WeightedFinding weighted) -> weighted.finding().severity())
            .thenComparing(Comparator.comparingDouble(WeightedFinding::weight).reversed());

    public WeightedFinding(Finding finding, double weight) {
        this(finding, weight, "");
    }

    /** Of high severity, or of medium. */
    public static WeightedFinding of(
            String rule, boolean isHigh, double weight, String title, String text, List<Evidence> evidence) {
        return new WeightedFinding(
                new Finding(rule, isHigh ? Severity.HIGH : Severity.MEDIUM, title, text, evidence), weight);
    }

    /** The same about the process of a row, which has {@code capture_id} and {@code pid}. */
    WeightedFinding ofProcess(ResultRow row) {
        return new WeightedFinding(finding, weight, row.count("capture_id") + "/" + row.count("pid"));
    }

    /** The same, as the consequence of another finding. */
    public WeightedFinding asConsequence() {
        return new WeightedFinding(
                new Finding(
                        finding.rule(),
                        finding.severity(),
                        finding.title(),
                        finding.text(),
                        finding.evidence(),
                        finding.remedy(),
                        true),
                weight,
                process);
    }

    /** The same as what follows from another finding, in the words of {@code mark}: of medium severity at most, and the last of it. */
    WeightedFinding asConsequence(String mark) {
        return new WeightedFinding(
                new Finding(
                        finding.rule(),
                        finding.severity() == Severity.HIGH ? Severity.MEDIUM : finding.severity(),
                        finding.title(),
                        finding.text() + mark,
                        finding.evidence(),
                        finding.remedy(),
                        true),
                -1 / (1 + Math.max(weight, 0)),
                process);
    }
}
