package dev.probestream.bench.causes;

import dev.probestream.bench.report.ReportedFinding;
import java.util.List;
import java.util.Set;

/**
 * An application with one thing wrong.
 *
 * @param app its script in {@code planted/apps} of the tests of cli
 * @param rules of findings that name what is wrong
 */
record Cause(String app, Set<String> rules) {
    private static final String HIGH = "HIGH";

    static List<Cause> all() {
        return List.of(
                new Cause("agent-exhausted", Set.of("connections-exhausted")),
                new Cause("blocked-loop", Set.of("loop-blocked")),
                new Cause("busy-workers", Set.of("workers-busy")),
                new Cause("calls-home", Set.of("calls-home")),
                new Cause("contended-row", Set.of("lock-waits")),
                new Cause("crash", Set.of("crash")),
                new Cause("failing-lookups", Set.of("lookups-failing")),
                new Cause("gc-storm", Set.of("gc-storm")),
                new Cause("late-tail", Set.of("peer-tail")),
                new Cause("leaking-connections", Set.of("connections-leaked")),
                new Cause("limited-calls", Set.of("calls-limited")),
                // Under a high load several requests are served in one turn.
                new Cause("long-turns", Set.of("turns-long", "loop-blocked")),
                new Cause("many-calls", Set.of("calls-repeated")),
                new Cause("n-plus-one", Set.of("statements-repeated")),
                new Cause("one-at-a-time", Set.of("requests-serialized")),
                new Cause("refused-for-now", Set.of("retries")),
                new Cause("refused-backend", Set.of("connection-errors")),
                new Cause("repeated-lookups", Set.of("lookups-repeated")),
                new Cause("resetting-backend", Set.of("connection-errors")),
                new Cause("retries", Set.of("retries")),
                new Cause("sleeping", Set.of("timer-waits")),
                new Cause("slow-dns", Set.of("slow-dns")),
                new Cause("slow-lookup", Set.of("slow-dns")),
                new Cause("slow-statement", Set.of("slow-statement")),
                new Cause("starved-pool", Set.of("pool-starved")),
                new Cause("stuck-pool", Set.of("pool-stuck")),
                // Its calls make turns long, which are then named "by the file system".
                new Cause("sync-fs", Set.of("sync-fs", "loop-blocked")));
    }

    /** How a report names a cause. What the machine has too little of is true and does not count. */
    enum Verdict {
        FIRST,
        LATER,
        MISSED
    }

    /** @param findings of the report, the most severe first */
    Verdict verdict(List<ReportedFinding> findings) {
        List<String> named = findings.stream()
                .filter(each -> !each.isOfTheMachine())
                .map(ReportedFinding::rule)
                .toList();
        if (named.stream().noneMatch(rules::contains)) {
            return Verdict.MISSED;
        }
        return rules.contains(named.get(0)) ? Verdict.FIRST : Verdict.LATER;
    }

    /** Findings of high severity that are neither this cause nor about the machine nor marked as a consequence. */
    List<ReportedFinding> wrong(List<ReportedFinding> findings) {
        return findings.stream()
                .filter(each -> each.severity().equals(HIGH) && !each.isConsequence())
                .filter(each -> !each.isOfTheMachine() && !rules.contains(each.rule()))
                .toList();
    }
}
