package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.NativeName;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Weighted stacks as one tree from the threads to the leaves, without nodes too narrow to be visible. */
final class FlameGraph {
    private static final int MOST_STACKS = 1000;
    private static final int MOST_DEPTH = 120;
    private static final int MOST_NAME_LENGTH = 160;
    private static final int MOST_FULL_LENGTH = 600;

    /** Narrower than a pixel of a wide screen. */
    private static final double LEAST_SHARE = 0.0008;

    private final Building root = new Building("all", "other", "", 0);

    private FlameGraph() {}

    /** Of {@code weighted}: SQL for rows of {@code lane, capture_id, stack_id, weight}; the lane is below the root. */
    static Optional<ReportPart> of(RecordingDatabase database, String title, String unit, String weighted)
            throws QueryException {
        List<ResultRow> frames = database.rows("""
                WITH heaviest AS (
                    SELECT lane, capture_id, stack_id, sum(weight)::DOUBLE AS weight FROM (%s)
                    WHERE stack_id IS NOT NULL GROUP BY ALL ORDER BY weight DESC, stack_id LIMIT %d)
                SELECT h.lane, h.capture_id, h.stack_id, h.weight, s.symbol, s.module, s.kind, s.file, s.line
                FROM heaviest h JOIN stacks s USING (capture_id, stack_id)
                ORDER BY h.lane, h.capture_id, h.stack_id, s.depth DESC""".formatted(weighted, MOST_STACKS));
        if (frames.isEmpty()) {
            return Optional.empty();
        }
        FlameGraph graph = new FlameGraph();
        int first = 0;
        for (int i = 1; i <= frames.size(); i++) {
            if (i == frames.size() || !isOneStack(frames.get(first), frames.get(i))) {
                graph.add(frames.subList(first, i));
                first = i;
            }
        }
        return Optional.of(new ReportPart.Flame(title, unit, graph.root.node(graph.root.value * LEAST_SHARE)));
    }

    private static boolean isOneStack(ResultRow a, ResultRow b) {
        return a.count("stack_id") == b.count("stack_id")
                && a.count("capture_id") == b.count("capture_id")
                && a.text("lane").equals(b.text("lane"));
    }

    private void add(List<ResultRow> rootFirst) {
        double weight = rootFirst.get(0).number("weight");
        root.value += weight;
        Building at = root.child(rootFirst.get(0).text("lane"), "other", "", 0);
        at.value += weight;
        for (ResultRow frame : rootFirst.subList(0, Math.min(rootFirst.size(), MOST_DEPTH))) {
            at = at.child(name(frame), frame.text("kind").toLowerCase(Locale.ROOT), frame.text("file"), (int)
                    frame.count("line"));
            at.value += weight;
        }
    }

    private static String name(ResultRow frame) {
        String symbol = frame.text("symbol");
        if (symbol.isEmpty()) {
            String module = frame.text("module");
            return frame.text("file").isEmpty()
                    ? "[" + (module.isEmpty() ? "unknown" : module.substring(module.lastIndexOf('/') + 1)) + "]"
                    : "(anonymous)";
        }
        return symbol;
    }

    /** A node while the tree is built. */
    private static final class Building {
        private final String symbol;
        private final String type;
        private final String file;
        private final int line;
        private final Map<String, Building> children = new LinkedHashMap<>();
        private double value;

        Building(String symbol, String type, String file, int line) {
            this.symbol = symbol;
            this.type = type;
            this.file = file;
            this.line = line;
        }

        Building child(String childSymbol, String childType, String childFile, int childLine) {
            return children.computeIfAbsent(
                    childType + '\n' + childSymbol + '\n' + childFile + '\n' + childLine,
                    key -> new Building(childSymbol, childType, childFile, childLine));
        }

        /** Children below {@code least} are left out; their weight stays in the parent. */
        ReportPart.Node node(double least) {
            List<ReportPart.Node> nodes = new ArrayList<>();
            children.values().stream()
                    .filter(child -> child.value >= least)
                    .sorted(Comparator.comparingDouble((Building child) -> -child.value)
                            .thenComparing(child -> child.symbol))
                    .forEach(child -> nodes.add(child.node(least)));
            String name = cut(type.equals("native") ? NativeName.shortened(symbol) : symbol, MOST_NAME_LENGTH);
            String full = name.equals(symbol) ? "" : cut(symbol, MOST_FULL_LENGTH);
            return new ReportPart.Node(name, full, Amounts.rounded(value), type, file, line, nodes);
        }

        private static String cut(String text, int most) {
            return text.length() <= most ? text : text.substring(0, most) + "…";
        }
    }
}
