package dev.probestream.collector.cost;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What the probes of a collection cost their targets between two moments: counted hits, and what a hit costs by
 * measurement.
 *
 * @param fromNs CLOCK_MONOTONIC
 * @param toNs CLOCK_MONOTONIC
 * @param targetCpuNs CPU time of the traced processes in between, with what the probes cost them; 0 = not known
 * @param probes those that were hit at least once, by ascending id
 */
public record CostReading(long fromNs, long toNs, long targetCpuNs, List<OfProbe> probes) {
    /** Nothing yet. */
    public static final CostReading NONE = new CostReading(0, 0, 0, List.of());

    /** Copies the list. */
    public CostReading {
        probes = List.copyOf(probes);
    }

    /**
     * What one probe costs.
     *
     * @param probeId as in the Probe record
     * @param name as in the Probe record
     * @param category the set of the probe, or {@code user}
     * @param hits by traced processes, those among them that a filter rejected or that were lost; of a span its beginnings
     * @param programNs time in our programs, of a span at both of its ends
     * @param trapNs time the kernel needs to come to the programs and back
     */
    public record OfProbe(int probeId, String name, String category, long hits, long programNs, long trapNs) {
        /** {@return the whole cost} */
        public long ns() {
            return programNs + trapNs;
        }

        /** The part of these hits at the price of all. */
        private OfProbe part(long someHits) {
            return new OfProbe(
                    probeId, name, category, someHits, scaled(programNs, someHits), scaled(trapNs, someHits));
        }

        private long scaled(long ns, long someHits) {
            return hits == 0 ? 0 : Math.round((double) ns * someHits / hits);
        }
    }

    /** {@return the cost of all probes} */
    public long costNs() {
        return probes.stream().mapToLong(OfProbe::ns).sum();
    }

    /** {@return the time between the two moments} */
    public long durationNs() {
        return toNs - fromNs;
    }

    /** {@return the cost by category, the highest cost first} */
    public Map<String, Long> nsByCategory() {
        return sums(OfProbe::category, OfProbe::ns);
    }

    /** {@return the hits by category, the most first} */
    public Map<String, Long> hitsByCategory() {
        return sums(OfProbe::category, OfProbe::hits);
    }

    /**
     * What was added since an earlier reading of the same collection, at the prices of this one.
     *
     * @param earlier one that began at the same moment
     * @return the difference
     */
    public CostReading since(CostReading earlier) {
        Map<Integer, Long> before = new HashMap<>();
        earlier.probes.forEach(probe -> before.put(probe.probeId(), probe.hits()));
        List<OfProbe> added = probes.stream()
                .map(probe -> probe.part(probe.hits() - before.getOrDefault(probe.probeId(), 0L)))
                .filter(probe -> probe.hits() > 0)
                .toList();
        return new CostReading(earlier.toNs, toNs, targetCpuNs - earlier.targetCpuNs, added);
    }

    private Map<String, Long> sums(Function<OfProbe, String> key, Function<OfProbe, Long> number) {
        Map<String, Long> sums = new TreeMap<>();
        probes.forEach(probe -> sums.merge(key.apply(probe), number.apply(probe), Long::sum));
        return sorted(sums);
    }

    private static Map<String, Long> sorted(Map<String, Long> sums) {
        Map<String, Long> sorted = new LinkedHashMap<>();
        sums.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        return sorted;
    }
}
