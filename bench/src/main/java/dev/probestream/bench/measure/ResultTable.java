package dev.probestream.bench.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results of one benchmark: numbers, budgets met or missed, and notes, printed as Markdown. */
public final class ResultTable {
    private final List<Grid> grids = new ArrayList<>();
    private final Grid rows = new Grid("what", "median", "spread", "ratio", "budget");
    private final List<String> notes = new ArrayList<>();
    private boolean isWrong;

    /** Adds a table of its own, which is printed before this one if it has rows. */
    public void grid(Grid grid) {
        grids.add(grid);
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

    /** Adds a number that no noise changes; if it is another one, the run fails ({@link #isWrong}). */
    public void exactly(String what, int value, int expected) {
        isWrong |= value != expected;
        budget(what, value, "", "= " + number(expected), value == expected);
    }

    /** Whether a number is not what it must be exactly; a missed limit is no such number, as it may be the machine's. */
    public boolean isWrong() {
        return isWrong;
    }

    /** Adds a note about the numbers. */
    public void note(String text) {
        notes.add(text);
    }

    public void print(PrintStream out) {
        String separator = "";
        for (Grid grid : grids) {
            if (grid.isEmpty()) {
                continue;
            }
            out.print(separator);
            grid.print(out);
            separator = System.lineSeparator();
        }
        if (!rows.isEmpty()) {
            out.print(separator);
            rows.print(out);
        }
        notes.forEach(remark -> out.println("\n" + remark));
    }

    private void budget(String what, double value, String unit, String limit, boolean isKept) {
        rows.add(List.of(what, (number(value) + " " + unit).strip(), "", "", limit + (isKept ? ": kept" : ": MISSED")));
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
