package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Column;
import dev.probestream.query.report.ReportPart.Table;
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
                line.add(column.isSymbol() ? symbol(row.text(column.column())) : row.cell(column.column()));
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

    private static Object symbol(String full) {
        String text = NativeName.shortened(full);
        return text.equals(full) ? full : new ReportPart.ShortText(text, full);
    }

    /** A column of the table and its column in the result. */
    record From(String column, String name, String unit, boolean isNumber, boolean isSymbol) {
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
