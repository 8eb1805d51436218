package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.analysis.fact.FlameTree;
import dev.probestream.query.report.analysis.fact.FlameTree.Function;
import dev.probestream.query.report.analysis.fact.FlameTree.Step;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads weighted stacks of a recording into a flame graph: threads below the root, callers above what they call. */
final class FlameGraph {
    private static final int MOST_STACKS = 1000;

    private FlameGraph() {}

    /** Of {@code weighted}: SQL for rows of {@code lane, capture_id, stack_id, weight}; the lane is below the root. */
    static Optional<ReportPart> of(RecordingDatabase database, String title, String unit, String weighted)
            throws QueryException {
        List<ResultRow> frames = database.rows("""
                WITH heaviest AS (
                    SELECT lane, capture_id, stack_id, sum(weight)::DOUBLE AS weight FROM (%s)
                    WHERE stack_id IS NOT NULL GROUP BY ALL ORDER BY weight DESC, stack_id LIMIT %d)
                SELECT h.lane, h.capture_id, h.stack_id, h.weight, function_name(s.symbol, s.is_async) AS symbol,
                    s.module, s.kind, s.file, s.line, s.col, s.source_file, s.source_line
                FROM heaviest h JOIN stacks s USING (capture_id, stack_id)
                ORDER BY h.lane, h.capture_id, h.stack_id, s.depth DESC""".formatted(weighted, MOST_STACKS));
        if (frames.isEmpty()) {
            return Optional.empty();
        }
        FlameTree tree = new FlameTree();
        int first = 0;
        for (int i = 1; i <= frames.size(); i++) {
            if (i == frames.size() || !isOneStack(frames.get(first), frames.get(i))) {
                add(tree, frames.subList(first, i));
                first = i;
            }
        }
        return Optional.of(new ReportPart.Flame(title, unit, tree.root()));
    }

    private static boolean isOneStack(ResultRow a, ResultRow b) {
        return a.count("stack_id") == b.count("stack_id")
                && a.count("capture_id") == b.count("capture_id")
                && a.text("lane").equals(b.text("lane"));
    }

    private static void add(FlameTree tree, List<ResultRow> rootFirst) {
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(Function.lane(rootFirst.get(0).text("lane")), ""));
        for (ResultRow frame : rootFirst) {
            steps.add(new Step(
                    new Function(
                            name(frame),
                            frame.text("kind").toLowerCase(Locale.ROOT),
                            frame.text("file"),
                            (int) frame.count("line"),
                            (int) frame.count("col")),
                    source(frame)));
        }
        tree.add(steps, rootFirst.get(0).number("weight"));
    }

    private static String name(ResultRow frame) {
        String symbol = frame.text("symbol");
        String module = frame.text("module");
        return symbol.isEmpty()
                ? "[" + (module.isEmpty() ? "unknown" : module.substring(module.lastIndexOf('/') + 1)) + "]"
                : symbol;
    }

    private static String source(ResultRow frame) {
        String file = frame.text("source_file");
        return file.isEmpty() ? "" : file + ":" + frame.count("source_line");
    }
}
