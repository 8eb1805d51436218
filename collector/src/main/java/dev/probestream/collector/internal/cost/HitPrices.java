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

    private final UprobeTraps traps = new UprobeTraps();

    void add(Timed timed, Iterable<Integer> probeIds) {
        traps.add(timed.planned);
        for (int probeId : probeIds) {
            programsByProbe
                    .computeIfAbsent(probeId, unused -> new ArrayList<>())
                    .add(timed);
        }
    }

    UprobeTraps traps() {
        return traps;
    }

    /** The time of the programs for one hit. */
    double programNs(int probeId, TrapPrices prices) {
        List<Timed> programs = programsByProbe.getOrDefault(probeId, List.of());
        return meanNs(ofEnd(programs, false), prices) + meanNs(ofEnd(programs, true), prices);
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
    private static double meanNs(List<Timed> programs, TrapPrices prices) {
        if (programs.isEmpty()) {
            return 0;
        }
        long runs = programs.stream().mapToLong(timed -> timed.times.ownRuns()).sum();
        double ns = programs.stream()
                .mapToDouble(timed -> timed.times.ownNs(prices) * timed.times.ownRuns())
                .sum();
        return runs == 0 ? USUAL_PROGRAM_NS : ns / runs;
    }

    private double meanTrapNs(int probeId, List<Timed> programs, TrapPrices prices) {
        return programs.stream()
                .mapToDouble(timed -> prices.of(timed.planned, probeId, traps))
                .average()
                .orElse(0);
    }
}
