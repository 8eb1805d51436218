package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.HitSummary;
import java.util.List;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/** The table of all hits of probes whose hits are not all events, summed by thread and interval. */
public final class HitSummaryRows implements RowShape<HitSummaryRows.NamedSummary> {
    /** A summary, what its probe is called, and the set that the probe is of. */
    public record NamedSummary(
            HitSummary summary,
            @Nullable Binary probe,
            @Nullable Binary category,
            WallClock clock) {}

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required32("probe_id")
                .text("probe")
                .text("category")
                .integer32("pid")
                .integer32("tid")
                .timestamp("from_ts")
                .integer64("from_mono_ns")
                .timestamp("to_ts")
                .integer64("to_mono_ns")
                .required64("count")
                .required64("failed")
                .required64("total_ns")
                .required64("max_ns")
                .integers64("durations")
                .named(ParquetTable.HIT_SUMMARIES.folderName());
    }

    @Override
    public void write(NamedSummary named, Row row) {
        HitSummary summary = named.summary();
        row.integer64(summary.getCaptureId())
                .integer32(summary.getProbeId())
                .text(named.probe())
                .text(named.category())
                .integer32(summary.getPid())
                .integer32(summary.getTid());
        named.clock().moment(row, summary.getFromNs());
        named.clock().moment(row, summary.getToNs());
        row.integer64(summary.getCount())
                .integer64(summary.getFailed())
                .integer64(summary.getTotalNs())
                .integer64(summary.getMaxNs());
        List<Long> durations = summary.getDurations();
        row.beginList(durations.size());
        for (long hits : durations) {
            row.beginElement();
            row.element(hits);
            row.endElement();
        }
        row.endList(durations.size());
    }
}
