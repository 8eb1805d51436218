package dev.probestream.convert.parquet;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;

/**
 * An event with the facts of its capture. Borrowed: valid for one call.
 */
final class EventRow {
    EventView event = new EventView();
    ProbeColumns probe = ProbeColumns.unknown();
    WallClock clock = WallClock.UNKNOWN;

    /** A span has an end unless it was open when the capture ended. */
    boolean hasEnd() {
        return event.kind() != EventKind.OPEN_SPAN && event.durationNs() >= 0;
    }
}
