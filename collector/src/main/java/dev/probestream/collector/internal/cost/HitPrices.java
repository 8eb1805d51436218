package dev.probestream.collector.internal.cost;

import dev.probestream.collector.internal.cost.ProgramTimes.Timed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The price of a hit of each probe: the mean time of its programs and the traps to them. A call that is entered returns: the
 * hits of a span are its beginnings, and each has the price of both ends.
 */
final class HitPrices {
    /** Until a program was measured. */
    private static final double USUAL_PROGRAM_NS = 200;

    private final Map<Integer, List<Timed>> programsByProbe = new HashMap<>();

    private final SharedTraps shares = new SharedTraps();

    void add(Timed timed, Iterable<Integer> probeIds) {
        shares.add(timed.planned);
        for (int probeId : probeIds) {
            programsByProbe
                    .computeIfAbsent(probeId, unused -> new ArrayList<>())
                    .add(timed);
        }
    }

    /** The time of the programs for one hit. */
    double programNs(int probeId) {
        List<Timed> programs = programsByProbe.getOrDefault(probeId, List.of());
        return meanNs(programs, false) + meanNs(programs, true);
    }

    /** The time of the traps for one hit. */
    double trapNs(int probeId, TrapPrices prices) {
        List<Timed> programs = programsByProbe.getOrDefault(probeId, List.of());
        return meanTrapNs(probeId, ofEnd(programs, false), prices) + meanTrapNs(probeId, ofEnd(programs, true), prices);
    }

    private static List<Timed> ofEnd(List<Timed> programs, boolean isSpanReturn) {
        return programs.stream()
                .filter(timed -> timed.planned.isSpanReturn() == isSpanReturn)
                .toList();
    }

    /** Of those that are at one end of the probe: a hit comes to one of them. */
    private static double meanNs(List<Timed> programs, boolean isSpanReturn) {
        List<Timed> these = ofEnd(programs, isSpanReturn);
        long runs = these.stream().mapToLong(Timed::ownRuns).sum();
        double ns = these.stream().mapToDouble(Timed::ownNs).sum();
        if (these.isEmpty()) {
            return 0;
        }
        return runs == 0 ? USUAL_PROGRAM_NS : ns / runs;
    }

    private double meanTrapNs(int probeId, List<Timed> programs, TrapPrices prices) {
        return programs.stream()
                .mapToDouble(timed -> prices.of(timed.planned, probeId, shares))
                .average()
                .orElse(0);
    }
}
