package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.NativeName;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The function that most of a set of weighted stacks have in common: of the application's functions in at least half of them
 * the one nearest to the leaf, and what it calls.
 *
 * @param function "parseBody (lib/parse.js:2)"; "" if the application has no named JavaScript function in them
 * @param action what it called, "JSON.parse" or "readFileSync"; "" = unknown, or the function itself
 * @param nativeFunction the native function most often at the leaf, shortened; "" = none
 * @param share of the weight that is in the function, from 0 to 1
 */
public record HotSpot(String function, String action, String nativeFunction, double share) {
    private static final double COMMON_SHARE = 0.5;

    /** The action most often below the function, which is its parameter; "" = any function. */
    private static final String BELOW_SQL = """
                , wanted AS (SELECT ?::VARCHAR AS function),
                below AS (
                    SELECT coalesce(meaning, node_function, '') AS action, sum(weight) AS weight
                    FROM weighted JOIN report_stack r USING (capture_id, stack_id), wanted
                    WHERE function = '' OR EXISTS (
                        FROM stacks s WHERE s.capture_id = weighted.capture_id AND s.stack_id = weighted.stack_id
                            AND s.kind = 'JS' AND s.file IS NOT NULL
                            AND place({'symbol': function_name(s.symbol, s.is_async), 'file': s.file, 'line': s.line})
                                = function)
                    GROUP BY ALL)
                SELECT action FROM below
                WHERE action <> '' AND weight >= (
                    SELECT 0.3 * sum(weight) FROM below, wanted WHERE function <> '' OR action <> '')
                ORDER BY weight DESC, action LIMIT 1""";

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
        List<ResultRow> functions = database.rows(common + functionSql(total.number("weight")), values);
        String function = functions.isEmpty() ? "" : functions.get(0).text("function");
        List<ResultRow> below = database.rows(common + BELOW_SQL, append(values, function));
        List<ResultRow> leaves = database.rows(common + """
                SELECT leaf FROM weighted JOIN report_stack USING (capture_id, stack_id)
                WHERE leaf IS NOT NULL GROUP BY leaf ORDER BY sum(weight) DESC, leaf LIMIT 1""", values);
        return Optional.of(new HotSpot(
                function,
                below.isEmpty() ? "" : below.get(0).text("action"),
                leaves.isEmpty() ? "" : NativeName.shortened(leaves.get(0).text("leaf")),
                functions.isEmpty() ? 1 : functions.get(0).number("share")));
    }

    private static String functionSql(double totalWeight) {
        return """
                , frame AS (
                    SELECT w.capture_id, w.stack_id, w.weight, function_name(s.symbol, s.is_async) AS symbol, s.file,
                        s.line, s.col, min(s.depth) AS depth
                    FROM weighted w JOIN stacks s USING (capture_id, stack_id)
                    WHERE s.kind = 'JS' AND s.file IS NOT NULL AND NOT starts_with(s.file, 'node:')
                    GROUP BY ALL),
                common AS (
                    SELECT place({'symbol': symbol, 'file': file, 'line': line}) AS function, sum(weight) / %1$s AS share,
                        sum(depth * weight) / sum(weight) AS depth
                    FROM frame GROUP BY symbol, file, line, col)
                SELECT function, share FROM common
                ORDER BY share < %2$s, CASE WHEN share >= %2$s THEN depth ELSE -share END, depth, function LIMIT 1""".formatted(totalWeight, COMMON_SHARE);
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

    /** Whether a function or an action is known. */
    public boolean isKnown() {
        return !asSubject().isEmpty();
    }
}
