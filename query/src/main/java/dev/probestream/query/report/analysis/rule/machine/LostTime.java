package dev.probestream.query.report.analysis.rule.machine;

import dev.probestream.query.report.analysis.rule.CpuBurntRule;
import dev.probestream.query.report.analysis.rule.FloodRule;
import dev.probestream.query.report.analysis.rule.GcStormRule;
import dev.probestream.query.report.analysis.rule.LoopBlockedRule;
import dev.probestream.query.report.analysis.rule.PoolStarvedRule;
import dev.probestream.query.report.analysis.rule.SyncFsRule;
import dev.probestream.query.report.analysis.rule.TurnsLongRule;
import java.util.Set;

/** Rules about what takes long in a process: everything does in one that cannot run for much of the time. */
final class LostTime {
    static final Set<String> RULES = Set.of(
            LoopBlockedRule.NAME,
            CpuBurntRule.NAME,
            CpuStarvedRule.NAME,
            GcStormRule.NAME,
            FloodRule.MICROTASKS.ruleName,
            FloodRule.NEXT_TICKS.ruleName,
            PoolStarvedRule.NAME,
            SyncFsRule.NAME,
            TurnsLongRule.NAME);

    private LostTime() {}
}
