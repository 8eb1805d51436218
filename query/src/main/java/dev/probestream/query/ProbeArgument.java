package dev.probestream.query;

import java.sql.Array;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An argument of a probe, from the table {@code probes}.
 *
 * @param column the column of its values: {@code a3}, {@code s0}, {@code more_numbers[2]}
 * @param labels names of values; the keys are the digits of numbers, or texts
 */
record ProbeArgument(String name, String type, String column, Map<String, String> labels) {
    private static final Pattern COLUMN = Pattern.compile("[as]\\d|more_(?:numbers|strings)\\[\\d{1,6}]");
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");

    ProbeArgument {
        labels = Map.copyOf(labels);
    }

    /** Skips arguments without a valid column, which Probestream does not write. */
    static List<ProbeArgument> listOf(@Nullable Array arguments) throws SQLException {
        List<ProbeArgument> list = new ArrayList<>();
        if (arguments == null) {
            return list;
        }
        for (Object element : (Object[]) arguments.getArray()) {
            Object[] members = ((Struct) element).getAttributes();
            ProbeArgument argument = new ProbeArgument(
                    String.valueOf(members[0]),
                    String.valueOf(members[1]),
                    String.valueOf(members[4]),
                    labels(members[5]));
            if (COLUMN.matcher(argument.column).matches()) {
                list.add(argument);
            }
        }
        return list;
    }

    private static Map<String, String> labels(@Nullable Object map) {
        Map<String, String> labels = new TreeMap<>();
        if (map instanceof Map<?, ?> entries) {
            entries.forEach((value, label) -> labels.put(String.valueOf(value), String.valueOf(label)));
        }
        return labels;
    }

    /** The value as an expression over a row of {@code events} or {@code spans}. */
    String value() {
        if (type.equals("bool")) {
            return "(" + column + " <> 0)";
        }
        StringBuilder cases = new StringBuilder();
        new TreeMap<>(labels).forEach((value, label) -> {
            if (NUMBER.matcher(value).matches()) {
                cases.append(" WHEN ").append(value).append(" THEN ").append(Sql.text(label));
            }
        });
        return cases.isEmpty() ? column : "CASE " + column + cases + " ELSE " + column + "::VARCHAR END";
    }
}
