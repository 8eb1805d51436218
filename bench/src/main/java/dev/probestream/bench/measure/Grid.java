package dev.probestream.bench.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows and columns of texts, printed as a table of Markdown. */
public final class Grid {
    private final List<List<String>> rows = new ArrayList<>();

    public Grid(String... columns) {
        rows.add(List.of(columns));
    }

    /** Adds a row with a text for each column. */
    public void add(List<String> row) {
        if (row.size() != rows.get(0).size()) {
            throw new IllegalArgumentException(row + " does not have the columns " + rows.get(0));
        }
        rows.add(List.copyOf(row));
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    void print(PrintStream out) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        out.println(line(rows.get(0), widths));
        StringBuilder rule = new StringBuilder("|");
        for (int width : widths) {
            rule.append("-".repeat(width + 2)).append('|');
        }
        out.println(rule);
        for (List<String> row : rows.subList(1, rows.size())) {
            out.println(line(row, widths));
        }
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int column = 0; column < widths.length; column++) {
            line.append(String.format(Locale.ROOT, " %-" + widths[column] + "s |", row.get(column)));
        }
        return line.toString();
    }
}
