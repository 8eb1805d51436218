package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import java.util.Comparator;
import java.util.List;

/**
 * A finding and its weight among the findings of the same severity.
 *
 * @param weight time that was lost by it
 */
public record WeightedFinding(Finding finding, double weight) {
    public static final Comparator<WeightedFinding> WORST_FIRST = Comparator.comparing(
                    (WeightedFinding weighted) -> weighted.finding().severity())
            .thenComparing(Comparator.comparingDouble(WeightedFinding::weight).reversed());

    /** Of high severity, or of medium. */
    public static WeightedFinding of(
            String rule, boolean isHigh, double weight, String title, String text, List<Evidence> evidence) {
        return new WeightedFinding(
                new Finding(rule, isHigh ? Severity.HIGH : Severity.MEDIUM, title, text, evidence), weight);
    }
}
