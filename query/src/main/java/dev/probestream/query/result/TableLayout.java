package dev.probestream.query.result;

import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.util.Arrays;
import java.util.List;

/** Computes the widths of a table's columns and formats its lines. */
final class TableLayout {
    private static final String GAP = "  ";

    /** A text column is not made narrower than this. */
    private static final int MIN_TEXT = 12;

    private final List<ResultColumn> columns;
    private final int[] widths;
    private final int totalWidth;
    private final boolean isBlocks;

    private TableLayout(List<ResultColumn> columns, int[] widths, int totalWidth, boolean isBlocks) {
        this.columns = columns;
        this.widths = widths;
        this.totalWidth = totalWidth;
        this.isBlocks = isBlocks;
    }

    static TableLayout of(List<ResultColumn> columns, List<String[]> rows, int totalWidth) {
        int[] widths = columns.stream()
                .mapToInt(column -> TextWidth.of(VisibleText.of(column.name())))
                .toArray();
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], TextWidth.of(row[i]));
            }
        }
        boolean fits = narrow(columns, widths, totalWidth - GAP.length() * Math.max(0, widths.length - 1));
        return new TableLayout(columns, widths, totalWidth, !fits);
    }

    /** Narrows the widest text column by one character at a time until the row fits; false if it cannot fit. */
    private static boolean narrow(List<ResultColumn> columns, int[] widths, int available) {
        for (long excess = Arrays.stream(widths).asLongStream().sum() - available; excess > 0; excess--) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                boolean canShrink = !columns.get(i).isNumber() && widths[i] > MIN_TEXT;
                if (canShrink && (widest < 0 || widths[i] > widths[widest])) {
                    widest = i;
                }
            }
            if (widest < 0) {
                return false;
            }
            widths[widest]--;
        }
        return true;
    }

    /** Whether each row is a block of lines. */
    boolean isBlocks() {
        return isBlocks;
    }

    /** The header: names and a rule below them. */
    String head() {
        String[] names =
                columns.stream().map(column -> VisibleText.of(column.name())).toArray(String[]::new);
        StringBuilder rule = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            rule.append(i == 0 ? "" : GAP).append("─".repeat(widths[i]));
        }
        return line(names) + rule + '\n';
    }

    /** One row. */
    String line(String[] texts) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < texts.length; i++) {
            boolean isLast = i == texts.length - 1;
            String text = isCut(i) ? TextWidth.cut(texts[i], widths[i]) : texts[i];
            String padding = " ".repeat(Math.max(0, widths[i] - TextWidth.of(text)));
            line.append(i == 0 ? "" : GAP);
            if (columns.get(i).isNumber()) {
                line.append(padding).append(text);
            } else {
                line.append(text).append(isLast ? "" : padding);
            }
        }
        return line.append('\n').toString();
    }

    /** Numbers are never truncated, because the rest would be another number; nor is anything if the width is unlimited. */
    private boolean isCut(int column) {
        return !columns.get(column).isNumber() && totalWidth < Integer.MAX_VALUE;
    }

    /** One row as lines, a column each; {@code ordinal} counts rows from 1. */
    String block(long ordinal, String[] texts) {
        int nameWidth = columns.stream()
                .mapToInt(column -> TextWidth.of(VisibleText.of(column.name())))
                .max()
                .orElse(0);
        StringBuilder block = new StringBuilder("── row " + ordinal + " ──\n");
        for (int i = 0; i < texts.length; i++) {
            String name = VisibleText.of(columns.get(i).name());
            int left = Math.max(MIN_TEXT, totalWidth - nameWidth - GAP.length());
            block.append(name)
                    .append(" ".repeat(nameWidth - TextWidth.of(name)))
                    .append(GAP)
                    .append(TextWidth.cut(texts[i], left))
                    .append('\n');
        }
        return block.toString();
    }
}
