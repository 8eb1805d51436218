package dev.probestream.query.result;

import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Comma-separated values (RFC 4180, lines ended by a line feed), with a header of column names. NULL is an
 * empty field, an empty text is {@code ""}. Control characters are spelled by {@link VisibleText}, so that each row is one line.
 */
public final class CsvWriter implements ResultWriter {
    /** With one of these at its beginning, a spreadsheet takes a text for a formula (OWASP, "CSV Injection"). */
    private static final String FORMULA = "=+-@\t\r\n";

    private final Appendable out;
    private final boolean isForSpreadsheets;

    /** Does not close {@code out}. */
    public CsvWriter(Appendable out) {
        this(out, false);
    }

    /** @param isForSpreadsheets whether texts that a spreadsheet would take for a formula get a {@code '} in front */
    public CsvWriter(Appendable out, boolean isForSpreadsheets) {
        this.out = out;
        this.isForSpreadsheets = isForSpreadsheets;
    }

    @Override
    public void begin(List<ResultColumn> columns) throws IOException {
        row(columns.stream().map(ResultColumn::name).toArray());
    }

    @Override
    public void row(@Nullable Object[] values) throws IOException {
        for (int i = 0; i < values.length; i++) {
            if (i > 0) {
                out.append(',');
            }
            Object value = values[i];
            if (value != null) {
                cell(PlainText.of(value), value instanceof Number);
            }
        }
        out.append('\n');
    }

    private void cell(String recorded, boolean isNumber) throws IOException {
        boolean isFormula =
                isForSpreadsheets && !isNumber && !recorded.isEmpty() && FORMULA.indexOf(recorded.charAt(0)) >= 0;
        String text = (isFormula ? "'" : "") + VisibleText.of(recorded);
        boolean isPlain = !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"');
        out.append(isPlain ? text : '"' + text.replace("\"", "\"\"") + '"');
    }

    @Override
    public void end() {
        // Nothing is buffered.
    }
}
