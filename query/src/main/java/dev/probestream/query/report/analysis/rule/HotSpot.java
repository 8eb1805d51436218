package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/**
 * The function that most of some weighed stacks have in common: of the application's functions that are in at least half of
 * them the one nearest to the leaf, and what is done below it.
 *
 * @param place "parseBody (lib/parse.js:2)"; "" when no JavaScript of the application has a name
 * @param action what it called, "JSON.parse" or "readFileSync"; "" = unknown, or it did it itself
 * @param nativeFunction the native function most often at the leaf; "" = none
 * @param share of the weight that is below the place, from 0 to 1
 */
record HotSpot(String place, String action, String nativeFunction, double share) {
    private static final double COMMON_SHARE = 0.5;

    /** Of {@code weighed}: SQL for rows of {@code capture_id, stack_id, weight}. */
    static Optional<HotSpot> of(RecordingDatabase database, String weighed) throws QueryException {
        String common = """
                WITH weighed AS (
                    SELECT capture_id, stack_id, sum(weight)::DOUBLE AS weight FROM (%s)
                    WHERE stack_id IS NOT NULL GROUP BY ALL)
                """.formatted(weighed);
        ResultRow total = database.row(common + "SELECT sum(weight) AS weight FROM weighed JOIN report_stack"
                + " USING (capture_id, stack_id)");
        if (total.number("weight") <= 0) {
            return Optional.empty();
        }
        List<ResultRow> places = database.rows(common + placeSql(total.number("weight")));
        String place = places.isEmpty() ? "" : places.get(0).text("place");
        List<ResultRow> below = database.rows(common + belowSql(place));
        List<ResultRow> leaves = database.rows(common + """
                SELECT leaf FROM weighed JOIN report_stack USING (capture_id, stack_id)
                WHERE leaf IS NOT NULL GROUP BY leaf ORDER BY sum(weight) DESC, leaf LIMIT 1""");
        return Optional.of(new HotSpot(
                place,
                below.isEmpty() ? "" : below.get(0).text("action"),
                leaves.isEmpty() ? "" : leaves.get(0).text("leaf"),
                places.isEmpty() ? 1 : places.get(0).number("share")));
    }

    private static String placeSql(double totalWeight) {
        return """
                , frame AS (
                    SELECT w.capture_id, w.stack_id, w.weight, s.symbol, s.file, s.line, min(s.depth) AS depth
                    FROM weighed w JOIN stacks s USING (capture_id, stack_id)
                    WHERE s.kind = 'JS' AND s.file IS NOT NULL AND NOT starts_with(s.file, 'node:')
                    GROUP BY ALL),
                common AS (
                    SELECT place({'symbol': symbol, 'file': file, 'line': line}) AS place, sum(weight) / %1$s AS share,
                        sum(depth * weight) / sum(weight) AS depth
                    FROM frame GROUP BY symbol, file, line)
                SELECT place, share FROM common
                ORDER BY share < %2$s, CASE WHEN share >= %2$s THEN depth ELSE -share END, depth, place LIMIT 1""".formatted(totalWeight, COMMON_SHARE);
    }

    /** What is done in at least half of the stacks that have the place. */
    private static String belowSql(String place) {
        return """
                , below AS (
                    SELECT coalesce(meaning, node_function, '') AS action, sum(weight) AS weight
                    FROM weighed JOIN report_stack r USING (capture_id, stack_id)
                    WHERE '%1$s' = '' OR EXISTS (
                        FROM stacks s WHERE s.capture_id = weighed.capture_id AND s.stack_id = weighed.stack_id
                            AND s.kind = 'JS' AND s.file IS NOT NULL
                            AND place({'symbol': s.symbol, 'file': s.file, 'line': s.line}) = '%1$s')
                    GROUP BY ALL)
                SELECT action FROM below
                WHERE action <> '' AND weight >= (SELECT 0.3 * sum(weight) FROM below WHERE '%1$s' <> '' OR action <> '')
                ORDER BY weight DESC, action LIMIT 1""".formatted(place.replace("'", "''"));
    }

    /** The cause as the subject of a sentence: "JSON.parse, called by parseBody (lib/parse.js:2)". */
    String words() {
        if (place.isEmpty()) {
            return action.isEmpty() ? nativeFunction : action;
        }
        return action.isEmpty() ? place : action + ", called by " + place;
    }

    /** Where from: ", from parseBody (lib/parse.js:2)"; nothing when it is not known. */
    String from() {
        return place.isEmpty() ? "" : ", from " + place;
    }

    /** Whether there is anything to say. */
    boolean isKnown() {
        return !words().isEmpty();
    }
}
