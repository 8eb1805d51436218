package dev.probestream.query.report.analysis;

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
record Weighed(Finding finding, double impactMs) {
    static final Comparator<Weighed> WORST_FIRST = Comparator.comparing(
                    (Weighed weighed) -> weighed.finding().severity())
            .thenComparing(Comparator.comparingDouble(Weighed::impactMs).reversed());

    static Weighed of(
            String rule, boolean isHigh, double impactMs, String title, String text, List<Evidence> evidence) {
        return new Weighed(
                new Finding(rule, isHigh ? Severity.HIGH : Severity.MEDIUM, title, text, evidence), impactMs);
    }
}
