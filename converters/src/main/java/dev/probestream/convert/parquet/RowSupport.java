package dev.probestream.convert.parquet;

import dev.probestream.convert.parquet.row.Row;
import dev.probestream.convert.parquet.row.RowShape;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.RecordConsumer;
import org.jspecify.annotations.Nullable;

/** Hands rows to Parquet as a {@link RowShape} defines them, and the footer when the file ends. */
final class RowSupport<T> extends WriteSupport<T> {
    private final RowShape<T> shape;
    private final Supplier<Map<String, String>> footer;
    private @Nullable Row row;

    /** @param footer asked for at the end of the file */
    RowSupport(RowShape<T> shape, Supplier<Map<String, String>> footer) {
        this.shape = shape;
        this.footer = footer;
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
        return new WriteContext(shape.schema(), Map.of());
    }

    @Override
    @SuppressWarnings("deprecation") // abstract: must be there
    public WriteContext init(Configuration configuration) {
        throw new UnsupportedOperationException("tables are written without Hadoop");
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
        row = new Row(consumer, shape.schema());
    }

    @Override
    public void write(T value) {
        Row next = Objects.requireNonNull(row);
        next.begin();
        shape.write(value, next);
        next.end();
    }

    @Override
    public FinalizedWriteContext finalizeWrite() {
        return new FinalizedWriteContext(footer.get());
    }
}
