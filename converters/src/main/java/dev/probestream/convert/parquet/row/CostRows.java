package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.ProbeCost;
import org.apache.parquet.schema.MessageType;

/** The table of what the probes cost the recorded processes. */
public final class CostRows implements RowShape<CostRows.DatedCost> {
    /** A cost and the clock of its capture. */
    public record DatedCost(Cost cost, WallClock clock) {}

    private static final class OfProbe implements RowShape<ProbeCost> {
        private static final Columns COLUMNS = new Columns()
                .required32("probe_id")
                .required64("hits")
                .required64("program_ns")
                .required64("trap_ns");

        @Override
        public MessageType schema() {
            return COLUMNS.named("probe");
        }

        @Override
        public void write(ProbeCost cost, Row row) {
            row.integer32(cost.getProbeId())
                    .integer64(cost.getHits())
                    .integer64(cost.getProgramNs())
                    .integer64(cost.getTrapNs());
        }
    }

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .timestamp("from_ts")
                .integer64("from_mono_ns")
                .timestamp("to_ts")
                .integer64("to_mono_ns")
                .required64("target_cpu_ns")
                .structs("probes", OfProbe.COLUMNS)
                .named(ParquetTable.COSTS.folderName());
    }

    @Override
    public void write(DatedCost dated, Row row) {
        Cost cost = dated.cost();
        row.integer64(cost.getCaptureId());
        dated.clock().moment(row, cost.getFromNs());
        dated.clock().moment(row, cost.getToNs());
        row.integer64(cost.getTargetCpuNs()).structs(cost.getProbes(), new OfProbe());
    }
}
