package dev.probestream.query.result;

import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a table for reading. The first rows determine the widths of the columns; longer values of later rows are truncated.
 * If the columns do not fit, each row becomes a block with one line per column.
 *
 * <p>Not thread-safe.
 */
public final class TableWriter implements ResultWriter {
    private static final int ROWS_MEASURED = 1_000;

    /** Of EXPLAIN, whose text is a drawing of lines. */
    private static final List<String> PLAN = List.of("explain_key", "explain_value");

    private final Appendable out;
    private final int width;
    private final List<String[]> measured = new ArrayList<>();
    private List<ResultColumn> columns = List.of();
    private CellText[] cells = {};
    private boolean isPlan;
    private @Nullable TableLayout layout;
    private long blocks;

    /** @param width in characters; what exceeds it is cut; does not close {@code out} */
    public TableWriter(Appendable out, int width) {
        this.out = out;
        this.width = width;
    }

    @Override
    public void begin(List<ResultColumn> columns) {
        this.columns = List.copyOf(columns);
        cells = columns.stream().map(CellText::of).toArray(CellText[]::new);
        isPlan = columns.stream().map(ResultColumn::name).toList().equals(PLAN);
    }

    @Override
    public void row(@Nullable Object[] values) throws IOException {
        if (isPlan) {
            for (String line : PlainText.of(values[1]).split("\n", -1)) {
                out.append(VisibleText.of(line)).append('\n');
            }
            return;
        }
        String[] texts = new String[values.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = cells[i].of(values[i]);
        }
        if (layout != null) {
            write(layout, texts);
            return;
        }
        measured.add(texts);
        if (measured.size() == ROWS_MEASURED) {
            writeMeasured();
        }
    }

    private void writeMeasured() throws IOException {
        TableLayout decided = TableLayout.of(columns, measured, width);
        layout = decided;
        if (!decided.isBlocks()) {
            out.append(decided.head());
        }
        for (String[] texts : measured) {
            write(decided, texts);
        }
        measured.clear();
    }

    private void write(TableLayout decided, String[] texts) throws IOException {
        out.append(decided.isBlocks() ? decided.block(++blocks, texts) : decided.line(texts));
    }

    @Override
    public void end() throws IOException {
        if (layout == null && !isPlan) {
            writeMeasured();
        }
    }
}
