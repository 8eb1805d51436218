package dev.probestream.query.report.comparison;

import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.FlameTree;
import dev.probestream.query.report.analysis.fact.FlameTree.Function;
import dev.probestream.query.report.analysis.fact.FlameTree.Step;
import dev.probestream.query.report.comparison.RouteStacks.Weight;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The function that makes a route's requests need more CPU time: of the application's functions with at least half of what the
 * route gained, the one nearest to the leaf.
 *
 * @param function "checksum (lib/prices.js:6)", its line that of the recording after
 * @param beforeMs of CPU time per request, with what it calls
 * @param afterMs of CPU time per request
 * @param gained the stacks that gained time, as a flame graph
 */
record FunctionGrowth(String function, double beforeMs, double afterMs, ReportPart.Flame gained) {
    private static final double LEAST_SHARE = 0.5;

    /** So many standard errors of a difference of two counts. */
    private static final double LEAST_ERRORS = 4;

    /** Identifies a function in both recordings: lines above it may have been added or removed. */
    private record Key(String name, String file) {
        static Key of(Function function) {
            return new Key(function.name(), function.file());
        }

        boolean isOfApplication() {
            return !file.isEmpty() && !file.startsWith("node:") && !file.contains("/node_modules/");
        }
    }

    /** What a function has in one recording, with what it calls. */
    private static final class Total {
        private Weight weight = Weight.NONE;
        private double depths;
        private int line;
    }

    /** Empty if no function of the application gained half of it, beyond chance. */
    static Optional<FunctionGrowth> of(String route, RouteStacks before, RouteStacks after) {
        if (before.requests() == 0 || after.requests() == 0) {
            return Optional.empty();
        }
        double gainedMs = all(after).ms() / after.requests() - all(before).ms() / before.requests();
        Map<Key, Total> then = totals(before);
        Map<Key, Total> now = totals(after);
        return now.entrySet().stream()
                .filter(entry -> entry.getKey().isOfApplication())
                .filter(entry -> {
                    Weight old = then.getOrDefault(entry.getKey(), new Total()).weight;
                    Weight own = entry.getValue().weight;
                    double grown = own.ms() / after.requests() - old.ms() / before.requests();
                    return gainedMs > 0
                            && grown >= LEAST_SHARE * gainedMs
                            && isBeyondChance(old, before.requests(), own, after.requests());
                })
                .max(Comparator.comparingDouble((Map.Entry<Key, Total> entry) -> entry.getValue().depths
                                / entry.getValue().weight.samples())
                        .thenComparing(entry -> entry.getKey().name()))
                .map(entry -> new FunctionGrowth(
                        name(entry.getKey(), entry.getValue().line),
                        then.getOrDefault(entry.getKey(), new Total()).weight.ms() / before.requests(),
                        entry.getValue().weight.ms() / after.requests(),
                        gained(route, before, after)));
    }

    /** For example "checksum (lib/prices.js:6) takes 1.3 ms of CPU time per request, before 0.1 ms". */
    String words() {
        return function + " takes " + Amounts.ofMs(afterMs) + " of CPU time per request, before "
                + (beforeMs == 0 ? "none" : Amounts.ofMs(beforeMs));
    }

    /** Of counts (Poisson). */
    private static boolean isBeyondChance(Weight old, long oldRequests, Weight own, long ownRequests) {
        double difference = own.samples() / (double) ownRequests - old.samples() / (double) oldRequests;
        double variance = own.samples() / ((double) ownRequests * ownRequests)
                + (old.samples() + 1) / ((double) oldRequests * oldRequests);
        return difference >= LEAST_ERRORS * Math.sqrt(variance);
    }

    private static Weight all(RouteStacks route) {
        return route.stacks().values().stream().reduce(Weight.NONE, Weight::plus);
    }

    private static Map<Key, Total> totals(RouteStacks route) {
        Map<Key, Total> totals = new LinkedHashMap<>();
        route.stacks().forEach((stack, weight) -> {
            Set<Key> seen = new HashSet<>();
            for (int depth = stack.size() - 1; depth >= 0; depth--) {
                Function function = stack.get(depth);
                if (seen.add(Key.of(function))) {
                    Total total = totals.computeIfAbsent(Key.of(function), key -> new Total());
                    total.weight = total.weight.plus(weight);
                    total.depths += (double) depth * weight.samples();
                    total.line = function.line();
                }
            }
        });
        return totals;
    }

    private static String name(Key key, int line) {
        String[] path = key.file().replace("file://", "").split("/");
        String file = path.length < 2 ? key.file() : path[path.length - 2] + "/" + path[path.length - 1];
        return key.name() + " (" + file + (line > 0 ? ":" + line : "") + ")";
    }

    /** What each stack takes more per request, in milliseconds; what it takes less is left out. */
    private static ReportPart.Flame gained(String route, RouteStacks before, RouteStacks after) {
        Map<List<Key>, Double> old = new LinkedHashMap<>();
        before.stacks()
                .forEach((stack, weight) -> old.merge(keys(stack), weight.ms() / before.requests(), Double::sum));
        Map<List<Key>, Double> own = new LinkedHashMap<>();
        Map<List<Key>, List<Step>> steps = new LinkedHashMap<>();
        after.stacks().forEach((stack, weight) -> {
            own.merge(keys(stack), weight.ms() / after.requests(), Double::sum);
            steps.putIfAbsent(
                    keys(stack),
                    stack.stream().map(function -> new Step(function, "")).toList());
        });
        FlameTree tree = new FlameTree();
        own.forEach((keys, ms) -> {
            double more = ms - old.getOrDefault(keys, 0.0);
            if (more > 0) {
                tree.add(steps.getOrDefault(keys, List.of()), more);
            }
        });
        return new ReportPart.Flame("CPU time per request that " + route + " gained", "ms", tree.root());
    }

    private static List<Key> keys(List<Function> stack) {
        List<Key> keys = new ArrayList<>();
        stack.forEach(function -> keys.add(Key.of(function)));
        return keys;
    }
}
