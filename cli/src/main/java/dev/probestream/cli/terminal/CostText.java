package dev.probestream.cli.terminal;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.collector.cost.CostReading;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats what probes cost their targets. */
public final class CostText {
    /** More would not be read; the rest is summed. */
    private static final int MAX_PROBES = 30;

    private static final int MAX_SETS = 6;

    private CostText() {}

    /** The cost in a line, by set; behind it, if asked for, a line for each of the most expensive probes. */
    public static List<String> lines(CostReading cost, boolean byProbe) {
        List<String> lines = new ArrayList<>();
        if (cost.probes().isEmpty()) {
            return lines;
        }
        lines.add("the probes cost " + percent(ofCpu(cost, cost.costNs())) + " of a CPU" + ofTarget(cost) + ": "
                + sets(cost));
        if (byProbe) {
            lines.addAll(probes(cost));
        }
        return lines;
    }

    /** The same as JSON: percentages. */
    public static ObjectNode json(CostReading cost) {
        ObjectNode json = new ObjectMapper().createObjectNode();
        json.put("cpuPercent", rounded(ofCpu(cost, cost.costNs())));
        if (cost.targetCpuNs() > 0) {
            json.put("targetPercent", rounded(share(cost.costNs(), cost.targetCpuNs())));
        }
        ObjectNode sets = json.putObject("sets");
        cost.nsByCategory().forEach((set, ns) -> sets.put(set, rounded(ofCpu(cost, ns))));
        return json;
    }

    private static String ofTarget(CostReading cost) {
        return cost.targetCpuNs() <= 0
                ? ""
                : ", " + percent(share(cost.costNs(), cost.targetCpuNs())) + " of the time that the processes ran";
    }

    private static String sets(CostReading cost) {
        List<Map.Entry<String, Long>> sets = List.copyOf(cost.nsByCategory().entrySet());
        String shown = sets.stream()
                .limit(MAX_SETS)
                .map(set -> set.getKey() + " " + number(ofCpu(cost, set.getValue())))
                .collect(Collectors.joining(", "));
        long rest = sets.stream().skip(MAX_SETS).mapToLong(Map.Entry::getValue).sum();
        return rest == 0 ? shown : shown + ", others " + number(ofCpu(cost, rest));
    }

    private static List<String> probes(CostReading cost) {
        List<CostReading.OfProbe> byCost = cost.probes().stream()
                .sorted(Comparator.comparingLong(CostReading.OfProbe::ns).reversed())
                .toList();
        List<String> lines = new ArrayList<>();
        byCost.stream()
                .limit(MAX_PROBES)
                .forEach(probe -> lines.add(String.format(
                        Locale.ROOT,
                        "  %5s %%  %-12s %s: %s of %s",
                        number(ofCpu(cost, probe.ns())),
                        probe.category(),
                        probe.name(),
                        Quantity.count(probe.hits(), "hit"),
                        Quantity.duration(probe.ns() / probe.hits()))));
        if (byCost.size() > MAX_PROBES) {
            List<CostReading.OfProbe> rest = byCost.subList(MAX_PROBES, byCost.size());
            lines.add(String.format(
                    Locale.ROOT,
                    "  %5s %%  %s more",
                    number(ofCpu(
                            cost,
                            rest.stream().mapToLong(CostReading.OfProbe::ns).sum())),
                    Quantity.count(rest.size(), "probe")));
        }
        return lines;
    }

    private static double ofCpu(CostReading cost, long ns) {
        return share(ns, Math.max(1, cost.durationNs()));
    }

    private static double share(long ns, long ofNs) {
        return 100.0 * ns / ofNs;
    }

    private static double rounded(double percent) {
        return Math.round(percent * 1000) / 1000.0;
    }

    private static String percent(double percent) {
        return number(percent) + " %";
    }

    /** One digit behind the point; two below 0.1. */
    private static String number(double percent) {
        if (percent > 0 && percent < 0.005) {
            return "<0.01";
        }
        return String.format(Locale.ROOT, percent >= 0.095 ? "%.1f" : "%.2f", percent);
    }
}
