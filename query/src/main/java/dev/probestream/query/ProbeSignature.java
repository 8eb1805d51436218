package dev.probestream.query;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The probes of one name that have the same arguments, in one or several captures.
 *
 * @param isSpan whether their rows are in {@code spans} or in {@code events}
 * @param ids pairs of capture and probe, in SQL: {@code (7, 1), (7, 2)}
 */
record ProbeSignature(String probe, boolean isSpan, List<ProbeArgument> arguments, String ids) {
    /** Ordered, so that the views are the same each time. */
    static final String QUERY = "SELECT probe, kind IN ('SPAN', 'OPEN_SPAN') AS is_span, arguments,"
            + " string_agg('(' || capture_id || ', ' || probe_id || ')', ', ' ORDER BY capture_id, probe_id) AS ids"
            + " FROM probes WHERE probe IS NOT NULL GROUP BY ALL ORDER BY probe, min((capture_id, probe_id))";

    private static final List<String> BEFORE_ARGUMENTS =
            List.of("mono_ns", "capture_id", "sequence", "pid", "tid", "cpu", "kind");
    private static final List<String> AFTER_ARGUMENTS = List.of("return_value", "stack_id");

    ProbeSignature {
        arguments = List.copyOf(arguments);
    }

    static ProbeSignature of(ResultSet row) throws SQLException {
        return new ProbeSignature(
                row.getString("probe"),
                row.getBoolean("is_span"),
                ProbeArgument.listOf(row.getArray("arguments")),
                row.getString("ids"));
    }

    /** Selects all rows of the name. */
    String selectAll() {
        return select() + " WHERE probe = " + Sql.text(probe);
    }

    /** Selects the rows of these probes only. */
    String selectOwn() {
        return selectAll() + " AND (capture_id, probe_id) IN (" + ids + ")";
    }

    private String select() {
        List<String> first = isSpan ? List.of("ts", "end_ts", "duration_ns") : List.of("ts");
        Set<String> ofEveryRow = new HashSet<>(first);
        ofEveryRow.addAll(BEFORE_ARGUMENTS);
        ofEveryRow.addAll(AFTER_ARGUMENTS);
        Set<String> taken = new HashSet<>(ofEveryRow);
        List<String> columns = new ArrayList<>(first);
        columns.addAll(BEFORE_ARGUMENTS);
        for (ProbeArgument argument : arguments) {
            columns.add(argument.value() + " AS " + Sql.name(columnName(argument.name(), ofEveryRow, taken)));
        }
        columns.addAll(AFTER_ARGUMENTS);
        return "SELECT " + String.join(", ", columns) + " FROM " + (isSpan ? "spans" : "events");
    }

    /** The argument's name; {@code arg_pid} if every row has a column pid; a name that is taken gets a number. */
    private static String columnName(String argument, Set<String> ofEveryRow, Set<String> taken) {
        String own = argument.isEmpty() ? "arg" : argument;
        String wanted = ofEveryRow.contains(own.toLowerCase(Locale.ROOT)) ? "arg_" + own : own;
        String name = wanted;
        for (int next = 2; !taken.add(name.toLowerCase(Locale.ROOT)); next++) {
            name = wanted + "_" + next;
        }
        return name;
    }
}
