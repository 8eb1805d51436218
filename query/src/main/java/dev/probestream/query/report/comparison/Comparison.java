package dev.probestream.query.report.comparison;

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
import org.jspecify.annotations.Nullable;

/**
 * Compares what two recordings measured.
 *
 * <p>A change counts if it is larger than the least relevant one beyond chance: the null hypothesis of each test is that the
 * measure changed by the least relevant factor at most. The false discovery rate over all pairs is {@link #FALSE_SHARE}
 * (Benjamini and Hochberg 1995). The same recordings give the same result.
 */
final class Comparison {
    /** Of all reported changes at most this share is none, on average; of two equal recordings, one in a hundred reports any. */
    static final double FALSE_SHARE = 0.01;

    private static final long SEED = 16;

    /** With fewer served requests nothing is compared per request. */
    private static final double LEAST_REQUESTS = 50;

    private static final double SHORTEST_SECONDS = 2;

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
            return new Changes(before, after, List.of(), List.of(), conditions, 0);
        }
        List<Tested> tested = new ArrayList<>();
        keys().forEach(key -> test(key).ifPresent(tested::add));
        List<Change> changes =
                significant(tested, Comparator.comparingDouble(Tested::machineChance), Tested::machineChance);
        List<Change> byMachine =
                new ArrayList<>(significant(tested, Comparator.comparingDouble(Tested::chance), Tested::chance));
        Set<MetricKey> ofProgram =
                new TreeSet<>(changes.stream().map(Change::key).toList());
        byMachine.removeIf(change -> ofProgram.contains(change.key()));
        return new Changes(before, after, changes, List.copyOf(byMachine), conditions, tested.size());
    }

    /** Those below the bound of Benjamini and Hochberg, by area and size. */
    private static List<Change> significant(
            List<Tested> tested, Comparator<Tested> order, ToDoubleFunction<Tested> chance) {
        List<Tested> ordered = tested.stream().sorted(order).toList();
        double[] adjusted = new double[ordered.size()];
        double least = 1;
        for (int i = adjusted.length - 1; i >= 0; i--) {
            least = Math.min(least, chance.applyAsDouble(ordered.get(i)) * adjusted.length / (i + 1));
            adjusted[i] = least;
        }
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < adjusted.length; i++) {
            if (adjusted[i] <= FALSE_SHARE) {
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
        changes.sort(Comparator.comparing((Change change) -> change.key().area())
                .thenComparing(Change::size, Comparator.reverseOrder())
                .thenComparing(Change::key));
        return List.copyOf(changes);
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
            case ERRORS, MEDIAN, P99 -> false;
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
        double least = key.measure().leastLogChange() * (key.measure().isTimed() ? machine.widening() : 1);
        double withMachine = least + (key.measure().isTimed() ? machine.logChange() : 0);
        boolean isRelevant = Math.abs(to - from) >= Math.max(first.leastDifference(), second.leastDifference());
        if (!isRelevant || Math.abs(logChange) <= least) {
            // It counts as a comparison, and is none that could be reported.
            return Optional.of(unchanged(key, first, second));
        }
        return Optional.of(test(key, first, second, least, withMachine));
    }

    private static Tested unchanged(MetricKey key, Metric first, Metric second) {
        return new Tested(new Change(key, first.plain(), second.plain(), 1, 1, 1), 1, 1);
    }

    private Tested test(MetricKey key, Metric first, Metric second, double least, double withMachine) {
        double logChange = Math.log(second.value() / first.value());
        double errorBefore = bootstrap.logError(first.statistic());
        double errorAfter = bootstrap.logError(second.statistic());
        if (Double.isNaN(errorBefore) || Double.isNaN(errorAfter)) {
            return unchanged(key, first, second);
        }
        double variance = errorBefore * errorBefore + errorAfter * errorAfter;
        double error = Math.sqrt(variance);
        // Welch and Satterthwaite's.
        double freedom = variance
                * variance
                / (Math.pow(errorBefore, 4) / BlockBootstrap.freedom(first.statistic())
                        + Math.pow(errorAfter, 4) / BlockBootstrap.freedom(second.statistic()));
        double width = StudentT.exceededBy(0.025, freedom) * error;
        Change change = new Change(
                key, first.plain(), second.plain(), Math.exp(logChange - width), Math.exp(logChange + width), 1);
        double size = Math.abs(logChange);
        return new Tested(
                change,
                StudentT.above((size - least) / error, freedom) + StudentT.above((size + least) / error, freedom),
                StudentT.above((size - withMachine) / error, freedom)
                        + StudentT.above((size + withMachine) / error, freedom));
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
            case ERRORS, MEDIAN, P99 -> new double[0];
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
