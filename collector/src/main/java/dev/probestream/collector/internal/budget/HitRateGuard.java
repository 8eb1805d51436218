package dev.probestream.collector.internal.budget;

import dev.probestream.collector.cost.CostReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds probes that endanger the targets: those that alone take more than a part of a CPU, or trap too often. */
public final class HitRateGuard {
    /** Hits per second of a probe whose hits are traps. */
    public static final double MAX_TRAPS_PER_SECOND = 100_000;

    /** Of one CPU. */
    public static final double MAX_CPUS = 0.2;

    /** What a hit costs at least that comes by a trap, and not by a tracepoint. */
    private static final double TRAP_NS = 300;

    private static final double NS = 1e9;

    private HitRateGuard() {}

    /**
     * A probe to be taken away.
     *
     * @param reason in words for the user
     */
    public record Finding(CostReading.OfProbe probe, String reason) {}

    /** The probes that passed a limit in an interval. */
    public static List<Finding> find(CostReading interval) {
        double seconds = interval.durationNs() / NS;
        List<Finding> found = new ArrayList<>();
        for (CostReading.OfProbe probe : interval.probes()) {
            double hitsPerSecond = probe.hits() / seconds;
            double cpus = probe.ns() / NS / seconds;
            boolean isTrap = probe.trapNs() >= TRAP_NS * probe.hits();
            if (cpus > MAX_CPUS || (isTrap && hitsPerSecond > MAX_TRAPS_PER_SECOND)) {
                found.add(new Finding(probe, reason(hitsPerSecond, cpus)));
            }
        }
        return found;
    }

    private static String reason(double hitsPerSecond, double cpus) {
        return String.format(Locale.ROOT, "%,.0f hits/s cost the target %.0f %% of a CPU", hitsPerSecond, 100 * cpus);
    }
}
