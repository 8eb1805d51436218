package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Loss;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/** The table of the hits that were not delivered. */
public final class LossRows implements RowShape<LossRows.NamedLoss> {
    /** A loss and what its probe is called. */
    public record NamedLoss(Loss loss, @Nullable Binary probe, WallClock clock) {}

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required32("probe_id")
                .text("probe")
                .integer32("cpu")
                .text("reason")
                .required64("count")
                .timestamp("from_ts")
                .integer64("from_mono_ns")
                .timestamp("to_ts")
                .integer64("to_mono_ns")
                .named(ParquetTable.LOSSES.folderName());
    }

    @Override
    public void write(NamedLoss named, Row row) {
        Loss loss = named.loss();
        row.integer64(loss.getCaptureId())
                .integer32(loss.getProbeId())
                .text(named.probe())
                .integer32(loss.getCpu() != -1, loss.getCpu())
                .text(loss.getReason().name())
                .integer64(loss.getCount());
        named.clock().moment(row, loss.getFromNs());
        named.clock().moment(row, loss.getToNs());
    }
}
