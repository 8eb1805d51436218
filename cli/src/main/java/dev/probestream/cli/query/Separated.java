package dev.probestream.cli.query;

import dev.probestream.query.result.ResultColumn;
import dev.probestream.query.result.ResultWriter;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a result behind an empty line, when there was one before. */
record Separated(ResultWriter result, boolean isApart, Appendable out) implements ResultWriter {
    @Override
    public void begin(List<ResultColumn> columns) throws IOException {
        if (isApart) {
            out.append('\n');
        }
        result.begin(columns);
    }

    @Override
    public void row(@Nullable Object[] values) throws IOException {
        result.row(values);
    }

    @Override
    public void end() throws IOException {
        result.end();
    }
}
