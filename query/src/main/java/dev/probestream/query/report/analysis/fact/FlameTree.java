package dev.probestream.query.report.analysis.fact;

import dev.probestream.query.report.ReportPart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Weighted stacks as one tree from the outermost functions to the leaves. */
public final class FlameTree {
    private static final int MOST_DEPTH = 120;
    private static final int MOST_NAME_LENGTH = 160;
    private static final int MOST_FULL_LENGTH = 600;

    /** Narrower than a pixel of a wide screen. */
    private static final double LEAST_SHARE = 0.0008;

    private final Building root = new Building(Function.lane("all"));

    /**
     * What frames are merged by: they are of the same function if all this is equal.
     *
     * @param name as in FrameText.function
     * @param type js, native, kernel or other
     * @param file "" = unknown
     * @param line where the function begins; 0 = unknown
     * @param column where the function begins; 0 = unknown
     */
    public record Function(String name, String type, String file, int line, int column) {
        /** What stands below the root and is not a function: a thread, an operation. */
        public static Function lane(String name) {
            return new Function(name, "other", "", 0, 0);
        }

        private boolean isNative() {
            return type.equals("native");
        }
    }

    /**
     * A frame of a stack.
     *
     * @param source where the call is by a source map: {@code file:line}; "" = no source map
     */
    public record Step(Function function, String source) {}

    /** Adds a stack, the outermost frame first. Frames deeper than {@value #MOST_DEPTH} count for those. */
    public void add(List<Step> rootFirst, double weight) {
        root.value += weight;
        Building at = root;
        for (Step step : rootFirst.subList(0, Math.min(rootFirst.size(), MOST_DEPTH))) {
            at = at.children.computeIfAbsent(step.function, Building::new);
            at.value += weight;
            if (!step.source.isEmpty()) {
                at.sources.merge(step.source, weight, Double::sum);
            }
        }
    }

    /** The tree without nodes too narrow to be visible; their weight stays in their callers. */
    public ReportPart.Node root() {
        return node(root, root.value * LEAST_SHARE);
    }

    private ReportPart.Node node(Building building, double least) {
        List<ReportPart.Node> nodes = new ArrayList<>();
        building.children.values().stream()
                .filter(child -> child.value >= least)
                .sorted(Comparator.comparingDouble((Building child) -> -child.value)
                        .thenComparing(child -> child.function.name))
                .forEach(child -> nodes.add(node(child, least)));
        Function function = building.function;
        String name = cut(function.isNative() ? NativeName.shortened(function.name) : function.name, MOST_NAME_LENGTH);
        String full = name.equals(function.name) ? "" : cut(function.name, MOST_FULL_LENGTH);
        return new ReportPart.Node(
                name,
                full,
                Amounts.rounded(building.value),
                function.type,
                function.file,
                function.line,
                building.heaviestSource(),
                nodes);
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "…";
    }

    /** A node while the tree is built. */
    private static final class Building {
        private final Function function;
        private final Map<Function, Building> children = new LinkedHashMap<>();
        private final Map<String, Double> sources = new HashMap<>();
        private double value;

        Building(Function function) {
            this.function = function;
        }

        private String heaviestSource() {
            return sources.entrySet().stream()
                    .max(Map.Entry.<String, Double>comparingByValue()
                            .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                    .map(Map.Entry::getKey)
                    .orElse("");
        }
    }
}
