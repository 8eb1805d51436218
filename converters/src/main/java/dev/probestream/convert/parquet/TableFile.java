package dev.probestream.convert.parquet;

import dev.probestream.convert.parquet.row.RowShape;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** One Parquet file: rows go in, then it is finished, then it is put in its place; or it is discarded. */
final class TableFile<T> {
    /** What DuckDB's vectors come in groups of: it reads row groups of that size in parallel. */
    private static final int ROW_GROUP_ROWS = 122_880;

    /** Long texts end a row group earlier, so that the memory has a limit. */
    private static final long ROW_GROUP_BYTES = 32 << 20;

    private static final int ZSTD_LEVEL = 3;

    /** The least and the greatest text of a row group and of a page are noted up to this length. */
    private static final int STATISTICS_BYTES = 32;

    private final Path place;
    private final TemporaryFile file;
    private final ZstdCodecs codecs;
    private final ParquetWriter<T> writer;
    private boolean isFinished;

    private TableFile(Path place, TemporaryFile file, ZstdCodecs codecs, ParquetWriter<T> writer) {
        this.place = place;
        this.file = file;
        this.codecs = codecs;
        this.writer = writer;
    }

    /**
     * @param footer asked for when the file is finished
     * @throws FileSystemException as of all methods: names the path, and the error of the system
     */
    static <T> TableFile<T> create(Path place, RowShape<T> shape, Supplier<Map<String, String>> footer)
            throws FileSystemException {
        TemporaryFile file = new TemporaryFile(place);
        ZstdCodecs codecs = new ZstdCodecs(ZSTD_LEVEL);
        try {
            Builder<T> builder = new Builder<>(file, new RowSupport<>(shape, footer))
                    .withConf(new PlainParquetConfiguration())
                    .withCodecFactory(codecs)
                    .withCompressionCodec(CompressionCodecName.ZSTD)
                    .withWriterVersion(WriterVersion.PARQUET_2_0)
                    .withRowGroupRowCountLimit(ROW_GROUP_ROWS)
                    .withRowGroupSize(ROW_GROUP_BYTES)
                    .withStatisticsTruncateLength(STATISTICS_BYTES)
                    .withColumnIndexTruncateLength(STATISTICS_BYTES)
                    .withSizeStatisticsEnabled(false);
            for (String column : shape.ascending()) {
                builder.withDictionaryEncoding(column, false);
            }
            return new TableFile<>(place, file, codecs, builder.build());
        } catch (IOException e) {
            codecs.release();
            throw failed(place, e);
        }
    }

    void write(T row) throws FileSystemException {
        try {
            writer.write(row);
        } catch (IOException e) {
            throw failed(place, e);
        }
    }

    /** No more rows: afterwards the file is whole and on the disk, but not in its place. */
    void finish() throws FileSystemException {
        try {
            writer.close();
            isFinished = true;
        } catch (IOException e) {
            throw failed(place, e);
        }
    }

    void putInPlace() throws FileSystemException {
        try {
            file.putInPlace();
        } catch (IOException e) {
            throw failed(place, e);
        }
    }

    /** Leaves nothing of a file that is not in its place. */
    void discard() throws FileSystemException {
        try {
            if (!isFinished) {
                codecs.release(); // ParquetWriter.close() would write the rest first
            }
            file.discard();
        } catch (IOException e) {
            throw failed(place, e);
        }
    }

    Path place() {
        return place;
    }

    /** What could not be written, and the error of the system. */
    static FileSystemException failed(Path place, IOException e) {
        String reason = e instanceof AccessDeniedException
                ? "permission denied"
                : e instanceof FileSystemException system ? system.getReason() : e.getMessage();
        FileSystemException failure = new FileSystemException(
                place.toString(), null, reason == null ? e.getClass().getSimpleName() : reason);
        failure.initCause(e);
        return failure;
    }

    private static final class Builder<T> extends ParquetWriter.Builder<T, Builder<T>> {
        private final RowSupport<T> rows;

        private Builder(TemporaryFile file, RowSupport<T> rows) {
            super(file);
            this.rows = rows;
        }

        @Override
        protected Builder<T> self() {
            return this;
        }

        @Override
        @SuppressWarnings("deprecation") // abstract: must be there
        protected WriteSupport<T> getWriteSupport(Configuration configuration) {
            return rows;
        }

        @Override
        protected WriteSupport<T> getWriteSupport(ParquetConfiguration configuration) {
            return rows;
        }
    }
}
