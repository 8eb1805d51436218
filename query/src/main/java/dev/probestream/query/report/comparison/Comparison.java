package dev.probestream.query.report.comparison;

import dev.probestream.query.report.comparison.Changes.Sensitivity;
import dev.probestream.query.report.comparison.Measured.Metric;
import dev.probestream.query.report.comparison.Measured.MetricKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares what two recordings measured.
 *
 * <p>A change counts if it is larger than the least relevant one beyond chance: the null hypothesis of each test is that the
 * measure changed by the least relevant factor at most. Durations and CPU times of routes are the first question, so they are
 * tested with more power and apart from the rest: a change counts if what was measured is relevant, and the null hypothesis is
 * that it changed by half of that, as two recordings of an unchanged program do. Both groups have half of
 * {@link #FALSE_SHARE} as the bound of their false discovery rate (Benjamini and Hochberg 1995), so the many other measures do
 * not hide a route. The same recordings give the same result.
 */
final class Comparison {
    /** Of all reported changes at most this share is none, on average; of two equal recordings, one in a hundred reports any. */
    static final double FALSE_SHARE = 0.01;

    private static final long SEED = 16;

    /** With fewer served requests nothing is compared per request. */
    private static final double LEAST_REQUESTS = 50;

    private static final double SHORTEST_SECONDS = 2;

    /** For so many routes the smallest change that would have been seen is computed, of the most frequent ones. */
    private static final int MOST_SENSITIVITIES = 20;

    /** A change of the smallest size is missed in this share of the cases. */
    private static final double MISSED_SHARE = 0.05;

    private final Measured before;
    private final Measured after;
    private final MachineDifference machine;
    private final BlockBootstrap bootstrap = new BlockBootstrap(SEED);

    private Comparison(Measured before, Measured after) {
        this.before = before;
        this.after = after;
        this.machine = MachineDifference.between(before.machine(), after.machine());
    }

    static Changes of(Measured before, Measured after) {
        return new Comparison(before, after).changes();
    }

    /**
     * A pair of measures, tested.
     *
     * @param chance how probable such a change is, if it was the least relevant one
     * @param machineChance the same, if the machine added its part
     */
    private record Tested(Change change, double chance, double machineChance) {}

    private Changes changes() {
        List<String> conditions = new ArrayList<>(machine.sentences());
        double shortest = Math.min(sum(before.seconds()), sum(after.seconds()));
        if (shortest < SHORTEST_SECONDS) {
            conditions.add("Too short to compare: less than 2 s were recorded before or after.");
            return new Changes(before, after, List.of(), List.of(), conditions, 0, List.of());
        }
        List<Tested> tested = new ArrayList<>();
        keys().forEach(key -> test(key).ifPresent(tested::add));
        List<Change> changes = significantOfBoth(tested, Tested::machineChance);
        List<Change> byMachine = new ArrayList<>(significantOfBoth(tested, Tested::chance));
        Set<MetricKey> ofProgram =
                new TreeSet<>(changes.stream().map(Change::key).toList());
        byMachine.removeIf(change -> ofProgram.contains(change.key()));
        return new Changes(
                before, after, changes, List.copyOf(byMachine), conditions, tested.size(), sensitivities(tested));
    }

    /** Those of routes, and the others, each with half of the share of false changes; by area and size. */
    private static List<Change> significantOfBoth(List<Tested> tested, ToDoubleFunction<Tested> chance) {
        Map<Boolean, List<Tested>> groups = tested.stream()
                .collect(Collectors.partitioningBy(
                        one -> Changes.isOfRoute(one.change().key())));
        List<Change> changes = new ArrayList<>();
        groups.values().forEach(group -> changes.addAll(significant(group, chance)));
        changes.sort(Comparator.comparing((Change change) -> change.key().area())
                .thenComparing(Change::size, Comparator.reverseOrder())
                .thenComparing(Change::key));
        return List.copyOf(changes);
    }

    /** Those below the bound of Benjamini and Hochberg. */
    private static List<Change> significant(List<Tested> tested, ToDoubleFunction<Tested> chance) {
        List<Tested> ordered =
                tested.stream().sorted(Comparator.comparingDouble(chance)).toList();
        double[] adjusted = new double[ordered.size()];
        double least = 1;
        for (int i = adjusted.length - 1; i >= 0; i--) {
            least = Math.min(least, chance.applyAsDouble(ordered.get(i)) * adjusted.length / (i + 1));
            adjusted[i] = least;
        }
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < adjusted.length; i++) {
            if (adjusted[i] <= FALSE_SHARE / 2) {
                Change change = ordered.get(i).change();
                changes.add(new Change(
                        change.key(),
                        change.before(),
                        change.after(),
                        change.leastFactor(),
                        change.mostFactor(),
                        adjusted[i]));
            }
        }
        return changes;
    }

    /** Of the most frequent routes, whether or not they changed. */
    private List<Sensitivity> sensitivities(List<Tested> tested) {
        List<MetricKey> keys = tested.stream()
                .map(one -> one.change().key())
                .filter(Changes::isOfRoute)
                .toList();
        Map<String, Long> frequency = new TreeMap<>();
        keys.forEach(key -> frequency.merge(key.subject(), observations(key), Long::max));
        Set<String> routes = frequency.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_SENSITIVITIES)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        double bound = FALSE_SHARE / 2 / Math.max(1, keys.size());
        List<Sensitivity> sensitivities = new ArrayList<>();
        for (MetricKey key : keys) {
            if (routes.contains(key.subject())) {
                sensitivity(key, bound).ifPresent(sensitivities::add);
            }
        }
        sensitivities.sort(Comparator.comparing(
                        (Sensitivity one) -> -frequency.getOrDefault(one.key().subject(), 0L))
                .thenComparing(Sensitivity::key));
        return List.copyOf(sensitivities);
    }

    private Optional<Sensitivity> sensitivity(MetricKey key, double bound) {
        Metric first = before.metrics().get(key);
        Metric second = after.metrics().get(key);
        if (first == null || second == null) {
            return Optional.empty();
        }
        LogError error = error(first, second);
        double seen = least(key) + machine(key);
        seen = Math.max(
                seen,
                usual(key)
                        + machine(key)
                        + error.standard()
                                * (StudentT.exceededBy(bound, error.freedom())
                                        + StudentT.exceededBy(MISSED_SHARE, error.freedom())));
        double difference = Math.max(first.leastDifference(), second.leastDifference());
        seen = Math.max(seen, Math.log1p(difference / first.value()));
        return Double.isNaN(seen)
                ? Optional.empty()
                : Optional.of(new Sensitivity(key, first.plain(), second.plain(), observations(key), Math.exp(seen)));
    }

    private long observations(MetricKey key) {
        Metric first = before.metrics().get(key);
        Metric second = after.metrics().get(key);
        return Math.min(
                first == null ? 0 : first.statistic().observations(),
                second == null ? 0 : second.statistic().observations());
    }

    /** The logarithm of the least factor that is listed. */
    private double least(MetricKey key) {
        return key.measure().leastLogChange() * widening(key);
    }

    /** The logarithm of the factor that the null hypothesis allows. */
    private double usual(MetricKey key) {
        return (Changes.isOfRoute(key)
                        ? key.measure().usualLogChange()
                        : key.measure().leastLogChange())
                * widening(key);
    }

    private double widening(MetricKey key) {
        return key.measure().isTimed() ? machine.widening() : 1;
    }

    private double machine(MetricKey key) {
        return key.measure().isTimed() ? machine.logChange() : 0;
    }

    /** What both recordings contain, without what would be the same twice. */
    private Set<MetricKey> keys() {
        Set<MetricKey> keys = new TreeSet<>(before.metrics().keySet());
        keys.addAll(after.metrics().keySet());
        boolean arePerRequest = sum(before.served()) >= LEAST_REQUESTS && sum(after.served()) >= LEAST_REQUESTS;
        keys.removeIf(key -> switch (key.measure()) {
            case CALLS, TIME_PER_REQUEST -> !arePerRequest || isUnordered(key);
            case TIME_PER_SECOND -> arePerRequest;
            case RATE -> key.area() != Area.REQUESTS && arePerRequest && !isUnordered(key);
            case ERRORS, MEDIAN, CPU_MEDIAN, P95, P99 -> false;
        });
        Map<String, Set<String>> statements = new TreeMap<>();
        List.of(before, after)
                .forEach(side -> side.statementsByOperation()
                        .forEach((operation, texts) -> statements
                                .computeIfAbsent(operation, one -> new TreeSet<>())
                                .addAll(texts)));
        Set<String> single = new TreeSet<>();
        statements.values().stream().filter(texts -> texts.size() == 1).forEach(single::addAll);
        keys.removeIf(key -> key.area() == Area.STATEMENTS && single.contains(key.subject()));
        return keys;
    }

    private static boolean isUnordered(MetricKey key) {
        return key.subject().endsWith("(no request)");
    }

    private Optional<Tested> test(MetricKey key) {
        Metric then = before.metrics().get(key);
        Metric now = after.metrics().get(key);
        Metric first = then == null ? none(before, key, now) : then;
        Metric second = now == null ? none(after, key, then) : now;
        if (first == null || second == null) {
            return Optional.empty();
        }
        boolean isRatio = first.statistic() instanceof BlockRatio;
        boolean isEnough = isRatio ? first.isEnough() || second.isEnough() : first.isEnough() && second.isEnough();
        double from = first.value();
        double to = second.value();
        if (!isEnough || !(from > 0) || !(to > 0)) {
            return Optional.empty();
        }
        double logChange = Math.log(to / from);
        boolean isRelevant = Math.abs(to - from) >= Math.max(first.leastDifference(), second.leastDifference());
        if (!isRelevant || Math.abs(logChange) <= least(key)) {
            // It counts as a comparison, and is none that could be reported.
            return Optional.of(unchanged(key, first, second));
        }
        return Optional.of(test(key, first, second));
    }

    private static Tested unchanged(MetricKey key, Metric first, Metric second) {
        return new Tested(new Change(key, first.plain(), second.plain(), 1, 1, 1), 1, 1);
    }

    private Tested test(MetricKey key, Metric first, Metric second) {
        LogError error = error(first, second);
        if (Double.isNaN(error.standard())) {
            return unchanged(key, first, second);
        }
        double logChange = Math.log(second.value() / first.value());
        double width = StudentT.exceededBy(0.025, error.freedom()) * error.standard();
        Change change = new Change(
                key, first.plain(), second.plain(), Math.exp(logChange - width), Math.exp(logChange + width), 1);
        double size = Math.abs(logChange);
        double chance = error.chanceOf(size, usual(key));
        // What the machine adds has to be exceeded by what is measured, too.
        boolean isMore = size > least(key) + machine(key);
        return new Tested(change, chance, isMore ? error.chanceOf(size, usual(key) + machine(key)) : 1);
    }

    /** The standard error of a logarithm's difference, with its degrees of freedom (Welch and Satterthwaite). */
    private record LogError(double standard, double freedom) {
        /** How probable a change of this size, up or down, is if the true one is {@code least}. */
        double chanceOf(double size, double least) {
            return StudentT.above((size - least) / standard, freedom)
                    + StudentT.above((size + least) / standard, freedom);
        }
    }

    private LogError error(Metric first, Metric second) {
        double before = bootstrap.logError(first.statistic());
        double after = bootstrap.logError(second.statistic());
        double variance = before * before + after * after;
        double freedom = variance
                * variance
                / (Math.pow(before, 4) / BlockBootstrap.freedom(first.statistic())
                        + Math.pow(after, 4) / BlockBootstrap.freedom(second.statistic()));
        return new LogError(Math.sqrt(variance), freedom);
    }

    /** A count of 0, if what is missing would have been seen. */
    private @Nullable Metric none(Measured side, MetricKey key, @Nullable Metric other) {
        boolean isSeen = before.machine().sets().equals(after.machine().sets())
                && !side.truncated().contains(key.area());
        if (!isSeen || other == null || !(other.statistic() instanceof BlockRatio ratio)) {
            return null;
        }
        double[] of = switch (key.measure()) {
            case RATE, TIME_PER_SECOND -> side.seconds();
            case CALLS, TIME_PER_REQUEST -> side.served();
            case ERRORS, MEDIAN, CPU_MEDIAN, P95, P99 -> new double[0];
        };
        return of.length == 0
                ? null
                : new Metric(
                        new BlockRatio(new double[of.length], of, 0, ratio.prior()),
                        other.factor(),
                        other.leastDifference(),
                        other.leastObservations());
    }

    private static double sum(double[] values) {
        return Arrays.stream(values).sum();
    }
}
