package dev.probestream.query.report.analysis.rule;

import java.util.List;

/** Findings that another finding of the same process explains. */
public final class Consequences {
    private Consequences() {}

    /** They are marked, never of high severity, and behind those that nothing explains. */
    public static List<WeightedFinding> marked(List<WeightedFinding> found) {
        return found.stream()
                .map(each -> found.stream()
                        .filter(other -> other.explains(each))
                        .findFirst()
                        .map(other -> each.asConsequence(other.explanation()))
                        .orElse(each))
                .toList();
    }
}
