package dev.probestream.cli.hist;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.StackFunction;
import dev.probestream.query.report.analysis.fact.FlameTree;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rows of a table as stacks with a weight, the outermost function first: keys that are no stacks, then the stack in user
 * space, then that in the kernel. The weight is the number of hits, or the sum of the values.
 */
final class FoldedStacks {
    private FoldedStacks() {}

    /**
     * A level of a stack.
     *
     * @param text as in folded text
     * @param function as in a flame graph; a key that is no stack is a lane
     */
    record Level(String text, FlameTree.Function function) {}

    /** Whether the rows of a spec are stacks with weights that add up. */
    static boolean isFoldable(HistogramSpec spec) {
        return spec.keys().stream().anyMatch(spec::isStack)
                && isAdded(spec.bucketing().form());
    }

    /** Whether the weight is the sum of values, and not the number of hits. */
    static boolean isOfSum(HistogramSpec spec) {
        return spec.bucketing().form().isOfSums();
    }

    private static boolean isAdded(Bucketing.Form form) {
        return switch (form) {
            case COUNT, LOG2, LINEAR, SUM, STATS -> true;
            case AVG, MIN, MAX -> false;
        };
    }

    /** The stacks and their weights, the greatest first. */
    static Map<List<Level>, BigInteger> of(HistogramTable table) {
        Map<List<Level>, BigInteger> weights = new LinkedHashMap<>();
        for (HistogramTable.Row row : table.rows()) {
            BigInteger weight = isOfSum(table.spec()) ? row.sums().sum() : BigInteger.valueOf(row.total());
            weights.merge(levels(table.spec(), row.key()), weight, BigInteger::add);
        }
        return weights;
    }

    /** Brendan Gregg's format: a line for each stack, its functions joined by semicolons, a blank and the weight. */
    static List<String> lines(HistogramTable table) {
        Map<String, BigInteger> weights = new LinkedHashMap<>();
        of(table)
                .forEach((levels, weight) -> weights.merge(
                        String.join(";", levels.stream().map(Level::text).toList()), weight, BigInteger::add));
        return weights.entrySet().stream()
                .map(stack -> stack.getKey() + " " + stack.getValue())
                .toList();
    }

    private static List<Level> levels(HistogramSpec spec, List<KeyValue> key) {
        List<Level> lanes = new ArrayList<>();
        List<Level> user = new ArrayList<>();
        List<Level> kernel = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            String name = spec.keys().get(i);
            if (!spec.isStack(name)) {
                String text = ValueText.of(key.get(i));
                lanes.add(new Level(folded(text), FlameTree.Function.lane(text)));
            } else {
                List<Level> levels = new ArrayList<>(
                        key.get(i).stack().stream().map(FoldedStacks::level).toList());
                Collections.reverse(levels);
                (HistogramSpec.isKernelStack(name) ? kernel : user).addAll(levels);
            }
        }
        lanes.addAll(user);
        lanes.addAll(kernel);
        return lanes;
    }

    private static Level level(StackFunction function) {
        return new Level(
                folded(ValueText.escaped(function.text())),
                new FlameTree.Function(
                        ValueText.escaped(function.name()),
                        function.kind().name().toLowerCase(Locale.ROOT),
                        ValueText.escaped(function.file()),
                        function.line(),
                        function.column()));
    }

    /** A semicolon ends a level. */
    private static String folded(String text) {
        return text.replace(';', ':');
    }
}
