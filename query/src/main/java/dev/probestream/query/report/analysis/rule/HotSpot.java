package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.NativeName;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The function in which a set of weighted stacks mostly is, and what it calls. Of the application's functions those count that
 * are in {@link #PART} of the weight. Each stack goes to the one of them that is nearest to its leaf, and the function with the
 * greatest weight is named; one that calls another of them counts for its own code only. So an inner function is named rather
 * than the handler above it, and the handler rather than many small functions.
 *
 * @param function "parseBody (lib/parse.js:2)"; "" if the application has no named JavaScript function in them
 * @param action what it called, "JSON.parse" or "readFileSync"; "" = unknown, or the function itself
 * @param nativeFunction the native function most often at the leaf, shortened; "" = none, or JavaScript is there more often
 * @param share of the weight that is in the function, from 0 to 1
 * @param path "onRequest (app/server.js:5) > load (app/load.js:1)": its callers, most often, the outermost first; "" = none
 */
public record HotSpot(String function, String action, String nativeFunction, double share, String path) {
    private static final double PART = 0.35;

    /** So many callers are named: the outermost one and the nearest ones. */
    private static final int MOST_CALLERS = 4;

    /** The application's functions in each stack, each once, at its place nearest to the leaf. */
    private static final String FRAME_SQL = """
                , frame AS (
                    SELECT w.capture_id, w.stack_id, any_value(w.weight) AS weight, s.file, s.col, min(s.depth) AS depth,
                        place({'symbol': function_name(s.symbol, s.is_async), 'file': s.file, 'line': s.line}) AS function
                    FROM weighted w JOIN stacks s USING (capture_id, stack_id)
                    WHERE s.kind = 'JS' AND s.file IS NOT NULL AND NOT starts_with(s.file, 'node:')
                    GROUP BY ALL),
                """;

    /**
     * The function. Where frames nearer to the leaf have no name, they may be of another function: such a stack is in its functions,
     * but goes to none of them.
     */
    private static final String FUNCTION_SQL = FRAME_SQL + """
                total AS (SELECT sum(weight) AS weight FROM weighted JOIN report_stack USING (capture_id, stack_id)),
                common AS (
                    SELECT function, file, col, sum(f.weight) / any_value(t.weight) AS share, avg(depth) AS depth
                    FROM frame f, total t GROUP BY ALL),
                nameless AS (
                    SELECT capture_id, stack_id, min(depth) AS depth FROM stacks
                    WHERE is_nameless(kind, file, symbol) GROUP BY ALL),
                nearest AS (
                    SELECT f.capture_id, f.stack_id, any_value(f.weight) AS weight, min(f.depth) AS depth,
                        arg_min(f.function, f.depth) AS function, arg_min(f.file, f.depth) AS file, arg_min(f.col, f.depth) AS col
                    FROM frame f JOIN common c ON f.function = c.function AND f.file = c.file AND f.col IS NOT DISTINCT FROM c.col
                    WHERE c.share >= %s GROUP BY ALL),
                innermost AS (SELECT capture_id, stack_id, min(depth) AS depth FROM frame GROUP BY ALL),
                own AS (
                    SELECT n.function, n.file, n.col, sum(n.weight) AS weight,
                        coalesce(sum(n.weight) FILTER (l.depth IS NULL OR l.depth > n.depth), 0) AS known,
                        coalesce(sum(n.weight) FILTER ((l.depth IS NULL OR l.depth > n.depth) AND i.depth = n.depth), 0) AS itself
                    FROM nearest n JOIN innermost i USING (capture_id, stack_id) LEFT JOIN nameless l USING (capture_id, stack_id)
                    GROUP BY ALL)
                SELECT c.function, c.share
                FROM common c CROSS JOIN total t
                LEFT JOIN own o ON c.function = o.function AND c.file = o.file AND c.col IS NOT DISTINCT FROM o.col
                ORDER BY CASE WHEN o.weight >= 0.9 * c.share * t.weight THEN o.known ELSE coalesce(o.itself, 0) END DESC,
                    c.share DESC, c.depth, c.function LIMIT 1""".formatted(PART);

    /** The action most often below the function, which is its parameter, where it is the application's nearest; "" = any function. */
    private static final String BELOW_SQL = """
                , wanted AS (SELECT ?::VARCHAR AS function),
                below AS (
                    SELECT coalesce(meaning, node_function, '') AS action, sum(weight) AS weight
                    FROM weighted JOIN report_stack r USING (capture_id, stack_id), wanted
                    WHERE function = '' OR place(r.app) = function
                    GROUP BY ALL)
                SELECT action FROM below
                WHERE action <> '' AND weight >= (
                    SELECT 0.3 * sum(weight) FROM below, wanted WHERE function <> '' OR action <> '')
                ORDER BY weight DESC, action LIMIT 1""";

    /** Its callers in most of its stacks: the application's, without packages where others are there. */
    private static final String PATH_SQL = FRAME_SQL + """
                wanted AS (SELECT ?::VARCHAR AS function),
                inner_frame AS (
                    SELECT f.capture_id, f.stack_id, min(f.depth) AS depth FROM frame f JOIN wanted USING (function) GROUP BY ALL),
                chain AS (
                    SELECT any_value(f.weight) AS weight, list(f.function ORDER BY f.depth DESC) AS callers
                    FROM frame f JOIN inner_frame i USING (capture_id, stack_id)
                    WHERE f.depth > i.depth AND NOT contains(f.file, '/node_modules/')
                    GROUP BY f.capture_id, f.stack_id)
                SELECT CASE WHEN len(callers) <= %1$d THEN array_to_string(callers, ' > ')
                    ELSE callers[1] || ' > ... > ' || array_to_string(callers[-%2$d:], ' > ') END AS path
                FROM chain GROUP BY callers ORDER BY sum(weight) DESC, callers LIMIT 1""".formatted(MOST_CALLERS, MOST_CALLERS - 1);

    /**
     * The hot spot of some stacks; empty if none of them is known.
     *
     * @param weighted SQL for rows of {@code capture_id, stack_id, weight}
     * @param values of the {@code ?} in {@code weighted}
     */
    public static Optional<HotSpot> of(RecordingDatabase database, String weighted, Object... values)
            throws QueryException {
        String common = """
                WITH weighted AS (
                    SELECT capture_id, stack_id, sum(weight)::DOUBLE AS weight FROM (%s)
                    WHERE stack_id IS NOT NULL GROUP BY ALL)
                """.formatted(weighted);
        ResultRow total = database.row(
                common + "SELECT sum(weight) AS weight FROM weighted JOIN report_stack"
                        + " USING (capture_id, stack_id)",
                values);
        if (total.number("weight") <= 0) {
            return Optional.empty();
        }
        List<ResultRow> functions = database.rows(common + FUNCTION_SQL, values);
        String function = functions.isEmpty() ? "" : functions.get(0).text("function");
        List<ResultRow> below = database.rows(common + BELOW_SQL, append(values, function));
        List<ResultRow> leaves = database.rows(common + """
                SELECT leaf FROM weighted JOIN report_stack USING (capture_id, stack_id)
                GROUP BY leaf ORDER BY sum(weight) DESC, leaf LIMIT 1""", values);
        return Optional.of(new HotSpot(
                function,
                below.isEmpty() ? "" : below.get(0).text("action"),
                leaves.isEmpty() ? "" : NativeName.shortened(leaves.get(0).text("leaf")),
                functions.isEmpty() ? 1 : functions.get(0).number("share"),
                function.isEmpty() ? "" : path(database, common, append(values, function))));
    }

    private static String path(RecordingDatabase database, String common, Object[] values) throws QueryException {
        List<ResultRow> paths = database.rows(common + PATH_SQL, values);
        return paths.isEmpty() ? "" : paths.get(0).text("path");
    }

    private static Object[] append(Object[] values, Object last) {
        Object[] all = Arrays.copyOf(values, values.length + 1);
        all[values.length] = last;
        return all;
    }

    /** The cause within a sentence: "JSON.parse, called by parseBody (lib/parse.js:2)". */
    public String asSubject() {
        if (function.isEmpty()) {
            return action.isEmpty() ? nativeFunction : action;
        }
        return action.isEmpty() ? function : action + ", called by " + function;
    }

    /** The caller as a clause: ", from parseBody (lib/parse.js:2)"; "" if it is unknown. */
    public String fromClause() {
        return function.isEmpty() ? "" : ", from " + function;
    }

    /** How the application came to the function, as a sentence: " It is called by a (x.js:1) > b (x.js:9)."; "" if it has no callers. */
    public String pathSentence() {
        return path.isEmpty() ? "" : " It is called by " + path + ".";
    }

    /** Whether a function or an action is known. */
    public boolean isKnown() {
        return !asSubject().isEmpty();
    }
}
