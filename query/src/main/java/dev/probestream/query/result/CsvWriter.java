package dev.probestream.query.result;

import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Comma-separated values (RFC 4180, lines ended by a line feed), with a header of column names. NULL is an
 * empty field, an empty text is {@code ""}.
 */
public final class CsvWriter implements ResultWriter {
    private final Appendable out;

    /** Does not close {@code out}. */
    public CsvWriter(Appendable out) {
        this.out = out;
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
                cell(PlainText.of(value));
            }
        }
        out.append('\n');
    }

    private void cell(String text) throws IOException {
        boolean isPlain =
                !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        out.append(isPlain ? text : '"' + text.replace("\"", "\"\"") + '"');
    }

    @Override
    public void end() {
        // Nothing is buffered.
    }
}
