package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Column;
import dev.probestream.query.report.ReportPart.Table;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.NativeName;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a result as a table of the report. */
final class Tables {
    /** The most rows of a table. */
    static final int MOST_ROWS = 20;

    private Tables() {}

    /** The table has {@code columns}; the rows have them as {@code column()}. */
    static Table of(String title, List<ResultRow> rows, List<From> columns) {
        List<List<@Nullable Object>> cells = new ArrayList<>();
        for (ResultRow row : rows) {
            List<@Nullable Object> line = new ArrayList<>();
            for (From column : columns) {
                line.add(cell(row, column));
            }
            cells.add(line);
        }
        return new Table(
                title,
                columns.stream()
                        .map(column -> new Column(column.name(), column.unit(), column.isNumber()))
                        .toList(),
                cells);
    }

    private static @Nullable Object cell(ResultRow row, From column) {
        if (column.isSymbol()) {
            return symbol(row.text(column.column()));
        }
        boolean isScaled =
                !column.scaled().isEmpty() && Math.round(row.number(column.scaled())) > row.count(column.column());
        return isScaled ? "about " + Amounts.count(Math.round(row.number(column.scaled()))) : row.cell(column.column());
    }

    private static Object symbol(String full) {
        String text = NativeName.shortened(full);
        return text.equals(full) ? full : new ReportPart.ShortText(text, full);
    }

    /**
     * A column of the table and its column in the result.
     *
     * @param scaled the column of the result that has the count with what gaps hid; "" = none
     */
    record From(String column, String name, String unit, boolean isNumber, boolean isSymbol, String scaled) {
        From(String column, String name, String unit, boolean isNumber, boolean isSymbol) {
            this(column, name, unit, isNumber, isSymbol, "");
        }

        /** A count of hits; where some were hidden by gaps, the estimate of all of them. */
        static From scaled(String column, String scaled, String name) {
            return new From(column, name, "", true, false, scaled);
        }

        /** Names of functions, which are shortened if they are those of C++. */
        static From symbol(String column, String name) {
            return new From(column, name, "", false, true);
        }

        static From text(String column, String name) {
            return new From(column, name, "", false, false);
        }

        static From count(String column, String name) {
            return new From(column, name, "", true, false);
        }

        static From ms(String column, String name) {
            return new From(column, name, "ms", true, false);
        }

        static From bytes(String column, String name) {
            return new From(column, name, "bytes", true, false);
        }

        static From percent(String column, String name) {
            return new From(column, name, "%", true, false);
        }
    }
}
