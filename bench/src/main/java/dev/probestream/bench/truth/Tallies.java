package dev.probestream.bench.truth;

import dev.probestream.bench.measure.Grid;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Counts comparisons by a label. */
final class Tallies {
    private final Map<String, Map<Verdict, Integer>> byLabel = new TreeMap<>();

    /** @param label of a comparison: texts of columns, separated by tabulators */
    static Tallies of(List<ComparedOrder> comparisons, Function<ComparedOrder, String> label) {
        Tallies tallies = new Tallies();
        for (ComparedOrder each : comparisons) {
            tallies.byLabel
                    .computeIfAbsent(label.apply(each), key -> new EnumMap<>(Verdict.class))
                    .merge(each.verdict(), 1, Integer::sum);
        }
        return tallies;
    }

    static int count(List<ComparedOrder> comparisons, Verdict verdict) {
        return (int)
                comparisons.stream().filter(each -> each.verdict() == verdict).count();
    }

    /** Adds a row for each label. */
    void fill(Grid grid) {
        byLabel.forEach((label, counts) -> {
            List<String> row = new ArrayList<>(List.of(label.split("\t", -1)));
            int sum = 0;
            for (Verdict verdict : Verdict.values()) {
                int count = counts.getOrDefault(verdict, 0);
                row.add(String.format(Locale.ROOT, "%,d", count));
                sum += count;
            }
            row.add(String.format(Locale.ROOT, "%.1f %%", 100.0 * counts.getOrDefault(Verdict.RIGHT, 0) / sum));
            grid.add(row);
        });
    }
}
