package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Gap;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/** The table of the times in which probes were not watched. */
public final class GapRows implements RowShape<GapRows.NamedGap> {
    /** A gap and what its probe is called; null = unknown, or all probes of the category. */
    public record NamedGap(Gap gap, @Nullable Binary probe, WallClock clock) {}

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .text("category")
                .integer32("probe_id")
                .text("probe")
                .text("reason")
                .timestamp("from_ts")
                .integer64("from_mono_ns")
                .timestamp("to_ts")
                .integer64("to_mono_ns")
                .named(ParquetTable.GAPS.folderName());
    }

    @Override
    public void write(NamedGap named, Row row) {
        Gap gap = named.gap();
        row.integer64(gap.getCaptureId())
                .text(gap.getCategory())
                .integer32(gap.getProbeId() != 0, gap.getProbeId())
                .text(named.probe())
                .text(gap.getReason().name());
        named.clock().moment(row, gap.getFromNs());
        named.clock().moment(row, gap.getToNs());
    }
}
