package dev.probestream.query.report.analysis.rule;

import java.util.List;
import java.util.Set;

/** Findings that another finding of the same process explains. */
public final class Consequences {
    /** Rules about what takes long in a process: everything does in one that cannot run for much of the time. */
    static final Set<String> OF_LOST_TIME = Set.of(
            LoopBlockedRule.NAME,
            CpuBurntRule.NAME,
            CpuStarvedRule.NAME,
            GcStormRule.NAME,
            FloodRule.MICROTASKS.ruleName,
            FloodRule.NEXT_TICKS.ruleName,
            PoolStarvedRule.NAME,
            SyncFsRule.NAME);

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
