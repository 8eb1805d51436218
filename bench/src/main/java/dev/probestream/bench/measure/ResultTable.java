package dev.probestream.bench.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results of one benchmark: numbers, budgets met or missed, and notes, printed as Markdown. */
public final class ResultTable {
    private final List<List<String>> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    public ResultTable() {
        rows.add(List.of("what", "median", "spread", "ratio", "budget"));
    }

    /** Adds a measurement without comparison: a limit or another tool. */
    public void measured(String what, Samples samples, String unit) {
        rows.add(List.of(what, number(samples.median()) + " " + unit, percent(samples.spread()), "", ""));
    }

    /** Adds a measurement and its ratio to another one of this table. */
    public void compared(String what, Samples samples, String unit, double ratio, String toWhat) {
        rows.add(List.of(
                what,
                number(samples.median()) + " " + unit,
                percent(samples.spread()),
                number(ratio) + " x " + toWhat,
                ""));
    }

    /** Adds a single number. */
    public void value(String what, double value, String unit) {
        rows.add(List.of(what, number(value) + " " + unit, "", "", ""));
    }

    /** Adds a number that must not exceed the limit. */
    public void atMost(String what, double value, String unit, double limit) {
        budget(what, value, unit, "<= " + number(limit), value <= limit);
    }

    /** Adds a number that must not be below the limit. */
    public void atLeast(String what, double value, String unit, double limit) {
        budget(what, value, unit, ">= " + number(limit), value >= limit);
    }

    /** Adds a note about the numbers. */
    public void note(String text) {
        notes.add(text);
    }

    public void print(PrintStream out) {
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
        notes.forEach(remark -> out.println("\n" + remark));
    }

    private void budget(String what, double value, String unit, String limit, boolean isKept) {
        rows.add(List.of(what, (number(value) + " " + unit).strip(), "", "", limit + (isKept ? ": kept" : ": MISSED")));
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int column = 0; column < widths.length; column++) {
            line.append(String.format(Locale.ROOT, " %-" + widths[column] + "s |", row.get(column)));
        }
        return line.toString();
    }

    /** Three significant digits or more, without an exponent. */
    public static String number(double value) {
        if (Math.abs(value) >= 100 || value == 0) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, Math.abs(value) >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * part);
    }
}
