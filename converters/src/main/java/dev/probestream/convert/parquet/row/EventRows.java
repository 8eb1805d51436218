package dev.probestream.convert.parquet.row;

import static dev.probestream.convert.parquet.row.ProbeColumns.NUMBER_COLUMNS;
import static dev.probestream.convert.parquet.row.ProbeColumns.STRING_COLUMNS;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.util.EnumMap;
import java.util.List;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/** The tables of the events: that of what has no duration, and that of the spans. */
public final class EventRows implements RowShape<EventRows.EventRow> {
    private final EnumMap<EventKind, Binary> kinds = kinds();
    private final boolean isSpans;
    private final MessageType schema;

    private EventRows(ParquetTable table) {
        this.isSpans = table == ParquetTable.SPANS;
        this.schema = schema(isSpans).named(table.folderName());
    }

    public static EventRows of(ParquetTable table) {
        return new EventRows(table);
    }

    private static EnumMap<EventKind, Binary> kinds() {
        EnumMap<EventKind, Binary> names = new EnumMap<>(EventKind.class);
        for (EventKind kind : EventKind.values()) {
            names.put(kind, Binary.fromString(kind.name()));
        }
        return names;
    }

    public static ParquetTable tableOf(EventKind kind) {
        return switch (kind) {
            case SPAN, OPEN_SPAN -> ParquetTable.SPANS;
            case INSTANT, COUNTER, SWITCH, WAKING -> ParquetTable.EVENTS;
        };
    }

    private static Columns schema(boolean isSpans) {
        Columns columns = new Columns().timestamp("ts");
        if (isSpans) {
            columns.timestamp("end_ts").integer64("duration_ns");
        }
        columns.required64("mono_ns")
                .required64("capture_id")
                .required64("sequence")
                .required32("pid")
                .required32("tid")
                .required32("cpu")
                .required32("probe_id")
                .text("probe")
                .text("category")
                .text("kind");
        for (int i = 0; i < NUMBER_COLUMNS; i++) {
            columns.integer64(ProbeColumns.column(false, i));
        }
        for (int i = 0; i < STRING_COLUMNS; i++) {
            columns.text(ProbeColumns.column(true, i));
        }
        return columns.integers64("more_numbers")
                .texts("more_strings")
                .integer64("return_value")
                .integer64("stack_id")
                .text("host");
    }

    @Override
    public MessageType schema() {
        return schema;
    }

    @Override
    public List<String> ascending() {
        return isSpans
                ? List.of("ts", "end_ts", "duration_ns", "mono_ns", "capture_id", "sequence")
                : List.of("ts", "mono_ns", "capture_id", "sequence");
    }

    @Override
    public void write(EventRow value, Row row) {
        EventView event = value.event;
        times(value, row);
        row.integer64(event.captureId())
                .integer64(event.sequence())
                .integer32(event.pid())
                .integer32(event.tid())
                .integer32(event.cpu())
                .integer32(event.probeId())
                .text(value.probe.name())
                .text(value.probe.category())
                .text(kinds.get(event.kind()));
        long noNumber = value.probe.unavailableNumbers(event);
        long noString = value.probe.unavailableStrings(event);
        for (int i = 0; i < NUMBER_COLUMNS; i++) {
            if (i < event.numberCount() && isAvailable(noNumber, i)) {
                row.integer64(event.number(i));
            } else {
                row.none();
            }
        }
        for (int i = 0; i < STRING_COLUMNS; i++) {
            if (i < event.stringCount() && isAvailable(noString, i)) {
                row.text(Text.of(event, i));
            } else {
                row.none();
            }
        }
        moreNumbers(event, noNumber, row);
        moreStrings(event, noString, row);
        row.integer64(value.probe.hasResult(event), event.returnValue());
        row.integer64(event.stackId() != 0, event.stackId()).text(value.host);
    }

    private void times(EventRow value, Row row) {
        long startNs = value.event.timestampNs();
        long realtimeNs = value.clock.realtimeNs(startNs);
        row.integer64(value.clock.isKnown(), realtimeNs);
        if (isSpans) {
            long durationNs = value.event.durationNs();
            row.integer64(value.clock.isKnown() && value.hasEnd(), realtimeNs + durationNs);
            row.integer64(value.hasEnd(), durationNs);
        }
        row.integer64(startNs);
    }

    private static void moreNumbers(EventView event, long unavailable, Row row) {
        int more = event.numberCount() - NUMBER_COLUMNS;
        if (more <= 0) {
            row.none();
            return;
        }
        row.beginList(more);
        for (int i = NUMBER_COLUMNS; i < event.numberCount(); i++) {
            row.beginElement();
            if (isAvailable(unavailable, i)) {
                row.element(event.number(i));
            }
            row.endElement();
        }
        row.endList(more);
    }

    private static void moreStrings(EventView event, long unavailable, Row row) {
        int more = event.stringCount() - STRING_COLUMNS;
        if (more <= 0) {
            row.none();
            return;
        }
        row.beginList(more);
        for (int i = STRING_COLUMNS; i < event.stringCount(); i++) {
            row.beginElement();
            if (isAvailable(unavailable, i)) {
                row.element(Text.of(event, i));
            }
            row.endElement();
        }
        row.endList(more);
    }

    private static boolean isAvailable(long unavailable, int position) {
        return position >= Long.SIZE || (unavailable >>> position & 1) == 0;
    }

    /**
     * An event with the facts of its capture. Borrowed: valid for one call.
     */
    public static final class EventRow {
        private EventView event = new EventView();
        private ProbeColumns probe = ProbeColumns.unknown();
        private WallClock clock = WallClock.UNKNOWN;

        private @Nullable Binary host;

        /** @param newHost of the capture; null without a Capture record */
        public void set(EventView newEvent, ProbeColumns newProbe, WallClock newClock, @Nullable Binary newHost) {
            event = newEvent;
            probe = newProbe;
            clock = newClock;
            host = newHost;
        }

        /** A span has an end unless it was open when the capture ended. */
        boolean hasEnd() {
            return event.kind() != EventKind.OPEN_SPAN && event.durationNs() >= 0;
        }
    }
}
