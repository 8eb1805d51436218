package dev.probestream.query.report.comparison;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.FlameTree.Function;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The CPU samples taken while a route's requests were served, by the JavaScript functions on the stack.
 *
 * @param requests of the route, as far as they were recorded
 * @param stacks the outermost function first
 */
record RouteStacks(long requests, Map<List<Function>, Weight> stacks) {
    /** Of all routes together, the heaviest ones. */
    private static final int MOST_STACKS = 3000;

    /** Samples, and the CPU time that they stand for. */
    record Weight(long samples, double ms) {
        static final Weight NONE = new Weight(0, 0);

        Weight plus(Weight other) {
            return new Weight(samples + other.samples, ms + other.ms);
        }
    }

    /** By route; routes without samples are missing. */
    static Map<String, RouteStacks> read(RecordingDatabase database) throws QueryException {
        Map<String, Long> requests = new LinkedHashMap<>();
        for (ResultRow row :
                database.rows("SELECT subject, count(*) AS n FROM report_compared_request GROUP BY 1 ORDER BY 1")) {
            requests.put(row.text("subject"), row.count("n"));
        }
        List<ResultRow> frames = database.rows("""
                WITH heaviest AS (FROM report_compared_stack ORDER BY samples DESC, route, capture_id, stack_id LIMIT %d)
                SELECT h.route, h.capture_id, h.stack_id, h.samples, h.ms, s.file, s.line, s.col,
                    coalesce(nullif(function_name(s.symbol, s.is_async), ''), '(anonymous)') AS symbol
                FROM heaviest h JOIN stacks s USING (capture_id, stack_id)
                WHERE s.kind = 'JS'
                ORDER BY h.route, h.capture_id, h.stack_id, s.depth DESC""".formatted(MOST_STACKS));
        Map<String, RouteStacks> routes = new LinkedHashMap<>();
        List<Function> stack = new ArrayList<>();
        for (int i = 0; i < frames.size(); i++) {
            ResultRow frame = frames.get(i);
            stack.add(new Function(frame.text("symbol"), "js", frame.text("file"), (int) frame.count("line"), (int)
                    frame.count("col")));
            if (i + 1 == frames.size() || !isOfOneStack(frame, frames.get(i + 1))) {
                String route = frame.text("route");
                routes.computeIfAbsent(
                                route, key -> new RouteStacks(requests.getOrDefault(key, 0L), new LinkedHashMap<>()))
                        .stacks
                        .merge(
                                List.copyOf(stack),
                                new Weight(frame.count("samples"), frame.number("ms")),
                                Weight::plus);
                stack.clear();
            }
        }
        return routes;
    }

    private static boolean isOfOneStack(ResultRow a, ResultRow b) {
        return a.count("stack_id") == b.count("stack_id")
                && a.count("capture_id") == b.count("capture_id")
                && a.text("route").equals(b.text("route"));
    }
}
