package dev.probestream.query.builtin;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What a query answered, as text that can be compared and read in a diff: numbers with at most three decimals. */
record Answer(List<String> columns, List<List<String>> rows) {
    static Answer of(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            int count = result.getMetaData().getColumnCount();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                columns.add(result.getMetaData().getColumnName(i));
            }
            List<List<String>> rows = new ArrayList<>();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= count; i++) {
                    row.add(text(result.getObject(i)));
                }
                rows.add(row);
            }
            return new Answer(columns, rows);
        }
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return new BigDecimal(number)
                    .setScale(3, RoundingMode.HALF_UP)
                    .stripTrailingZeros()
                    .toPlainString();
        }
        return value == null ? "-" : value.toString();
    }

    List<String> column(String name) {
        return rows.stream().map(row -> row.get(columns.indexOf(name))).toList();
    }

    /** A row's values below each other, so that no line is long. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            for (int i = 0; i < columns.size(); i++) {
                if (!row.get(i).equals("-")) {
                    text.append(columns.get(i)).append(": ").append(row.get(i)).append('\n');
                }
            }
            text.append('\n');
        }
        return text.toString();
    }
}
