package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import java.util.Comparator;
import java.util.List;

/**
 * A finding and how much it weighs among those that are as serious.
 *
 * @param impactMs time that was lost by it
 */
public record WeightedFinding(Finding finding, double impactMs) {
    public static final Comparator<WeightedFinding> WORST_FIRST = Comparator.comparing(
                    (WeightedFinding weighed) -> weighed.finding().severity())
            .thenComparing(Comparator.comparingDouble(WeightedFinding::impactMs).reversed());

    static WeightedFinding of(
            String rule, boolean isHigh, double impactMs, String title, String text, List<Evidence> evidence) {
        return new WeightedFinding(
                new Finding(rule, isHigh ? Severity.HIGH : Severity.MEDIUM, title, text, evidence), impactMs);
    }
}
