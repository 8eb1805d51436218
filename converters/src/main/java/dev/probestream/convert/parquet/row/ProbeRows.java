package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.schema.MessageType;

/** The table of what was probed, with the column of each argument. */
public final class ProbeRows implements RowShape<Probe> {
    /** An argument and where it is found. */
    private record Place(Argument argument, String column) {}

    private static final class Places implements RowShape<Place> {
        private static final Columns COLUMNS = new Columns()
                .text("name")
                .text("type")
                .text("unit")
                .text("flow")
                .text("column")
                .labels("labels");

        @Override
        public MessageType schema() {
            return COLUMNS.named("argument");
        }

        @Override
        public void write(Place place, Row row) {
            Argument argument = place.argument();
            row.text(argument.getName())
                    .text(argument.getType())
                    .text(argument.getUnit())
                    .text(argument.getFlow().name())
                    .text(place.column())
                    .labels(argument.getLabels());
        }
    }

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required32("probe_id")
                .text("probe")
                .text("category")
                .text("kind")
                .text("spec")
                .text("module")
                .structs("arguments", Places.COLUMNS)
                .text("return_type")
                .text("return_unit")
                .truth("is_end_derived")
                .named(ParquetTable.PROBES.folderName());
    }

    @Override
    public void write(Probe probe, Row row) {
        row.integer64(probe.getCaptureId())
                .integer32(probe.getProbeId())
                .text(probe.getName())
                .text(probe.getCategory())
                .text(probe.getKind().name())
                .text(probe.getSpec())
                .text(probe.getModule())
                .structs(places(probe), new Places());
        if (probe.getReturnType().isEmpty()) {
            row.none().none();
        } else {
            row.text(probe.getReturnType()).text(probe.getReturnUnit());
        }
        row.truth(probe.getIsEndDerived());
    }

    private static List<Place> places(Probe probe) {
        List<Place> places = new ArrayList<>();
        int numbers = 0;
        int strings = 0;
        for (Argument argument : ProbeColumns.arguments(probe)) {
            boolean isText = ProbeColumns.isText(argument);
            places.add(new Place(argument, ProbeColumns.column(isText, isText ? strings++ : numbers++)));
        }
        return places;
    }
}
