package dev.probestream.collector.internal.budget;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds for each category the part of the time in which it is watched, so that all of them together cost the targets a given
 * share of their own CPU time, or a given part of a CPU if that is more. The categories give way in a fixed order, each down to {@link #LEAST_PART} before the next
 * one does; when that is not enough, all of them are reduced alike.
 *
 * <p>What a category costs while it is watched is remembered in relation to the targets' own CPU time, so that a change of
 * the load changes no part. What was spent too much or too little is made up for within some seconds.
 */
public final class BudgetController {
    /** The part of the time that a category keeps while a later one in the order is watched in full. */
    public static final double LEAST_PART = 0.05;

    /** A part above saves nothing: detaching and attaching take time. */
    static final double MOST_PART = 0.85;

    /** How much of what was seen before an interval counts after it. */
    private static final double MEMORY = 0.8;

    /** Within so many seconds what was spent too much is saved. */
    private static final double REPAY_SECONDS = 5;

    private static final double MAX_DEBT_SECONDS = 30;

    /** Of the CPU time of targets, the part that is their own at least. */
    private static final double LEAST_OWN_PART = 0.02;

    private static final double NS = 1e9;

    private final double share;
    private final double freeCpus;
    private final List<String> order;
    private final Map<String, Seen> seen = new HashMap<>();
    private double ownCpus;
    /** In seconds of CPU time: spent more than allowed. */
    private double debt;

    /** What a category cost, and the targets' own CPU time while it was watched. */
    private static final class Seen {
        double cost;
        double own;

        double ratio() {
            return own > 0 ? cost / own : 0;
        }
    }

    /**
     * What happened in an interval.
     *
     * @param durationNs its length
     * @param ownCpuNs CPU time that the targets took for themselves
     * @param costNs by category
     * @param watchedNs by category: for how long it was watched
     */
    public record Interval(long durationNs, long ownCpuNs, Map<String, Long> costNs, Map<String, Long> watchedNs) {}

    /**
     * @param share of the targets' own CPU time
     * @param freeCpus what the categories may always cost together, in CPUs, so that an idle target is watched in full
     * @param order of all categories, the one that gives way first at the beginning
     */
    public BudgetController(double share, double freeCpus, List<String> order) {
        this.share = share;
        this.freeCpus = freeCpus;
        this.order = List.copyOf(order);
        order.forEach(category -> seen.put(category, new Seen()));
    }

    /**
     * The CPU time that targets took for themselves. It is never taken for nothing: the cost is an estimate, which may be as much as all that
     * they took.
     *
     * @param targetCpuNs CPU time of the targets, with the cost
     */
    public static long ownCpuNs(long targetCpuNs, long costNs) {
        return Math.max(targetCpuNs - costNs, Math.round(LEAST_OWN_PART * targetCpuNs));
    }

    /** The part of the time by category, from 0 to 1, in the order, after an interval. */
    public Map<String, Double> next(Interval interval) {
        double seconds = interval.durationNs() / NS;
        double cost = interval.costNs().values().stream().mapToLong(ns -> ns).sum() / NS;
        double own = interval.ownCpuNs() / NS;
        for (String category : order) {
            Seen one = known(category);
            double watched =
                    Math.min(1, interval.watchedNs().getOrDefault(category, 0L) / (double) interval.durationNs());
            if (watched > 0) {
                one.cost = MEMORY * one.cost + interval.costNs().getOrDefault(category, 0L) / NS;
                one.own = MEMORY * one.own + own * watched;
            }
        }
        ownCpus = ownCpus == 0 ? own / seconds : MEMORY * ownCpus + (1 - MEMORY) * own / seconds;
        double allowed = Math.max(share * ownCpus, freeCpus);
        double allowedNow = Math.max(share * own, freeCpus * seconds);
        debt = clamp(debt + cost - allowedNow, -MAX_DEBT_SECONDS * allowed, MAX_DEBT_SECONDS * allowed);
        double most = ownCpus == 0 ? share : allowed / ownCpus;
        double wanted = ownCpus == 0 ? share : most - debt / REPAY_SECONDS / ownCpus;
        return parts(clamp(wanted, most / 4, 1.25 * most));
    }

    private Map<String, Double> parts(double wantedShare) {
        Map<String, Double> parts = new LinkedHashMap<>();
        double full =
                order.stream().mapToDouble(category -> known(category).ratio()).sum();
        double excess = full * ownCpus <= freeCpus ? 0 : full - wantedShare;
        for (String category : order) {
            double ratio = known(category).ratio();
            double part = 1;
            if (excess > 0 && ratio > 0) {
                part = clamp(1 - excess / ratio, LEAST_PART, MOST_PART);
                excess -= (1 - part) * ratio;
            }
            parts.put(category, part);
        }
        double least = full - sumOfReductions(parts);
        if (excess > 0 && least > 0) {
            double factor = wantedShare / least;
            parts.replaceAll((category, part) -> known(category).ratio() > 0 ? part * Math.min(1, factor) : part);
        }
        return parts;
    }

    private double sumOfReductions(Map<String, Double> parts) {
        return parts.entrySet().stream()
                .mapToDouble(
                        part -> (1 - part.getValue()) * known(part.getKey()).ratio())
                .sum();
    }

    private Seen known(String category) {
        return seen.computeIfAbsent(category, unused -> new Seen());
    }

    private static double clamp(double value, double least, double most) {
        return Math.max(least, Math.min(most, value));
    }
}
